/**
 * Rows → chunk results of all analyses that a page runs, as WebAssembly and as JavaScript, over the chunks of a recorded
 * trace.
 */
import { createAnalysisSet, type AnyAnalysis } from '../src/engine/analysis/analysis-set.ts';
import { createChunkMapper } from '../src/engine/analysis/chunk-mapper.ts';
import type { EventBatch, PacketReader, ProjectionPlan } from '../src/engine/analysis/contract.ts';
import { addNumber } from '../src/engine/base/group-by.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import { analysisById, SESSION_IDS } from '../src/engine/registry.ts';
import { median } from './measure.mjs';
import { openInMemory, type MemoryTrace } from './memory-trace.ts';
import { definitionOf } from '../test/support/definitions/definitions.ts';

const WARM_UP = 3;
/** Room for the chunk result of any chunk. */
const CHUNK_RESULT_BYTES = 2 ** 24;

type MapperKind = 'wasm' | 'js';

/** What is mapped: kernel state, and all others together. */
const STATE = 'kernel-state';
const AGGREGATES = 'aggregates';

/** Processor time (µs, all threads of the process) and events of one pass over a trace. */
interface Pass {
  readonly events: number;
  readonly whole: number;
  /** By id of the analysis, and AGGREGATES. */
  readonly mapping: ReadonlyMap<string, number>;
}

/** Sums up processor time by what it was spent for. */
class Meter {
  /** µs. */
  readonly spent = new Map<string, number>();

  measure<Made>(id: string, work: () => Made): Made {
    const before = process.cpuUsage();
    const made = work();
    addNumber(this.spent, id, spentSince(before));
    return made;
  }
}

/** The analysis, measured; for JavaScript by the definition of its compiled code. */
function measured(analysis: AnyAnalysis, kind: MapperKind, meter: Meter): AnyAnalysis {
  const { id, reader } = analysis;
  const innerOf = (plan: ProjectionPlan) =>
    (kind === 'js' ? definitionOf(analysis, plan) : undefined) ?? reader?.(plan);
  const measuredReader = (plan: ProjectionPlan, inner = innerOf(plan)): PacketReader<unknown> => ({
    start: (batch) => meter.measure(id, () => inner?.start(batch)),
    read: (packet) => meter.measure(id, () => inner?.read(packet)),
    finish: () => meter.measure(id, () => inner?.finish()),
  });
  return {
    ...analysis,
    map: (batch: EventBatch) => meter.measure(id, () => analysis.map(batch)),
    reader: reader && ((plan: ProjectionPlan) => measuredReader(plan)),
  } as AnyAnalysis;
}

/**
 * A function that decodes and maps all chunks once.
 * @param spare of chunk results that are used up, as a session has it after its first chunks
 */
function passOf(
  { experiment, chunks }: MemoryTrace,
  kind: MapperKind,
  spare?: ArrayBuffer,
): () => Promise<Pass> {
  const meter = new Meter();
  const analyses = SESSION_IDS.map((id) => measured(analysisById(id), kind, meter));
  const set = createAnalysisSet(analyses);
  const mapper = createChunkMapper(experiment, set, openSource);
  return async () => {
    let events = 0;
    meter.spent.clear();
    const before = process.cpuUsage();
    for (const chunk of chunks) {
      const answer = await mapper.run({ chunk, spare });
      if (!answer.ok) throw new Error(answer.fault.code);
      events += answer.value.events;
    }
    const whole = spentSince(before);
    const aggregates = [...meter.spent].reduce((sum, [id, spent]) => (id === STATE ? sum : sum + spent), 0);
    return { events, whole, mapping: new Map([...meter.spent, [AGGREGATES, aggregates]]) };
  };
}

function spentSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Mapping alone, warm, both in turns. */
export async function mapBench(folder: string, rounds: number): Promise<Record<string, number>> {
  const trace = await openInMemory(folder);
  const spare = new ArrayBuffer(CHUNK_RESULT_BYTES);
  const passes = { wasm: passOf(trace, 'wasm', spare), js: passOf(trace, 'js', spare) };
  const found = new Map<string, number[]>();
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const kind of ['wasm', 'js'] as const) {
      const { mapping, events } = await passes[kind]();
      if (round < WARM_UP) continue;
      for (const [id, spent] of mapping) {
        const key = `map.${id}.${kind}NsPerEvent`;
        found.set(key, [...(found.get(key) ?? []), (spent * 1e3) / events]);
      }
    }
  }
  return Object.fromEntries([...found].map(([key, values]) => [key, median(values)]));
}

/** The first pass of a fresh process, as a worker's is when a trace is opened. */
export async function firstMapBench(folder: string, kind: MapperKind): Promise<Record<string, number>> {
  const { whole, mapping, events } = await passOf(await openInMemory(folder), kind)();
  const figures = [...mapping].map(([id, spent]) => [
    `map.${id}.${kind}FirstPassNsPerEvent`,
    (spent * 1e3) / events,
  ]);
  return {
    ...Object.fromEntries(figures),
    [`map.${kind}FirstPassWithDecodingNsPerEvent`]: (whole * 1e3) / events,
  };
}

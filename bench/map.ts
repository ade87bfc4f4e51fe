/** Rows of the kernel state → transitions, as WebAssembly and as JavaScript, over the chunks of a recorded trace. */
import { createAnalysisSet, type AnyAnalysis } from '../src/engine/analysis/analysis-set.ts';
import { createChunkMapper } from '../src/engine/analysis/chunk-mapper.ts';
import type { EventBatch } from '../src/engine/analysis/contract.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import { cpuContext } from '../src/engine/kernel/cpu-context.ts';
import { kernelState } from '../src/engine/kernel/kernel-state.ts';
import { mapStates } from '../src/engine/kernel/state-map.ts';
import type { StateLeaf } from '../src/engine/kernel/transitions.ts';
import { median } from './measure.mjs';
import { openInMemory, type MemoryTrace } from './memory-trace.ts';

const WARM_UP = 3;

type MapperKind = 'wasm' | 'js';

/** Processor time (µs, all threads of the process) and events of one pass over a trace. */
interface Pass {
  readonly events: number;
  readonly whole: number;
  readonly mapping: number;
}

/** A function that decodes and maps all chunks once; for JavaScript as if rows did not lie in the decoder's memory. */
function passOf({ experiment, chunks }: MemoryTrace, kind: MapperKind): () => Promise<Pass> {
  let mapping = 0;
  const map = (batch: EventBatch): StateLeaf => {
    const rows = kind === 'wasm' ? batch.rows : { ...batch.rows, place: undefined };
    const before = process.cpuUsage();
    const leaf = mapStates({ ...batch, rows });
    mapping += spentSince(before);
    return leaf;
  };
  const set = createAnalysisSet([{ ...kernelState, map } as unknown as AnyAnalysis], cpuContext);
  const mapper = createChunkMapper(experiment, set, openSource);
  return async () => {
    let events = 0;
    mapping = 0;
    const before = process.cpuUsage();
    for (const chunk of chunks) {
      const answer = await mapper.run({ chunk });
      if (!answer.ok) throw new Error(answer.fault.code);
      events += answer.value.events;
    }
    return { events, whole: spentSince(before), mapping };
  };
}

function spentSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Mapping alone, warm, both in turns. */
export async function mapBench(folder: string, rounds: number): Promise<Record<string, number>> {
  const trace = await openInMemory(folder);
  const passes = { wasm: passOf(trace, 'wasm'), js: passOf(trace, 'js') };
  const nsPerEvent = { wasm: [] as number[], js: [] as number[] };
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const kind of ['wasm', 'js'] as const) {
      const { mapping, events } = await passes[kind]();
      nsPerEvent[kind].push((mapping * 1e3) / events);
    }
  }
  return {
    'map.wasmNsPerEvent': median(nsPerEvent.wasm.slice(WARM_UP)),
    'map.jsNsPerEvent': median(nsPerEvent.js.slice(WARM_UP)),
  };
}

/** The first pass of a fresh process, as a worker's is when a trace is opened. */
export async function firstMapBench(folder: string, kind: MapperKind): Promise<Record<string, number>> {
  const { whole, mapping, events } = await passOf(await openInMemory(folder), kind)();
  return {
    [`map.${kind}FirstPassNsPerEvent`]: (mapping * 1e3) / events,
    [`map.${kind}FirstPassWithDecodingNsPerEvent`]: (whole * 1e3) / events,
  };
}

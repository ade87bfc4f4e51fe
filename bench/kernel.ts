/** From decoded rows to the state history of recorded kernel traces: times of the stages, and bytes an interval. */
import type { TransitionChunk } from '../src/engine/analysis/contract.ts';
import { type AnalysisSet, createAnalysisSet } from '../src/engine/analysis/analysis-set.ts';
import { createChunkMapper } from '../src/engine/analysis/chunk-mapper.ts';
import { createHostReducers } from '../src/engine/analysis/host-reducers.ts';
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import { Sealer, type SealJob } from '../src/engine/history/seal.ts';
import { kernelState } from '../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../src/engine/linux/states/reduce/kernel-tables.ts';
import { kernelSchemeOf } from '../src/engine/linux/events/schemes.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import { analysisSet } from '../src/engine/registry.ts';
import { beatsOf } from '../test/support/toy-layer.ts';
import { median } from './measure.mjs';
import { mapperOf, type MemoryTrace, openInMemory, openRepeated, runHere } from './memory-trace.ts';
import { threadMs } from './thread-time.ts';

const WARM_UP = 3;
const STATE = [kernelState.id];
/** Beside which a second history is reduced, of a small part of the events. */
const TWO = createAnalysisSet([...analysisSet(STATE).all, beatsOf('sched_process_fork')]);
/**
 * The trace so many times over is merged and reduced: each round begins a history, whose memory nobody has touched yet,
 * and of a long trace that is a small part.
 */
const REDUCED_REPEATS = 6;

/** What chunks are mapped to, by chunk: a chunk result of each history. */
type ResultsOfChunks = ReadonlyMap<number, readonly TransitionChunk[]>;

/** Decode per event, merge and reduce per transition; one thread, warm. */
export async function stagesBench(folder: string, rounds: number): Promise<Record<string, number>> {
  const trace = await openInMemory(folder);
  const mapper = mapperOf(trace, STATE);
  const outcomes = [];
  for (let round = 0; round < WARM_UP + rounds; round++)
    outcomes.push(await runHere(trace, STATE, mapper, newBuilder()));
  const measured = outcomes.slice(WARM_UP);
  const { events } = measured[0];
  const long = await openRepeated(folder, REDUCED_REPEATS);
  const chunkResults = await chunkResultsOf(long, TWO);
  const transitions = [...chunkResults.values()].reduce((sum, [chunkResult]) => sum + chunkResult.length, 0);
  const reduced = await reduceRounds(long, chunkResults, rounds);
  return {
    'stages.decodeNsPerEvent': (median(measured.map(({ times }) => times.decode)) * 1e6) / events,
    'stages.reduceNsPerEvent': (median(reduced.compiled) * 1e6) / events / REDUCED_REPEATS,
    'stages.reduceMPerSecond': transitions / 1e3 / median(reduced.compiled),
    'stages.reduceJsMPerSecond': transitions / 1e3 / median(reduced.typescript),
    'stages.transitions': transitions,
    'stages.secondHistoryPercent': 100 * median(reduced.two.map((ms, i) => ms / reduced.compiled[i] - 1)),
    'stages.secondHistoryTransitions': [...chunkResults.values()].reduce(
      (sum, [, chunkResult]) => sum + chunkResult.length,
      0,
    ),
  };
}

async function chunkResultsOf(
  { experiment, chunks }: MemoryTrace,
  set: AnalysisSet,
): Promise<ResultsOfChunks> {
  const mapper = createChunkMapper(experiment, set, openSource);
  const chunkResults = new Map<number, readonly TransitionChunk[]>();
  for (const chunk of chunks) {
    const answer = await mapper.run({ chunk });
    if (!answer.ok) throw new Error(JSON.stringify(answer.fault));
    chunkResults.set(chunk.id, answer.value.chunkResults as TransitionChunk[]);
  }
  return chunkResults;
}

/**
 * ms of CPU in which the chunk results are merged and reduced: kernel state by the compiled reducer, by TypeScript alone,
 * and by the compiled reducer beside a second history.
 */
async function reduceRounds(trace: MemoryTrace, chunkResults: ResultsOfChunks, rounds: number) {
  const times = { compiled: [] as number[], typescript: [] as number[], two: [] as number[] };
  const alone = analysisSet(STATE);
  for (let round = 0; round < WARM_UP + rounds; round++) {
    for (const by of ['compiled', 'typescript', 'two'] as const) {
      const ms = await reduceMs(trace, chunkResults, by === 'two' ? TWO : alone, by !== 'typescript');
      if (round >= WARM_UP) times[by].push(ms);
    }
  }
  return times;
}

/** Merging and reducing alone: instead of sealed segments there is always the same empty one. */
async function reduceMs(
  { experiment, chunks }: MemoryTrace,
  chunkResults: ResultsOfChunks,
  set: AnalysisSet,
  isCompiled: boolean,
): Promise<number> {
  const seal = ({ index }: SealJob) => Promise.resolve({ ...EMPTY_SEGMENT, index });
  const builders: HistoryBuilder[] = [];
  const reducers = createHostReducers(experiment, experiment.hosts[0], chunks, set, () => {
    const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, seal });
    if (!isCompiled) builder.shared = undefined;
    builders.push(builder);
    return builder;
  });
  let ms = 0;
  for (const chunk of chunks) {
    // Copies: the chunk results themselves are used up.
    const own = (chunkResults.get(chunk.id) ?? []).slice(0, set.histories.length);
    reducers.put(chunk, structuredClone(own), -Infinity);
    const before = threadMs();
    reducers.advance();
    ms += threadMs() - before;
    for (const builder of builders) await builder.ready();
  }
  return ms;
}

export const EMPTY_SEGMENT = new Sealer(() => undefined).seal({
  index: 0,
  from: 0,
  to: 1,
  length: 0,
  attribute: new Int32Array(0),
  end: new Float64Array(0),
  value: new Float64Array(0),
  touched: new Int32Array(0),
  scheme: new Int8Array(0),
  schemes: [],
  patches: [],
  outline: -1,
});

/** What the store holds of the state history, levels of detail, summaries and checksums included. */
export async function bytesBench(folders: readonly string[]): Promise<Record<string, number>> {
  let bytes = 0;
  let intervals = 0;
  let largest = { intervals: 0, bytesEach: 0 };
  for (const folder of folders) {
    const size = await historySize(await openInMemory(folder));
    bytes += size.bytes;
    intervals += size.intervals;
    if (size.intervals > largest.intervals)
      largest = { intervals: size.intervals, bytesEach: size.bytes / size.intervals };
  }
  return {
    'bytes.perInterval': bytes / intervals,
    'bytes.largestPerInterval': largest.bytesEach,
    'bytes.intervals': intervals,
    'bytes.traces': folders.length,
  };
}

async function historySize(
  trace: MemoryTrace,
): Promise<{ readonly bytes: number; readonly intervals: number }> {
  const builder = newBuilder();
  const outcome = await runHere(trace, STATE, mapperOf(trace, STATE), builder);
  const tables = outcome.histories[0].get(kernelState.id) as KernelTables;
  builder.finish(tables.end);
  let bytes = new TextEncoder().encode(builder.tree.toText()).length;
  let intervals = 0;
  for (const { directory, blocks } of builder.segments) {
    bytes += directory.bytes.length + (blocks?.length ?? 0);
    for (const pieces of directory.blockIntervals) intervals += pieces;
    // A row that has one value from begin to end has no piece.
    intervals += directory.attribute.length - directory.summary.length;
  }
  return { bytes, intervals };
}

function newBuilder(): HistoryBuilder {
  return new HistoryBuilder({ schemeOf: kernelSchemeOf });
}

/** From decoded rows to the state history of recorded kernel traces: times of the stages, and bytes an interval. */
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import type { TransitionLeaf } from '../src/engine/analysis/contract.ts';
import { kernelState } from '../src/engine/kernel/kernel-state.ts';
import type { KernelTables } from '../src/engine/kernel/kernel-tables.ts';
import { kernelSchemeOf } from '../src/engine/kernel/schemes.ts';
import { median } from './measure.mjs';
import { mapperOf, openInMemory, runHere, type MemoryTrace } from './memory-trace.ts';

const WARM_UP = 3;
const STATE = [kernelState.id];

/** Decode per event, merge and reduce per transition; one thread, warm. */
export async function stagesBench(folder: string, rounds: number): Promise<Record<string, number>> {
  const trace = await openInMemory(folder);
  const mapper = mapperOf(trace, STATE);
  let transitions = 0;
  const counting: typeof mapper = {
    run: async (job) => {
      const answer = await mapper.run(job);
      if (answer.ok) transitions += (answer.value.leaves[0] as TransitionLeaf).length;
      return answer;
    },
  };
  const outcomes = [];
  for (let round = 0; round < WARM_UP + rounds; round++) {
    transitions = 0;
    // Segments are never sealed, so that the time is of merging and reducing alone.
    const builder = new HistoryBuilder({
      schemeOf: kernelSchemeOf,
      seal: () => new Promise(() => undefined),
    });
    outcomes.push(await runHere(trace, STATE, counting, builder));
  }
  const measured = outcomes.slice(WARM_UP);
  const { events } = measured[0];
  const reduceMs = median(measured.map(({ times }) => times.reduce));
  return {
    'stages.decodeNsPerEvent': (median(measured.map(({ times }) => times.decode)) * 1e6) / events,
    'stages.reduceNsPerEvent': (reduceMs * 1e6) / events,
    'stages.reduceMPerSecond': transitions / 1e3 / reduceMs,
    'stages.transitions': transitions,
  };
}

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
    for (const tiles of directory.blockTiles) intervals += tiles;
    // A row that has one value from begin to end has no tile.
    for (const value of directory.constant) if (value >= 0) intervals++;
  }
  return { bytes, intervals };
}

function newBuilder(): HistoryBuilder {
  return new HistoryBuilder({ schemeOf: kernelSchemeOf });
}

/**
 * Results of aggregates for the whole trace or a range: results of whole chunks are merged as they are, and only chunks
 * that the range cuts are decoded again. Without the files the cut chunks count whole, and the answer is marked as
 * approximate.
 */
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import { analysisById, SESSION_IDS } from '../../registry.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { HostHistory } from '../context/host.ts';
import type { TimeRange } from '../../protocol/range.ts';
import type { StatisticScope } from './statistic.ts';
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import { groupBy } from '../../base/group-by.ts';
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';

/**
 * Result of an aggregate for a host; `window` undefined: the whole trace.
 * @throws the reason of the scope's signal
 */
export async function aggregateOf<Result>(
  id: string,
  { trace, range, signal, onProgress }: StatisticScope,
  { index, clock }: HostHistory,
  window: TimeWindow | undefined = windowOfHost(range, clock),
): Promise<{ readonly result: Result; readonly approximate: boolean }> {
  const chunkResults = await trace.chunkResults(id);
  const analysis = analysisById(id) as AnyAggregate;
  if (window === undefined) {
    return { result: analysis.finish(chunkResults.whole(analysis, index)) as Result, approximate: false };
  }
  const cut = new Map<number, unknown>();
  let approximate = false;
  const chunks = chunkResults.cutChunks(index, window);
  for (const [done, chunk] of chunks.entries()) {
    signal?.throwIfAborted();
    onProgress?.(done / chunks.length);
    const answer = await trace.files?.mapper.run({ chunk, window, analyses: [id] });
    if (answer?.ok === true) cut.set(chunk.id, answer.value.chunkResults[SESSION_IDS.indexOf(id)]);
    else {
      approximate = true;
      cut.set(chunk.id, chunkResults.chunkResultOf(chunk.id, id));
    }
  }
  return { result: analysis.finish(chunkResults.range(analysis, index, window, cut)) as Result, approximate };
}

export function windowOfHost(range: TimeRange | undefined, clock: ClockTransform): TimeWindow | undefined {
  return range && { from: clock.toHost(range.from), to: clock.toHost(range.to) };
}

/** The range in host time, or all time. */
export function timesOfHost(range: TimeRange | undefined, clock: ClockTransform): TimeWindow {
  return windowOfHost(range, clock) ?? { from: -Infinity, to: Infinity };
}

/**
 * Maximum number of lives that are asked for separately, as each decodes some chunks again; with more, the first life
 * of a tid has the sums of all.
 */
const MOST_LIVES = 32;

/**
 * Sums of threads whose tid was used again. Aggregates that count events of a CPU know tids only, so each life is asked
 * for over its own time.
 * @param threadRows requested threads, with duplicates
 * @param sums of all their tids
 * @param ask asks for the sums in a part of the time
 * @returns by row of the thread, for threads with a shared tid and any sums
 */
export async function lifeSums<Sum extends { readonly tid: number }>(
  { threads, end }: StateTables,
  threadRows: Iterable<number>,
  sums: readonly Sum[],
  ask: (life: TimeWindow) => Promise<readonly Sum[]>,
): Promise<ReadonlyMap<number, readonly Sum[]>> {
  const counted = new Set(sums.map(({ tid }) => tid));
  const tidOf = (thread: number) => threads.tid[thread];
  const livesOf = groupBy(new Set(threadRows), tidOf);
  const lives = [...livesOf.values()]
    .filter(([thread]) => counted.has(tidOf(thread)))
    .filter(({ length }) => length > 1)
    .flat();
  const found = new Map<number, readonly Sum[]>();
  if (lives.length > MOST_LIVES) return found;
  for (const thread of lives) {
    const last = threads.last[thread];
    const inLife = await ask({ from: threads.first[thread], to: last < end ? last : Infinity });
    found.set(
      thread,
      inLife.filter(({ tid }) => tid === threads.tid[thread]),
    );
  }
  return found;
}

/**
 * Results of aggregates for the whole trace or a range: leaves of whole chunks are merged as they are, and only the
 * chunks that the range cuts are decoded again. Without the files the cut chunks count whole, and the answer says that
 * it is approximate.
 */
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import { analysisById, SESSION_IDS } from '../../registry.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { HostHistory } from '../context/host.ts';
import type { TimeRange } from '../../protocol/range.ts';
import type { StatisticScope } from './statistic.ts';

export interface RangeResult<Result> {
  readonly result: Result;
  readonly approximate: boolean;
}

/**
 * Result of the aggregate `id` for a host.
 * @param window undefined: everything; default: the scope's range
 * @throws the reason of the scope's signal when it is aborted
 */
export async function aggregateOf<Result>(
  id: string,
  { trace, range, signal, onProgress }: StatisticScope,
  { index, clock }: HostHistory,
  window: TimeWindow | undefined = windowOfHost(range, clock),
): Promise<RangeResult<Result>> {
  const leaves = await trace.leaves(id);
  const analysis = analysisById(id) as AnyAggregate;
  if (window === undefined) {
    return { result: analysis.finish(leaves.whole(analysis, index)) as Result, approximate: false };
  }
  const cut = new Map<number, unknown>();
  let approximate = false;
  const chunks = leaves.cutChunks(index, window);
  for (const [done, chunk] of chunks.entries()) {
    signal?.throwIfAborted();
    onProgress?.(done / chunks.length);
    const answer = await trace.files?.mapper.run({ chunk, window, analyses: [id] });
    if (answer?.ok === true) cut.set(chunk.id, answer.value.leaves[SESSION_IDS.indexOf(id)]);
    else {
      approximate = true;
      cut.set(chunk.id, leaves.leafOf(chunk.id, id));
    }
  }
  return { result: analysis.finish(leaves.range(analysis, index, window, cut)) as Result, approximate };
}

export function windowOfHost(range: TimeRange | undefined, clock: ClockTransform): TimeWindow | undefined {
  return range && { from: clock.toHost(range.from), to: clock.toHost(range.to) };
}

/** The same, or all time. */
export function timesOfHost(range: TimeRange | undefined, clock: ClockTransform): TimeWindow {
  return windowOfHost(range, clock) ?? { from: -Infinity, to: Infinity };
}

/**
 * Results of aggregates for the whole trace or a range: leaves of whole chunks are merged as they are, and only the
 * chunks that the range cuts are decoded again. Without the files the cut chunks count whole, and the answer says that
 * it is approximate.
 */
import type { AggregateLeaves } from '../../analysis/aggregate-leaves.ts';
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import type { ChunkMapper } from '../../analysis/chunk-mapper.ts';
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import { analysisById, SESSION_IDS } from '../../registry.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { RangeRequest } from '../range.ts';

export interface RangeResult<Result> {
  readonly result: Result;
  readonly approximate: boolean;
}

/**
 * @param window TimeNs of the host; undefined: everything
 * @param mapper decodes cut chunks; undefined without the files
 */
export async function aggregateOf<Result>(
  id: string,
  leaves: AggregateLeaves,
  host: number,
  window: TimeWindow | undefined,
  mapper: ChunkMapper | undefined,
): Promise<RangeResult<Result>> {
  const analysis = analysisById(id) as AnyAggregate;
  if (window === undefined) {
    return { result: analysis.finish(leaves.whole(analysis, host)) as Result, approximate: false };
  }
  const cut = new Map<number, unknown>();
  let approximate = false;
  for (const chunk of leaves.cutChunks(host, window)) {
    const answer = await mapper?.run({ chunk, window, analyses: [id] });
    if (answer?.ok === true) cut.set(chunk.id, answer.value.leaves[SESSION_IDS.indexOf(id)]);
    else {
      approximate = true;
      cut.set(chunk.id, leaves.leafOf(chunk.id, id));
    }
  }
  return { result: analysis.finish(leaves.range(analysis, host, window, cut)) as Result, approximate };
}

export function windowOfHost(range: RangeRequest | undefined, clock: ClockTransform): TimeWindow | undefined {
  return range && { from: clock.toHost(range.from), to: clock.toHost(range.to) };
}

/** The same, or all time. */
export function timesOfHost(range: RangeRequest | undefined, clock: ClockTransform): TimeWindow {
  return windowOfHost(range, clock) ?? { from: -Infinity, to: Infinity };
}

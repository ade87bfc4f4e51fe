/** Reading one row of a tile: exact spans, and the buckets of mixed runs with their shares. */
import { firstWhere } from '../../../engine/base/lower-bound.ts';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { Tile } from '../../../engine/history/query-types.ts';

/** Numbers of one bucket's shares: for each group, then the cause of the longest wait. */
export const SHARES = 9;
/** Shares of groups: user, kernel, interrupted, runnable, blocked, unknown, guest, running in a mode that is not known. */
export const SHARE_GROUPS = 8;
export const SHARE_BLOCKED = 4;
export const SHARE_UNKNOWN = 5;
export const SHARE_GUEST = 6;
export const SHARE_RUNNING = 7;
export const SHARE_CAUSE = 8;

/** One row's part of a tile. */
export interface RowSpans {
  readonly tile: Tile<DisplayNs>;
  readonly row: number;
}

/** First span of the row that ends after `time`; the row's end when there is none. Binary search. */
export function spanAfter({ tile, row }: RowSpans, time: DisplayNs): number {
  return firstWhere(tile.rowStart[row], tile.rowStart[row + 1], (index) => tile.end[index] > time);
}

/** Buckets of a mixed run. Its ends may be cut at the tile's borders; the inner borders are the buckets'. */
export interface MixedRun {
  readonly count: number;
  /** Begin of the first bucket, at or before the run's begin. */
  readonly origin: number;
  /** Offset of the first bucket's shares in `tile.shares`. */
  readonly shares: number;
}

/** ns that the ends of a run in the time of a clock that drifts, each rounded, may be off whole buckets, and no less. */
const MOST_ROUNDED = 2;

export function mixedRun(tile: Tile<DisplayNs>, span: number): MixedRun {
  const width = tile.bucketNs;
  const begin = tile.begin[span];
  const end = tile.end[span];
  // What a drifting clock loses of a bucket that is cut is not seen.
  const rounded = Number.isInteger(width) ? 0 : Math.max(MOST_ROUNDED, width / 100);
  const count = Math.max(1, Math.ceil((end - begin - rounded) / width));
  // Only one end of a run can be relied on where the other is cut by the tile's border.
  const origin = begin === tile.from && end < tile.to ? end - count * width : begin;
  return { count, origin, shares: tile.mix[span] * SHARES };
}

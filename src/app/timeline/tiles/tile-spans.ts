/** Reads one row of a tile: exact spans, and the buckets of mixed runs with their shares. */
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

/** Least tolerance, ns, for the length of a run to be whole buckets: with a drifting clock, both ends are rounded. */
const MOST_ROUNDED = 2;

export function mixedRun(tile: Tile<DisplayNs>, span: number): MixedRun {
  const width = tile.bucketNs;
  const begin = tile.begin[span];
  const end = tile.end[span];
  // With a drifting clock, a cut bucket may lose a part that is too small to be seen.
  const rounded = Number.isInteger(width) ? 0 : Math.max(MOST_ROUNDED, width / 100);
  const count = Math.max(1, Math.ceil((end - begin - rounded) / width));
  // If the tile's border cuts one end of a run, only the other end is reliable.
  const origin = begin === tile.from && end < tile.to ? end - count * width : begin;
  return { count, origin, shares: tile.mix[span] * SHARES };
}

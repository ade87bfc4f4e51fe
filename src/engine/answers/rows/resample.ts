/**
 * Resamples buckets of one grid to another: histories have multiples of 4^k ns of host time, the page has its own grid.
 */
import type { DisplayNs } from '../../base/units.ts';

/** Bucket i begins at from + i · bucketNs. */
export interface Grid {
  readonly from: DisplayNs;
  readonly bucketNs: number;
  readonly length: number;
}

/** Index of the bucket that contains a time; -1: none. */
export function bucketAt({ from, bucketNs, length }: Grid, time: DisplayNs): number {
  const bucket = Math.floor((time - from) / bucketNs);
  return bucket >= 0 && bucket < length ? bucket : -1;
}

/** Adds events, evenly distributed between `from` and `to`, to the buckets that these overlap. */
export function addEvenly(
  sums: Float32Array,
  grid: Grid,
  from: DisplayNs,
  to: DisplayNs,
  events: number,
): void {
  const end = Math.max(from + 1, to);
  eachBucket(grid, from, end, (bucket, ns) => (sums[bucket] += (events * ns) / (end - from)));
}

/** Mean of `values` (a rate per ns, NaN unknown) over each bucket of `to`; NaN where all is unknown. */
export function resampleMean(values: ArrayLike<number>, grid: Grid, to: Grid): Float32Array {
  const sums = new Float32Array(to.length);
  const weights = new Float32Array(to.length);
  eachOverlap(grid, to, (from, bucket, ns) => {
    const value = values[from];
    if (Number.isNaN(value)) return;
    sums[bucket] += value * ns;
    weights[bucket] += ns;
  });
  return sums.map((sum, i) => (weights[i] > 0 ? sum / weights[i] : NaN));
}

/** Sum of `values` (amounts) over each bucket of `to`; an amount is divided by overlap. */
export function resampleSum(values: ArrayLike<number>, grid: Grid, to: Grid): Float32Array {
  const sums = new Float32Array(to.length);
  eachOverlap(grid, to, (from, bucket, ns) => {
    sums[bucket] += (values[from] * ns) / grid.bucketNs;
  });
  return sums;
}

function eachOverlap(from: Grid, to: Grid, visit: (from: number, to: number, ns: number) => void): void {
  for (let i = 0; i < from.length; i++) {
    const begin = from.from + i * from.bucketNs;
    eachBucket(to, begin, begin + from.bucketNs, (bucket, ns) => visit(i, bucket, ns));
  }
}

/** Calls `visit` for each bucket that [begin, end) overlaps, with the ns of the overlap. */
function eachBucket(
  grid: Grid,
  begin: DisplayNs,
  end: DisplayNs,
  visit: (bucket: number, ns: number) => void,
): void {
  const first = Math.max(0, Math.floor((begin - grid.from) / grid.bucketNs));
  for (let bucket = first; bucket < grid.length; bucket++) {
    const left = grid.from + bucket * grid.bucketNs;
    if (left >= end) return;
    visit(bucket, Math.min(end, left + grid.bucketNs) - Math.max(begin, left));
  }
}

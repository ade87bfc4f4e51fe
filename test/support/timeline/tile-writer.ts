/** Makes tiles from lists of intervals, by the rules of `Tile`: for tests and the synthetic source. */
import type { DisplayNs } from '../../../src/engine/base/units.ts';
import type { Tile } from '../../../src/engine/history/query-types.ts';
import * as values from '../../../src/engine/linux/events/values.ts';
import type { RowKind } from '../../../src/engine/protocol/rows.ts';
import {
  SHARE_BLOCKED,
  SHARE_CAUSE,
  SHARE_GROUPS,
  SHARES,
} from '../../../src/app/timeline/tiles/tile-spans.ts';

/** Touching or disjoint, in time order. */
export interface PlainInterval {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

export interface TileRow {
  readonly kind: RowKind;
  /** Those that overlap the tile. */
  readonly intervals: readonly PlainInterval[];
}

const THREAD_GROUPS = [5, 0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 3, -1, -1, 6, 7];
const CPU_GROUPS = [5, -1, 0, 1, 2, 2, 2, 7, 0, 6];

/** A bucket that holds a whole interval shorter than itself is mixed, everything else exact. */
export function writeTile(
  rows: readonly TileRow[],
  from: number,
  to: number,
  bucketNs: number,
): Tile<DisplayNs> {
  const rowStart = new Uint32Array(rows.length + 1);
  const spans: { begin: number; end: number; value: number; mix: number }[] = [];
  const mixes: number[][] = [];
  rows.forEach((row, index) => {
    writeRow(row, from, to, bucketNs, spans, mixes);
    rowStart[index + 1] = spans.length;
  });
  return {
    from,
    to,
    bucketNs,
    rowStart,
    begin: Float64Array.from(spans, (s) => s.begin),
    end: Float64Array.from(spans, (s) => s.end),
    value: Float64Array.from(spans, (s) => s.value),
    mix: Int32Array.from(spans, (s) => s.mix),
    shares: Uint8Array.from(mixes.flat()),
  };
}

type Span = { begin: number; end: number; value: number; mix: number };

function writeRow(
  row: TileRow,
  from: number,
  to: number,
  width: number,
  spans: Span[],
  mixes: number[][],
): void {
  const short = row.intervals.filter(
    (i) => i.to - i.from < width && bucketOf(i.from, width) === bucketOf(i.to - 1, width),
  );
  const mixed = new Set(short.map((i) => bucketOf(i.from, width)));
  const sums = new Map<number, Float64Array>();
  const first = spans.length;
  const push = (begin: number, end: number, value: number, mix: number) => {
    const [b, e] = [Math.max(begin, from), Math.min(end, to)];
    if (e > b) spans.push({ begin: b, end: e, value, mix });
  };
  for (const interval of row.intervals) {
    let begin = interval.from;
    // A mixed bucket holds a whole other interval, so it can only be this one's first or last.
    for (const bucket of new Set([bucketOf(interval.from, width), bucketOf(interval.to - 1, width)])) {
      if (!mixed.has(bucket)) continue;
      const cut = Math.max(interval.from, bucket * width);
      push(begin, cut, interval.value, -1);
      begin = Math.min(interval.to, (bucket + 1) * width);
      addTo(sums, bucket, row.kind, interval.value, begin - cut);
    }
    if (interval.to > begin) push(begin, interval.to, interval.value, -1);
  }
  for (const [bucket, sum] of sums) {
    if ((bucket + 1) * width <= from || bucket * width >= to) continue;
    push(bucket * width, (bucket + 1) * width, -1, mixes.length);
    mixes.push(sharesOf(sum, width));
  }
  const own = spans.splice(first).sort((a, b) => a.begin - b.begin);
  for (const span of own) {
    const last = spans.at(-1);
    if (spans.length > first && last && last.value < 0 && span.value < 0 && last.end === span.begin)
      last.end = span.end;
    else spans.push(span);
  }
}

function bucketOf(time: number, width: number): number {
  return Math.floor(time / width);
}

/** ns of the groups, of the longest wait, and its cause. */
function addTo(
  sums: Map<number, Float64Array>,
  bucket: number,
  kind: RowKind,
  value: number,
  length: number,
): void {
  const sum = sums.get(bucket) ?? new Float64Array(SHARE_GROUPS + 2);
  sums.set(bucket, sum);
  const group = (kind === 'cpu' ? CPU_GROUPS : THREAD_GROUPS)[values.stateOf(value)];
  if (group < 0) return;
  sum[group] += length;
  if (group === SHARE_BLOCKED && length > sum[SHARE_GROUPS]) {
    sum[SHARE_GROUPS] = length;
    sum[SHARE_GROUPS + 1] = values.causeOf(value);
  }
}

function sharesOf(sum: Float64Array, width: number): number[] {
  const shares = new Array<number>(SHARES).fill(0);
  for (let group = 0; group < SHARE_GROUPS; group++) {
    shares[group] = sum[group] === 0 ? 0 : Math.max(1, Math.round((sum[group] / width) * 255));
  }
  shares[SHARE_CAUSE] = sum[SHARE_GROUPS + 1];
  return shares;
}

/**
 * Closed intervals as the builder emits them: (attribute, end, value), the begin implied by the end of the attribute's
 * interval before. `sortIntervals` groups them by attribute, in time order: the form from which a segment is written.
 */
import { widened } from '../base/columns.ts';
import type { HostNs } from '../base/units.ts';

/** Value of a range in which an attribute has no value. */
export const GAP = -1;
/** Value of a range of buckets with mixed content (levels of detail and tiles for drawing). */
export const MIXED = -2;
/** The greatest value: doubles distinguish all whole numbers up to it, MIXED and GAP included. */
export const MOST_VALUE = 2 ** 53 - 3;

export class IntervalColumns {
  length = 0;
  /** The attribute, or `~attribute` where the interval continues an interval of the segment before. */
  attribute: Int32Array;
  end: Float64Array;
  value: Float64Array;

  constructor(capacity: number) {
    this.attribute = new Int32Array(capacity);
    this.end = new Float64Array(capacity);
    this.value = new Float64Array(capacity);
  }

  /** Appends the first `count` rows of other columns. */
  append(intervals: Pick<IntervalColumns, 'attribute' | 'end' | 'value'>, count: number): void {
    this.reserve(this.length + count);
    this.attribute.set(intervals.attribute.subarray(0, count), this.length);
    this.end.set(intervals.end.subarray(0, count), this.length);
    this.value.set(intervals.value.subarray(0, count), this.length);
    this.length += count;
  }

  /** Room for so many rows. */
  reserve(needed: number): void {
    if (needed <= this.attribute.length) return;
    const capacity = Math.max(needed, Math.ceil(this.attribute.length * 1.25));
    this.attribute = widened(this.attribute, capacity);
    this.end = widened(this.end, capacity);
    this.value = widened(this.value, capacity);
  }
}

/** The intervals of [from, to) as they were emitted: the first `length` rows of the columns of `IntervalColumns`. */
export interface EmittedIntervals {
  readonly from: HostNs;
  readonly to: HostNs;
  readonly length: number;
  readonly attribute: Int32Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/** Intervals grouped by attribute: those of `attribute[row]` are [start[row], start[row + 1]). */
export interface SortedIntervals {
  readonly from: HostNs;
  readonly to: HostNs;
  /** Ascending; only attributes with an interval that has a value. */
  readonly attribute: Int32Array;
  /** Begin of the row's first interval; its intervals touch from there on, gaps being intervals too. */
  readonly begin: Float64Array;
  /** 1: the first interval continues an interval of the segment before. */
  readonly continued: Uint8Array;
  readonly start: Uint32Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/** Buffers that `sortIntervals` reuses. */
export class SortScratch {
  /** Number of each attribute's intervals, then the place of its next one; all zero between calls. */
  count = new Uint32Array(64);
  /** 1 for attributes whose first interval continues one of the segment before; all zero between calls. */
  continued = new Uint8Array(64);
  /** Begin of each attribute's row. */
  begin = new Float64Array(64);
  /** Sorted columns, if the caller no longer needs them at the next call. */
  end = new Float64Array(0);
  value = new Float64Array(0);

  reserveAttributes(attributes: number): void {
    if (attributes <= this.count.length) return;
    this.count = new Uint32Array(attributes * 2);
    this.continued = new Uint8Array(attributes * 2);
    this.begin = new Float64Array(attributes * 2);
  }

  reserveIntervals(intervals: number): void {
    if (intervals <= this.end.length) return;
    this.end = new Float64Array(intervals);
    this.value = new Float64Array(intervals);
  }

  /** Leaves the sorted columns to the caller: the next call allocates others. */
  leaveColumns(): void {
    this.end = new Float64Array(0);
    this.value = new Float64Array(0);
  }
}

/**
 * Stable counting sort by attribute, over the attributes in `touched` only (any order, each once), so that its cost
 * does not grow with attributes that died long ago. A gap before a row's first interval is left out. The resulting
 * columns belong to the scratch.
 */
export function sortIntervals(
  intervals: EmittedIntervals,
  touched: Int32Array,
  scratch: SortScratch,
): SortedIntervals {
  const { from, to } = intervals;
  const { count } = scratch;
  scratch.reserveIntervals(intervals.length);
  countIntervals(intervals, touched, scratch);
  const order = touched.filter((attribute) => count[attribute] > 0).sort();
  const rows = order.length;
  const start = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) {
    start[row + 1] = start[row] + count[order[row]];
    count[order[row]] = start[row];
  }
  placeIntervals(intervals, scratch);
  const begin = new Float64Array(rows);
  const continued = new Uint8Array(rows);
  for (let row = 0; row < rows; row++) {
    const attribute = order[row];
    begin[row] = scratch.begin[attribute];
    continued[row] = scratch.continued[attribute];
    scratch.continued[attribute] = 0;
    count[attribute] = 0;
  }
  const end = scratch.end.subarray(0, start[rows]);
  const value = scratch.value.subarray(0, start[rows]);
  return { from, to, attribute: order, begin, continued, start, end, value };
}

/** Counts the intervals of each attribute, without a gap at the begin, whose end becomes the row's begin. */
function countIntervals(intervals: EmittedIntervals, touched: Int32Array, scratch: SortScratch): void {
  const { from, attribute, end, value, length } = intervals;
  const { count, continued, begin } = scratch;
  for (let i = 0; i < touched.length; i++) begin[touched[i]] = from;
  for (let i = 0; i < length; i++) {
    const a = attribute[i];
    if (a < 0) {
      continued[~a] = 1;
      count[~a]++;
    } else if (count[a] === 0 && value[i] === GAP) {
      begin[a] = end[i];
    } else {
      count[a]++;
    }
  }
}

/** Puts intervals at the places that `count` gives. */
function placeIntervals(intervals: EmittedIntervals, scratch: SortScratch): void {
  const { attribute, end, value, length } = intervals;
  const { count, begin, end: sortedEnd, value: sortedValue } = scratch;
  for (let i = 0; i < length; i++) {
    const a = attribute[i] < 0 ? ~attribute[i] : attribute[i];
    if (value[i] === GAP && end[i] === begin[a]) continue;
    const at = count[a]++;
    sortedEnd[at] = end[i];
    sortedValue[at] = value[i];
  }
}

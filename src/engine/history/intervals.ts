/**
 * Closed pieces as the builder emits them: (attribute, end, value), the begin implied by the end of the attribute's
 * piece before. `sortPieces` groups them by attribute, in time order: the form from which a segment is written.
 */
import { widened } from '../base/columns.ts';
import type { HostNs } from '../base/units.ts';

/** Value of a stretch in which an attribute has none. */
export const GAP = -1;
/** Value of a stretch of buckets with mixed content (levels of detail and tiles for drawing). */
export const MIXED = -2;
/** The greatest value: what stands for none and mixed must be distinguished from others by whole numbers of a double. */
export const MOST_VALUE = 2 ** 53 - 3;

export class PieceColumns {
  length = 0;
  /** The attribute, or `~attribute` where the piece continues an interval of the segment before. */
  attribute: Int32Array;
  end: Float64Array;
  value: Float64Array;

  constructor(capacity: number) {
    this.attribute = new Int32Array(capacity);
    this.end = new Float64Array(capacity);
    this.value = new Float64Array(capacity);
  }

  /** Appends the first `count` rows of other columns. */
  append(pieces: Pick<PieceColumns, 'attribute' | 'end' | 'value'>, count: number): void {
    this.reserve(this.length + count);
    this.attribute.set(pieces.attribute.subarray(0, count), this.length);
    this.end.set(pieces.end.subarray(0, count), this.length);
    this.value.set(pieces.value.subarray(0, count), this.length);
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

/** The pieces of [from, to) as they were emitted: the first `length` rows of the columns of `PieceColumns`. */
export interface EmittedPieces {
  readonly from: HostNs;
  readonly to: HostNs;
  readonly length: number;
  readonly attribute: Int32Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/** Pieces grouped by attribute: those of `attribute[row]` are [start[row], start[row + 1]). */
export interface SortedPieces {
  readonly from: HostNs;
  readonly to: HostNs;
  /** Ascending; only attributes with a piece that has a value. */
  readonly attribute: Int32Array;
  /** Begin of the row's first piece; its pieces touch from there on, gaps being pieces too. */
  readonly begin: Float64Array;
  /** 1: the first piece continues an interval of the segment before. */
  readonly continued: Uint8Array;
  readonly start: Uint32Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/** Room that `sortPieces` uses again and again. */
export class SortScratch {
  /** Of each attribute, all zero between calls: its pieces, then the place of its next one. */
  count = new Uint32Array(64);
  /** Of each attribute, all zero between calls: 1 where its first piece continues an interval. */
  continued = new Uint8Array(64);
  /** Of each attribute: begin of its row. */
  begin = new Float64Array(64);
  /** Sorted columns, where the caller is done with them before the next call. */
  end = new Float64Array(0);
  value = new Float64Array(0);

  reserveAttributes(attributes: number): void {
    if (attributes <= this.count.length) return;
    this.count = new Uint32Array(attributes * 2);
    this.continued = new Uint8Array(attributes * 2);
    this.begin = new Float64Array(attributes * 2);
  }

  reservePieces(pieces: number): void {
    if (pieces <= this.end.length) return;
    this.end = new Float64Array(pieces);
    this.value = new Float64Array(pieces);
  }

  /** The sorted columns belong to the caller: the next ones are others. */
  leaveColumns(): void {
    this.end = new Float64Array(0);
    this.value = new Float64Array(0);
  }
}

/**
 * Counting sort by attribute, stable, over the attributes in `touched` only (any order, each once), so that its cost
 * does not grow with attributes that are long dead. A gap before the first piece of a row is left out. The columns of
 * the answer are the scratch's own.
 */
export function sortPieces(pieces: EmittedPieces, touched: Int32Array, scratch: SortScratch): SortedPieces {
  const { from, to } = pieces;
  const { count } = scratch;
  scratch.reservePieces(pieces.length);
  countPieces(pieces, touched, scratch);
  const order = touched.filter((attribute) => count[attribute] > 0).sort();
  const rows = order.length;
  const start = new Uint32Array(rows + 1);
  for (let row = 0; row < rows; row++) {
    start[row + 1] = start[row] + count[order[row]];
    count[order[row]] = start[row];
  }
  placePieces(pieces, scratch);
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

/** Counts the pieces of each attribute but for a gap at the begin, whose end becomes the row's begin. */
function countPieces(pieces: EmittedPieces, touched: Int32Array, scratch: SortScratch): void {
  const { from, attribute, end, value, length } = pieces;
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

/** Puts the pieces that were counted where `count` says. */
function placePieces(pieces: EmittedPieces, scratch: SortScratch): void {
  const { attribute, end, value, length } = pieces;
  const { count, begin, end: sortedEnd, value: sortedValue } = scratch;
  for (let i = 0; i < length; i++) {
    const a = attribute[i] < 0 ? ~attribute[i] : attribute[i];
    if (value[i] === GAP && end[i] === begin[a]) continue;
    const at = count[a]++;
    sortedEnd[at] = end[i];
    sortedValue[at] = value[i];
  }
}

/**
 * Closed tiles as the builder emits them: (attribute, end, value), the begin implied by the end of the attribute's
 * tile before. `sortTiles` groups them by attribute, in time order: the form from which a segment is written.
 */
import type { TimeNs } from '../base/units.ts';

/** Value of a stretch in which an attribute has none. */
export const GAP = -1;
/** Value of a stretch of buckets with mixed content (levels of detail and tiles for drawing). */
export const MIXED = -2;

export class TileColumns {
  length = 0;
  /** The attribute, or `~attribute` where the tile continues an interval of the segment before. */
  attribute: Int32Array;
  end: Float64Array;
  value: Float64Array;

  constructor(capacity: number) {
    this.attribute = new Int32Array(capacity);
    this.end = new Float64Array(capacity);
    this.value = new Float64Array(capacity);
  }

  push(attribute: number, end: TimeNs, value: number): void {
    if (this.length === this.attribute.length) this.#grow();
    const at = this.length++;
    this.attribute[at] = attribute;
    this.end[at] = end;
    this.value[at] = value;
  }

  #grow(): void {
    const capacity = Math.max(16, this.attribute.length * 2);
    this.attribute = grown(this.attribute, new Int32Array(capacity));
    this.end = grown(this.end, new Float64Array(capacity));
    this.value = grown(this.value, new Float64Array(capacity));
  }
}

/** `larger` with the content of `old` at its begin. */
export function grown<T extends Int8Array | Int32Array | Uint8Array | Float64Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}

/** The tiles of [from, to) as they were emitted: the first `length` rows of the columns of `TileColumns`. */
export interface EmittedTiles {
  readonly from: TimeNs;
  readonly to: TimeNs;
  readonly length: number;
  readonly attribute: Int32Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/** Tiles grouped by attribute: those of `attribute[row]` are [start[row], start[row + 1]). */
export interface SortedTiles {
  readonly from: TimeNs;
  readonly to: TimeNs;
  /** Ascending; only attributes with a tile that has a value. */
  readonly attribute: Int32Array;
  /** Begin of the row's first tile; its tiles touch from there on, gaps being tiles too. */
  readonly begin: Float64Array;
  /** 1: the first tile continues an interval of the segment before. */
  readonly continued: Uint8Array;
  readonly start: Uint32Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/** Room that `sortTiles` uses again and again. */
export class SortScratch {
  /** One counter per attribute, all zero between calls. */
  count = new Uint32Array(64);
  /** Marks tiles that continue an interval; all zero between calls. */
  marks = new Uint8Array(0);
  /** Sorted columns, where the caller is done with them before the next call. */
  end = new Float64Array(0);
  value = new Float64Array(0);

  reserveAttributes(attributes: number): void {
    if (attributes > this.count.length) this.count = new Uint32Array(attributes * 2);
  }

  reserveTiles(tiles: number): void {
    if (tiles <= this.marks.length) return;
    this.marks = new Uint8Array(tiles);
    this.end = new Float64Array(tiles);
    this.value = new Float64Array(tiles);
  }
}

/**
 * Counting sort by attribute, stable, over the attributes in `touched` only (any order, each once), so that its cost
 * does not grow with attributes that are long dead. A gap before the first tile of a row is left out. The columns of
 * the answer are the scratch's own.
 */
export function sortTiles(tiles: EmittedTiles, touched: Int32Array, scratch: SortScratch): SortedTiles {
  const { from, to, attribute, end, value, length } = tiles;
  scratch.reserveTiles(attribute.length);
  const { count, marks, end: sortedEnd, value: sortedValue } = scratch;
  for (let i = 0; i < length; i++) {
    const a = attribute[i];
    count[a < 0 ? ~a : a]++;
  }
  const order = touched.filter((a) => count[a] > 0).sort();
  // `count` becomes the place where the attribute's next tile goes.
  const start = new Uint32Array(order.length + 1);
  for (let row = 0; row < order.length; row++) {
    start[row + 1] = start[row] + count[order[row]];
    count[order[row]] = start[row];
  }
  for (let i = 0; i < length; i++) {
    const a = attribute[i];
    const at = count[a < 0 ? ~a : a]++;
    sortedEnd[at] = end[i];
    sortedValue[at] = value[i];
    if (a < 0) marks[at] = 1;
  }
  const continued = new Uint8Array(order.length);
  for (let row = 0; row < order.length; row++) {
    continued[row] = marks[start[row]];
    marks[start[row]] = 0;
    count[order[row]] = 0;
  }
  return { from, to, attribute: order, continued, ...trimmed(start, sortedEnd, sortedValue, from) };
}

/** Takes leading gaps out of the rows. */
function trimmed(
  start: Uint32Array,
  end: Float64Array,
  value: Float64Array,
  from: TimeNs,
): Pick<SortedTiles, 'begin' | 'start' | 'end' | 'value'> {
  const rows = start.length - 1;
  const begin = new Float64Array(rows).fill(from);
  const kept = new Uint32Array(rows + 1);
  let to = 0;
  for (let row = 0; row < rows; row++) {
    let i = start[row];
    if (value[i] === GAP) begin[row] = end[i++];
    for (; i < start[row + 1]; i++, to++) {
      end[to] = end[i];
      value[to] = value[i];
    }
    kept[row + 1] = to;
  }
  return { begin, start: kept, end: end.subarray(0, to), value: value.subarray(0, to) };
}

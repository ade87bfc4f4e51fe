/**
 * The intervals of a segment: as they were emitted, and sorted by attribute (`engine/history/intervals.ts` describes what they
 * mean). A counting sort, stable, over the attributes in `touched` only.
 */
import { WHOLE } from '../../engine/history/state-mix';
import { EMPTY, DOUBLE_BYTES, ESCAPE, REST_BYTES, RING, RING_CODE, SMALL_END } from '../../engine/history/interval-codec';
import { GAP } from '../../engine/history/intervals';
import { F64Column, I32Column, I64Column, U8Column } from '../columns';
import { Arena, writeVarint } from './bytes';

/**
 * The lower halves of the values met last, which distinguish them (`Sorted.isNarrow`), and two that are none. One ring
 * is enough: no run begins before the one before is written.
 */
const ring: usize = memory.data(32, 16);

/** Place of the oldest. */
let next: i32 = 0;

/** Begins a run. */
export function beginRun(): void {
  const empty = i32x4.splat(EMPTY);
  v128.store(ring, empty);
  v128.store(ring, empty, 16);
  next = 0;
}

/** Writes an interval of `duration` ns, above 0, at an address, which has `INTERVAL_BYTES`; the address behind it. */
@inline
export function writeInterval(address: usize, duration: u64, value: i64): usize {
  const small = <u32>value + 1;
  const code = select<u32>(small, RING_CODE + placeOf(value), small <= <u32>SMALL_END);
  const at = writeLength(address, duration, code);
  return code === <u32>ESCAPE ? writeValue(at, value) : at;
}

/** Place of a value in the ring, or RING. */
@inline
function placeOf(value: i64): u32 {
  const each = i32x4.splat(<i32>value);
  const equal = i16x8.narrow_i32x4_s(i32x4.eq(each, v128.load(ring)), i32x4.eq(each, v128.load(ring, 16)));
  return ctz(i8x16.bitmask(equal) | (1 << (2 * RING))) >> 1;
}

/** A value that is not in the ring takes the place of the oldest. */
function writeValue(address: usize, value: i64): usize {
  store<i32>(ring + (<usize>next << 2), <i32>value);
  next = next === RING - 1 ? 0 : next + 1;
  return writeVarint(address, value + 2);
}

/** Writes the code and a length, and some bytes more, which do not count; the address behind. */
@inline
function writeLength(at: usize, duration: u64, code: u32): usize {
  const bytes = (<u64>70 - clz<u64>(duration)) >> 3;
  if (bytes <= <u64>REST_BYTES) {
    store<u64>(at, (duration << 7) | (<u64>code << 3) | bytes);
    return at + 1 + <usize>bytes;
  }
  store<u8>(at, <u8>((code << 3) | (<u32>REST_BYTES + 1)));
  store<f64>(at + 1, <f64>duration);
  return at + 1 + DOUBLE_BYTES;
}

/** More by an integer of less than 2^51, these bits are those of a double that is more by it than WHOLE. */
const WHOLE_BITS: i64 = reinterpret<i64>(WHOLE);

/** The greatest value of those whose lower halves, and that of EMPTY, distinguish them. */
const MOST_VALUE: f64 = <f64>(<u32>EMPTY) - 1;

/** Intervals whose ends and values are here at a time: so few that they are still in the cache when they are sorted. */
export const WINDOW: i32 = 4096;

/** Emitted intervals and what else the job says, as the caller writes it. */
export class Emitted {
  length: i32 = 0;
  touchedLength: i32 = 0;
  /** i32 each: `~attribute` where it continues an interval of the segment before. */
  attribute: I32Column = changetype<I32Column>(0);
  /** f64 each, of a window. */
  end: F64Column = changetype<F64Column>(0);
  value: F64Column = changetype<F64Column>(0);
  /** i32 each: attributes that may have intervals, any order, each once. */
  touched: I32Column = changetype<I32Column>(0);
  /** i8 for each of these. */
  scheme: U8Column = changetype<U8Column>(0);
  private arena: Arena = new Arena();

  /** Makes room for intervals and attributes. */
  reserve(length: i32, touchedLength: i32): void {
    this.length = length;
    this.touchedLength = touchedLength;
    this.arena.reserve((WINDOW << 4) + length * 4 + touchedLength * 5);
    this.end = changetype<F64Column>(this.arena.start);
    this.value = changetype<F64Column>(this.end.at(WINDOW));
    this.attribute = changetype<I32Column>(this.value.at(WINDOW));
    this.touched = changetype<I32Column>(this.attribute.at(length));
    this.scheme = changetype<U8Column>(this.touched.at(touchedLength));
  }
}

/** Bytes of a sorted interval: end and value, i64 each. */
export const INTERVAL: usize = 16;

@inline
export function endOf(interval: usize): i64 {
  return load<i64>(interval);
}

@inline
export function valueOf(interval: usize): i64 {
  return load<i64>(interval, 8);
}

/** Touching intervals at [first, stop), the first of which begins at `begin`. */
export class Run {
  begin: i64 = 0;
  first: usize = 0;
  stop: usize = 0;
}

/** Joins neighbours with equal values, in place; mostly there are none. */
export function joinEqual(run: Run): void {
  let equal = i64x2.splat(0);
  for (let interval = run.first + INTERVAL; interval < run.stop; interval += INTERVAL)
    equal = v128.or(equal, i64x2.eq(v128.load(interval), v128.load(interval - INTERVAL)));
  if (i64x2.extract_lane(equal, 1) === 0) return;
  let to = run.first;
  for (let interval = run.first + INTERVAL; interval < run.stop; interval += INTERVAL) {
    if (valueOf(interval) !== valueOf(to)) to += INTERVAL;
    store<i64>(to, endOf(interval));
    store<i64>(to, valueOf(interval), 8);
  }
  run.stop = to + INTERVAL;
}

/** Intervals grouped by attribute: `begin` a part of a segment, `sort` its intervals window by window, `finish`. */
export class Sorted {
  /** Bounds of the segment. */
  from: i64 = 0;
  to: i64 = 0;
  rows: i32 = 0;
  /** Whether the lower halves of values distinguish them. */
  isNarrow: bool = true;
  /**
   * Columns by row: attribute, addresses of its intervals i32; begin of the first one i64; whether that continues an
   * interval u8.
   */
  attribute: I32Column = changetype<I32Column>(0);
  first: I32Column = changetype<I32Column>(0);
  stop: I32Column = changetype<I32Column>(0);
  rowBegin: I64Column = changetype<I64Column>(0);
  continued: U8Column = changetype<U8Column>(0);
  /** i8 by attribute, for those in the job. */
  scheme: U8Column = changetype<U8Column>(0);
  private intervalArena: Arena = new Arena();
  private rowArena: Arena = new Arena();
  private attributeArena: Arena = new Arena();
  /**
   * Columns by attribute, all zero between calls: intervals, then where the next one goes; whether the first one
   * continues.
   */
  private place: I32Column = changetype<I32Column>(0);
  private isContinued: U8Column = changetype<U8Column>(0);

  /** Begins a part: all but ends and values of its intervals is there. */
  begin(intervals: Emitted): void {
    this.isNarrow = true;
    this.reserve(intervals);
    this.countIntervals(intervals);
    this.placeRows(intervals);
  }

  /** Ends the sorting. */
  finish(intervals: Emitted): void {
    this.beginRows();
    for (let i = 0; i < intervals.touchedLength; i++) {
      const attribute = intervals.touched[i];
      this.place[attribute] = 0;
      this.isContinued[attribute] = 0;
    }
  }

  /** The intervals of a row. */
  rowAt(row: i32, out: Run): void {
    out.begin = this.rowBegin[row];
    out.first = this.first[row];
    out.stop = this.stop[row];
  }

  private reserve(intervals: Emitted): void {
    let attributes = 0;
    for (let i = 0; i < intervals.touchedLength; i++) attributes = max(attributes, intervals.touched[i] + 1);
    this.reserveAttributes(attributes);
    for (let i = 0; i < intervals.touchedLength; i++)
      this.scheme[intervals.touched[i]] = intervals.scheme[i];
    this.intervalArena.reserve((intervals.length + 1) * <i32>INTERVAL);
    const rows = intervals.touchedLength;
    this.rowArena.reserve(rows * 21);
    this.rowBegin = changetype<I64Column>(this.rowArena.start);
    this.attribute = changetype<I32Column>(this.rowBegin.at(rows));
    this.first = changetype<I32Column>(this.attribute.at(rows));
    this.stop = changetype<I32Column>(this.first.at(rows));
    this.continued = changetype<U8Column>(this.stop.at(rows));
  }

  private reserveAttributes(attributes: i32): void {
    const known = this.attributeArena.bytes / 6;
    if (attributes <= known) return;
    this.attributeArena.reserve(attributes * 6);
    const length = this.attributeArena.bytes / 6;
    memory.fill(this.attributeArena.start, 0, this.attributeArena.bytes);
    this.place = changetype<I32Column>(this.attributeArena.start);
    this.isContinued = changetype<U8Column>(this.place.at(length));
    this.scheme = changetype<U8Column>(this.isContinued.at(length));
  }

  private countIntervals(intervals: Emitted): void {
    const place = this.place;
    const column = intervals.attribute;
    const length = intervals.length;
    for (let i = 0; i < length; i++) {
      const signed = column[i];
      if (signed < 0) this.isContinued[~signed] = 1;
      const attribute = attributeOf(signed);
      place[attribute] = place[attribute] + 1;
    }
  }

  /** Attributes with intervals in their order, and where the intervals of each go. */
  private placeRows(intervals: Emitted): void {
    let rows = 0;
    for (let i = 0; i < intervals.touchedLength; i++) {
      const attribute = intervals.touched[i];
      if (this.place[attribute] > 0) this.attribute[rows++] = attribute;
    }
    sortInts(this.attribute, rows);
    this.rows = rows;
    let at = this.intervalArena.start;
    for (let row = 0; row < rows; row++) {
      const attribute = this.attribute[row];
      this.first[row] = <i32>at;
      const count = this.place[attribute];
      this.place[attribute] = <i32>at;
      at += <usize>count * INTERVAL;
    }
  }

  /** Sorts the intervals [first, first + length), whose ends and values are in the window. */
  sort(intervals: Emitted, first: i32, length: i32): void {
    const place = this.place;
    const end = intervals.end;
    const value = intervals.value;
    // In its upper half, as in that of an interval, what is said of values.
    let most = f64x2.splat(0);
    for (let i = 0; i < length; i++) {
      const attribute = attributeOf(intervals.attribute[first + i]);
      const at = <usize>place[attribute];
      const both = v128.load64_lane(value.at(i), v128.load64_zero(end.at(i)), 1);
      const interval = i64x2.sub(f64x2.add(both, f64x2.splat(WHOLE)), i64x2.splat(WHOLE_BITS));
      most = f64x2.pmax(both, most);
      v128.store(at, interval);
      place[attribute] = <i32>(at + INTERVAL);
    }
    if (f64x2.extract_lane(most, 1) > MOST_VALUE) this.isNarrow = false;
  }

  /** A gap before the first interval of a row is left out, and a row that has nothing else. */
  private beginRows(): void {
    let rows = 0;
    for (let i = 0; i < this.rows; i++) {
      const attribute = this.attribute[i];
      const stop = this.place[attribute];
      let first = <usize>this.first[i];
      let begin = this.from;
      if (valueOf(first) === GAP) {
        begin = endOf(first);
        first += INTERVAL;
      }
      if (first === <usize>stop) continue;
      this.attribute[rows] = attribute;
      this.first[rows] = <i32>first;
      this.stop[rows] = stop;
      this.rowBegin[rows] = begin;
      this.continued[rows++] = this.isContinued[attribute];
    }
    this.rows = rows;
  }
}

@inline
function attributeOf(signed: i32): i32 {
  return signed ^ (signed >> 31);
}

/** Ascending, in place: a heap sort, which needs no room. */
function sortInts(column: I32Column, length: i32): void {
  for (let root = (length >> 1) - 1; root >= 0; root--) siftDown(column, root, length);
  for (let last = length - 1; last > 0; last--) {
    const greatest = column[0];
    column[0] = column[last];
    column[last] = greatest;
    siftDown(column, 0, last);
  }
}

function siftDown(column: I32Column, root: i32, length: i32): void {
  const value = column[root];
  let at = root;
  for (let child = 2 * at + 1; child < length; child = 2 * at + 1) {
    if (child + 1 < length && column[child + 1] > column[child]) child++;
    if (column[child] <= value) break;
    column[at] = column[child];
    at = child;
  }
  column[at] = value;
}

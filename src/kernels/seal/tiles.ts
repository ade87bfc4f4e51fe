/**
 * The tiles of a segment: as they were emitted, and sorted by attribute (`engine/history/tiles.ts` tells what they
 * mean). A counting sort, stable, over the attributes in `touched` only.
 */
import { i32At, i64At, setI32, setI64, setU8, u8At } from '../columns';
import { WHOLE, WHOLE_BITS } from '../whole';
import { Room } from './memory';

/** Value of a stretch in which an attribute has none. */
export const GAP: i64 = -1;
/** Value of a stretch of buckets with mixed content. */
export const MIXED: i64 = -2;
/** No value, not even that of a gap. */
export const NOTHING: i64 = -3;

/** The greatest value of those whose lower halves, and that of NOTHING, tell them apart. */
const MOST_VALUE: f64 = 0xfffffffc;

/** Tiles whose ends and values are here at a time: so few that they are still in the cache when they are sorted. */
export const WINDOW: i32 = 4096;

/** Emitted tiles and what else the job says, as whoever calls writes it. */
export class Emitted {
  length: i32 = 0;
  touchedLength: i32 = 0;
  /** i32 each: `~attribute` where a tile continues an interval of the segment before. */
  attribute: usize = 0;
  /** f64 each, of a window. */
  end: usize = 0;
  value: usize = 0;
  /** i32 each: attributes that may have tiles, any order, each once. */
  touched: usize = 0;
  /** i8 for each of these. */
  scheme: usize = 0;
  private room: Room = new Room();

  /** Makes room for tiles and attributes. */
  reserve(length: i32, touchedLength: i32): void {
    this.length = length;
    this.touchedLength = touchedLength;
    this.room.reserve((WINDOW << 4) + length * 4 + touchedLength * 5);
    this.end = this.room.start;
    this.value = this.end + (<usize>WINDOW << 3);
    this.attribute = this.value + (<usize>WINDOW << 3);
    this.touched = this.attribute + (<usize>length << 2);
    this.scheme = this.touched + (<usize>touchedLength << 2);
  }
}

/** Bytes of a sorted tile: end and value, i64 each. */
export const TILE: usize = 16;

@inline
export function endOf(tile: usize): i64 {
  return load<i64>(tile);
}

@inline
export function valueOf(tile: usize): i64 {
  return load<i64>(tile, 8);
}

/** Touching tiles at [first, stop), the first of which begins at `begin`. */
export class Run {
  begin: i64 = 0;
  first: usize = 0;
  stop: usize = 0;
}

/** Joins neighbours with equal values, in place; mostly there are none. */
export function joinEqual(run: Run): void {
  let equal = i64x2.splat(0);
  for (let tile = run.first + TILE; tile < run.stop; tile += TILE)
    equal = v128.or(equal, i64x2.eq(v128.load(tile), v128.load(tile - TILE)));
  if (i64x2.extract_lane(equal, 1) === 0) return;
  let to = run.first;
  for (let tile = run.first + TILE; tile < run.stop; tile += TILE) {
    if (valueOf(tile) !== valueOf(to)) to += TILE;
    store<i64>(to, endOf(tile));
    store<i64>(to, valueOf(tile), 8);
  }
  run.stop = to + TILE;
}

/** Tiles grouped by attribute: `begin` a segment, `sort` its tiles window by window, `finish`. */
export class Sorted {
  from: i64 = 0;
  to: i64 = 0;
  rows: i32 = 0;
  /** Whether the lower halves of values tell them apart. */
  isNarrow: bool = true;
  /** By row: attribute, addresses of its tiles i32; begin of the first one i64; whether that continues an interval u8. */
  attribute: usize = 0;
  first: usize = 0;
  stop: usize = 0;
  rowBegin: usize = 0;
  continued: usize = 0;
  /** i8 by attribute, for those in the job. */
  scheme: usize = 0;
  private tileRoom: Room = new Room();
  private rowRoom: Room = new Room();
  private attributeRoom: Room = new Room();
  /** By attribute, all zero between calls: tiles, then where the next one goes; whether the first one continues. */
  private place: usize = 0;
  private isContinued: usize = 0;

  /** Begins the segment [from, to): all but ends and values of its tiles is there. */
  begin(tiles: Emitted, from: i64, to: i64): void {
    this.from = from;
    this.to = to;
    this.isNarrow = true;
    this.reserve(tiles);
    this.countTiles(tiles);
    this.placeRows(tiles);
  }

  /** Ends the sorting. */
  finish(tiles: Emitted): void {
    this.beginRows();
    for (let i = 0; i < tiles.touchedLength; i++) {
      const attribute = i32At(tiles.touched, i);
      setI32(this.place, attribute, 0);
      setU8(this.isContinued, attribute, 0);
    }
  }

  /** The tiles of a row. */
  rowAt(row: i32, out: Run): void {
    out.begin = i64At(this.rowBegin, row);
    out.first = i32At(this.first, row);
    out.stop = i32At(this.stop, row);
  }

  private reserve(tiles: Emitted): void {
    let attributes = 0;
    for (let i = 0; i < tiles.touchedLength; i++) attributes = max(attributes, i32At(tiles.touched, i) + 1);
    this.reserveAttributes(attributes);
    for (let i = 0; i < tiles.touchedLength; i++)
      setU8(this.scheme, i32At(tiles.touched, i), u8At(tiles.scheme, i));
    this.tileRoom.reserve((tiles.length + 1) * <i32>TILE);
    const rows = <usize>tiles.touchedLength;
    this.rowRoom.reserve(<i32>rows * 21);
    this.rowBegin = this.rowRoom.start;
    this.attribute = this.rowBegin + (rows << 3);
    this.first = this.attribute + (rows << 2);
    this.stop = this.first + (rows << 2);
    this.continued = this.stop + (rows << 2);
  }

  private reserveAttributes(attributes: i32): void {
    const known = this.attributeRoom.bytes / 6;
    if (attributes <= known) return;
    this.attributeRoom.reserve(attributes * 6);
    const length = <usize>(this.attributeRoom.bytes / 6);
    memory.fill(this.attributeRoom.start, 0, this.attributeRoom.bytes);
    this.place = this.attributeRoom.start;
    this.isContinued = this.place + (length << 2);
    this.scheme = this.isContinued + length;
  }

  private countTiles(tiles: Emitted): void {
    const place = this.place;
    const column = tiles.attribute;
    const length = tiles.length;
    for (let i = 0; i < length; i++) {
      const signed = i32At(column, i);
      if (signed < 0) setU8(this.isContinued, ~signed, 1);
      const attribute = attributeOf(signed);
      setI32(place, attribute, i32At(place, attribute) + 1);
    }
  }

  /** Attributes with tiles in their order, and where the tiles of each go. */
  private placeRows(tiles: Emitted): void {
    let rows = 0;
    for (let i = 0; i < tiles.touchedLength; i++) {
      const attribute = i32At(tiles.touched, i);
      if (i32At(this.place, attribute) > 0) setI32(this.attribute, rows++, attribute);
    }
    sortInts(this.attribute, rows);
    this.rows = rows;
    let at = this.tileRoom.start;
    for (let row = 0; row < rows; row++) {
      const attribute = i32At(this.attribute, row);
      setI32(this.first, row, <i32>at);
      const count = i32At(this.place, attribute);
      setI32(this.place, attribute, <i32>at);
      at += <usize>count * TILE;
    }
  }

  /** Sorts the tiles [first, first + length), whose ends and values are in the window. */
  sort(tiles: Emitted, first: i32, length: i32): void {
    const place = this.place;
    const column = tiles.attribute + (<usize>first << 2);
    const end = tiles.end;
    const value = tiles.value;
    // In its upper half, as in that of a tile, what is said of values.
    let most = f64x2.splat(0);
    for (let i = 0; i < length; i++) {
      const attribute = attributeOf(i32At(column, i));
      const at = <usize>i32At(place, attribute);
      const both = v128.load64_lane(value + (<usize>i << 3), v128.load64_zero(end + (<usize>i << 3)), 1);
      const tile = i64x2.sub(f64x2.add(both, f64x2.splat(WHOLE)), i64x2.splat(WHOLE_BITS));
      most = f64x2.pmax(both, most);
      v128.store(at, tile);
      setI32(place, attribute, <i32>(at + TILE));
    }
    if (f64x2.extract_lane(most, 1) > MOST_VALUE) this.isNarrow = false;
  }

  /** A gap before the first tile of a row is left out, and a row that has nothing else. */
  private beginRows(): void {
    let rows = 0;
    for (let i = 0; i < this.rows; i++) {
      const attribute = i32At(this.attribute, i);
      const stop = i32At(this.place, attribute);
      let first = <usize>i32At(this.first, i);
      let begin = this.from;
      if (valueOf(first) === GAP) {
        begin = endOf(first);
        first += TILE;
      }
      if (first === <usize>stop) continue;
      setI32(this.attribute, rows, attribute);
      setI32(this.first, rows, <i32>first);
      setI32(this.stop, rows, stop);
      setI64(this.rowBegin, rows, begin);
      setU8(this.continued, rows++, u8At(this.isContinued, attribute));
    }
    this.rows = rows;
  }
}

@inline
function attributeOf(signed: i32): i32 {
  return signed ^ (signed >> 31);
}

/** Ascending, in place: a heap sort, which needs no room. */
function sortInts(column: usize, length: i32): void {
  for (let root = (length >> 1) - 1; root >= 0; root--) siftDown(column, root, length);
  for (let last = length - 1; last > 0; last--) {
    const greatest = i32At(column, 0);
    setI32(column, 0, i32At(column, last));
    setI32(column, last, greatest);
    siftDown(column, 0, last);
  }
}

function siftDown(column: usize, root: i32, length: i32): void {
  const value = i32At(column, root);
  let at = root;
  for (let child = 2 * at + 1; child < length; child = 2 * at + 1) {
    if (child + 1 < length && i32At(column, child + 1) > i32At(column, child)) child++;
    if (i32At(column, child) <= value) break;
    setI32(column, at, i32At(column, child));
    at = child;
  }
  setI32(column, at, value);
}

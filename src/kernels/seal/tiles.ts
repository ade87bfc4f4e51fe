/**
 * The tiles of a segment: as they were emitted, and sorted by attribute (`engine/history/tiles.ts` tells what they
 * mean). A counting sort, stable, over the attributes in `touched` only.
 */
import { f64At, i32At, setF64, setI32, setU8, u8At } from '../columns';
import { Room } from './memory';

/** Value of a stretch in which an attribute has none. */
export const GAP: f64 = -1;
/** Value of a stretch of buckets with mixed content. */
export const MIXED: f64 = -2;

/** Emitted tiles and what else the job says, as whoever calls writes it. */
export class Emitted {
  from: f64 = 0;
  to: f64 = 0;
  length: i32 = 0;
  touchedLength: i32 = 0;
  /** i32 each: `~attribute` where a tile continues an interval of the segment before. */
  attribute: usize = 0;
  /** f64 each. */
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
    this.room.reserve(length * 20 + touchedLength * 5);
    this.end = this.room.start;
    this.value = this.end + (<usize>length << 3);
    this.attribute = this.value + (<usize>length << 3);
    this.touched = this.attribute + (<usize>length << 2);
    this.scheme = this.touched + (<usize>touchedLength << 2);
  }
}

/** Tiles grouped by attribute: those of row `r` are [start(r), start(r + 1)). */
export class Sorted {
  from: f64 = 0;
  to: f64 = 0;
  rows: i32 = 0;
  end: usize = 0;
  value: usize = 0;
  /** By row: attribute and start i32, begin of its first tile f64, whether that continues an interval u8. */
  attribute: usize = 0;
  start: usize = 0;
  begin: usize = 0;
  continued: usize = 0;
  /** i8 by attribute, for those in the job. */
  scheme: usize = 0;
  private tileRoom: Room = new Room();
  private rowRoom: Room = new Room();
  private attributeRoom: Room = new Room();
  /** By attribute, all zero between calls: tiles, then the place of the next one; whether the first one continues. */
  private count: usize = 0;
  private isContinued: usize = 0;
  /** By attribute: begin of its row. */
  private rowBegin: usize = 0;

  sort(tiles: Emitted): void {
    this.from = tiles.from;
    this.to = tiles.to;
    this.reserve(tiles);
    this.countTiles(tiles);
    this.placeRows(tiles);
    this.placeTiles(tiles);
    for (let row = 0; row < this.rows; row++) {
      const attribute = i32At(this.attribute, row);
      setF64(this.begin, row, f64At(this.rowBegin, attribute));
      setU8(this.continued, row, u8At(this.isContinued, attribute));
    }
    for (let i = 0; i < tiles.touchedLength; i++) {
      const attribute = i32At(tiles.touched, i);
      setI32(this.count, attribute, 0);
      setU8(this.isContinued, attribute, 0);
    }
  }

  private reserve(tiles: Emitted): void {
    let attributes = 0;
    for (let i = 0; i < tiles.touchedLength; i++) attributes = max(attributes, i32At(tiles.touched, i) + 1);
    this.reserveAttributes(attributes);
    for (let i = 0; i < tiles.touchedLength; i++) {
      const attribute = i32At(tiles.touched, i);
      setU8(this.scheme, attribute, u8At(tiles.scheme, i));
      setF64(this.rowBegin, attribute, tiles.from);
    }
    this.tileRoom.reserve(tiles.length << 4);
    this.end = this.tileRoom.start;
    this.value = this.end + (<usize>tiles.length << 3);
    const rows = <usize>tiles.touchedLength;
    this.rowRoom.reserve(<i32>(rows * 17 + 4));
    this.begin = this.rowRoom.start;
    this.attribute = this.begin + (rows << 3);
    this.start = this.attribute + (rows << 2);
    this.continued = this.start + (rows << 2) + 4;
  }

  private reserveAttributes(attributes: i32): void {
    const known = this.attributeRoom.bytes / 14;
    if (attributes <= known) return;
    this.attributeRoom.reserve(attributes * 14);
    const length = <usize>(this.attributeRoom.bytes / 14);
    memory.fill(this.attributeRoom.start, 0, this.attributeRoom.bytes);
    this.rowBegin = this.attributeRoom.start;
    this.count = this.rowBegin + (length << 3);
    this.isContinued = this.count + (length << 2);
    this.scheme = this.isContinued + length;
  }

  /** Counts the tiles of each attribute but for a gap at the begin, whose end becomes the row's begin. */
  private countTiles(tiles: Emitted): void {
    for (let i = 0; i < tiles.length; i++) {
      const a = i32At(tiles.attribute, i);
      if (a < 0) {
        setU8(this.isContinued, ~a, 1);
        setI32(this.count, ~a, i32At(this.count, ~a) + 1);
      } else if (i32At(this.count, a) === 0 && f64At(tiles.value, i) === GAP) {
        setF64(this.rowBegin, a, f64At(tiles.end, i));
      } else {
        setI32(this.count, a, i32At(this.count, a) + 1);
      }
    }
  }

  /** Rows in order of attribute, and where the tiles of each begin. */
  private placeRows(tiles: Emitted): void {
    let rows = 0;
    for (let i = 0; i < tiles.touchedLength; i++) {
      const attribute = i32At(tiles.touched, i);
      if (i32At(this.count, attribute) > 0) setI32(this.attribute, rows++, attribute);
    }
    sortInts(this.attribute, rows);
    this.rows = rows;
    let at = 0;
    for (let row = 0; row < rows; row++) {
      const attribute = i32At(this.attribute, row);
      setI32(this.start, row, at);
      at += i32At(this.count, attribute);
      setI32(this.count, attribute, i32At(this.start, row));
    }
    setI32(this.start, rows, at);
  }

  /** Puts the tiles that were counted where `count` says. */
  private placeTiles(tiles: Emitted): void {
    for (let i = 0; i < tiles.length; i++) {
      const signed = i32At(tiles.attribute, i);
      const a = signed < 0 ? ~signed : signed;
      const value = f64At(tiles.value, i);
      const end = f64At(tiles.end, i);
      if (value === GAP && end === f64At(this.rowBegin, a)) continue;
      const at = i32At(this.count, a);
      setI32(this.count, a, at + 1);
      setF64(this.end, at, end);
      setF64(this.value, at, value);
    }
  }
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

/**
 * Seals segments: the same bytes as `Sealer` of `engine/history/seal.ts`, which reads like a description of this.
 * A segment is begun by `open` and ended by `seal`, which leaves three intervals of bytes; between them come its intervals, in
 * one part or several, by attribute, so that a segment of millions needs no more memory than a part. A part is written
 * into memory at the addresses that `reserve` makes known: first all but ends and values of its intervals, then, after
 * `begin`, those window by window, each of which `sort` takes. `finish` ends the sorting, `write` writes its rows.
 */
import { DIRECTORY_FORMAT } from '../../engine/history/directory';
import { NO_LEVEL } from '../../engine/history/levels';
import { NO_STATE } from '../../engine/history/groups';
import { F64Column, I32Column, U8Column } from '../columns';
import { BlockWriter } from './blocks';
import { ByteWriter, Arena, checksum } from './bytes';
import { LevelsWriter, OutlineWriter } from './levels';
import { groupTable, placeGroups } from './schemes';
import { NO_GROUP } from './fold';
import { writeSums } from './summary';
import { Emitted, endOf, Run, Sorted, INTERVAL, valueOf, WINDOW } from './intervals';

const emitted = new Emitted();
const intervals = new Sorted();
const row = new Run();
const blocks = new BlockWriter();
const heads = new ByteWriter();
const outline = new OutlineWriter();
const levels = new LevelsWriter(outline);
const summary = new ByteWriter();
const patches = new Arena();
const directory = new ByteWriter();
const outlineDirectory = new ByteWriter();

/** State of the open segment: rows written, the attribute of the last one, whether it has an outline. */
let rows: i32 = 0;
let attributeBefore: i32 = 0;
let hasOutline: bool = false;

/**
 * Begins the segment [from, to), with room for so many patches.
 * @param outlineLevel -1: it has no outline
 */
export function open(from: f64, to: f64, patchCount: i32, outlineLevel: i32): void {
  patches.reserve(patchCount * 24);
  intervals.from = <i64>from;
  intervals.to = <i64>to;
  rows = 0;
  attributeBefore = 0;
  hasOutline = outlineLevel >= 0;
  blocks.clear();
  heads.length = 0;
  levels.clear(intervals.from, intervals.to);
  outline.clear(hasOutline ? outlineLevel : NO_LEVEL);
}

/** Makes room for a part. The addresses below are good until the next call of anything here. */
export function reserve(length: i32, touched: i32): void {
  emitted.reserve(length, touched);
}

export function attributeColumn(): I32Column {
  return emitted.attribute;
}
/** f64: as many as `window` says, like the next. */
export function endColumn(): F64Column {
  return emitted.end;
}
export function valueColumn(): F64Column {
  return emitted.value;
}
export function touchedColumn(): I32Column {
  return emitted.touched;
}
export function schemeColumn(): U8Column {
  return emitted.scheme;
}
/** f64: attribute, length before the segment's begin, value of each patch. */
export function patchColumn(): usize {
  return patches.start;
}
/** u8 by scheme and state: drawn groups. */
export function groupColumn(): usize {
  return groupTable;
}

export function blocksStart(): usize {
  return blocks.out.start;
}
export function blocksLength(): i32 {
  return blocks.out.length;
}
export function directoryStart(): usize {
  return directory.start;
}
export function directoryLength(): i32 {
  return directory.length;
}
export function outlineStart(): usize {
  return outlineDirectory.start;
}
export function outlineLength(): i32 {
  return outlineDirectory.length;
}

/** Intervals whose ends and values `sort` takes at a time, at most. */
export function windowLength(): i32 {
  return WINDOW;
}

/** Begins a part, of which `reserve` made known how much there is. */
export function begin(): void {
  intervals.begin(emitted);
}

/** Takes the intervals [first, first + length), whose ends and values are in the columns. */
export function sort(first: i32, length: i32): void {
  intervals.sort(emitted, first, length);
}

/** Ends the sorting; whether the part can be written here: values of more than 32 bits are not. */
export function finish(): bool {
  intervals.finish(emitted);
  return intervals.isNarrow;
}

/** Writes the rows of a part, whose attributes are all greater than those of parts before. */
export function write(): void {
  placeGroups(NO_GROUP);
  for (let number = 0; number < intervals.rows; number++, rows++) {
    const attribute = intervals.attribute[number];
    const continued = intervals.continued[number];
    const scheme = <i32>(<i8>intervals.scheme[attribute]);
    const isDrawn = scheme >= 0 && hasOutline;
    intervals.rowAt(number, row);
    heads.varint(attribute - attributeBefore);
    attributeBefore = attribute;
    if (isConstant()) {
      const value = valueOf(row.first);
      heads.varint(2 + continued);
      heads.varint(value);
      if (isDrawn) outline.constant(attribute, continued, value);
      continue;
    }
    blocks.writeRow(row, continued, intervals.from, heads);
    writeSummary(scheme !== NO_STATE);
    if (scheme < 0) continue;
    if (isDrawn) outline.begin(attribute, continued);
    levels.add(row, rows, scheme);
  }
}

/** Seals the segment. */
export function seal(patchCount: i32): void {
  blocks.close();
  writeDirectory(patchCount);
  outlineDirectory.length = 0;
  if (hasOutline) writeOutline(patchCount);
}

/** Whether the row at hand has one value from the segment's begin to its end. */
function isConstant(): bool {
  return row.stop - row.first === INTERVAL && row.begin === intervals.from && endOf(row.first) === intervals.to;
}

/** A summary follows its length, which is known when it is written. */
function writeSummary(isState: bool): void {
  summary.length = 0;
  writeSums(blocks.gaps, intervals.to - endOf(row.stop - INTERVAL), isState, summary);
  heads.varint(summary.length);
  heads.appendWritten(summary);
}

function writeDirectory(patchCount: i32): void {
  const out = directory;
  beginDirectory(out);
  out.varint(blocks.count);
  out.appendWritten(blocks.directory);
  out.varint(rows);
  out.varint(blocks.runs);
  out.appendWritten(heads);
  let written = 0;
  for (let level = 0; level < levels.levels.length; level++) {
    if (levels.levels[level].row.length > 0) written++;
  }
  out.varint(written);
  for (let level = 0; level < levels.levels.length; level++) {
    if (levels.levels[level].row.length > 0) levels.levels[level].writeTo(out);
  }
  endDirectory(out, patchCount);
}

/** The outline's part is a directory without blocks. */
function writeOutline(patchCount: i32): void {
  const out = outlineDirectory;
  beginDirectory(out);
  out.varint(0);
  out.varint(outline.rows);
  out.varint(0);
  out.appendWritten(outline.heads);
  const hasLevel = outline.level.row.length > 0;
  out.varint(hasLevel ? 1 : 0);
  if (hasLevel) outline.level.writeTo(out);
  endDirectory(out, patchCount);
}

function beginDirectory(out: ByteWriter): void {
  out.length = 0;
  out.varint(DIRECTORY_FORMAT);
  out.float64(<f64>intervals.from);
  out.float64(<f64>intervals.to);
}

function endDirectory(out: ByteWriter, patchCount: i32): void {
  out.varint(patchCount);
  for (let i = 0; i < 3 * patchCount; i++) out.varint(<i64>changetype<F64Column>(patches.start)[i]);
  out.uint32(checksum(out.start, out.length));
}

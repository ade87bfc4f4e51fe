/**
 * Seals segments: the same bytes as `Sealer` of `engine/history/seal.ts`, which reads like a description of this.
 * A job is written into memory at the addresses that `reserve` makes known, then `seal` leaves three pieces of bytes.
 */
import { f64At, i32At, u8At } from '../columns';
import { BlockWriter } from './blocks';
import { ByteWriter } from './bytes';
import { checksum } from './checksum';
import { LevelsWriter } from './levels';
import { Room } from './memory';
import { OutlineWriter } from './outline';
import { groupTable } from './schemes';
import { SummaryWriter } from './summary';
import { Emitted, Sorted } from './tiles';

/** Attributes whose values are no states have this scheme; below 0 nothing is drawn. */
const NO_STATE: i32 = -2;

const emitted = new Emitted();
const tiles = new Sorted();
const blocks = new BlockWriter();
const heads = new ByteWriter();
const levels = new LevelsWriter();
const outline = new OutlineWriter();
const summaries = new SummaryWriter();
const summary = new ByteWriter();
const patches = new Room();
const directory = new ByteWriter();
const outlineDirectory = new ByteWriter();

/** Makes room for a job. The addresses below are good until the next call of anything here. */
export function reserve(length: i32, touched: i32, patchCount: i32): void {
  emitted.reserve(length, touched);
  patches.reserve(patchCount * 24);
}

export function attributeColumn(): usize {
  return emitted.attribute;
}
export function endColumn(): usize {
  return emitted.end;
}
export function valueColumn(): usize {
  return emitted.value;
}
export function touchedColumn(): usize {
  return emitted.touched;
}
export function schemeColumn(): usize {
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

/**
 * Seals the segment [from, to), of which `reserve` made known how much there is.
 * @param outlineLevel -1: it has no outline
 */
export function seal(from: f64, to: f64, patchCount: i32, outlineLevel: i32, format: i32): void {
  emitted.from = from;
  emitted.to = to;
  tiles.sort(emitted);
  blocks.clear();
  heads.length = 0;
  levels.clear();
  outline.clear(outlineLevel);
  writeRows(outlineLevel >= 0);
  blocks.close();
  writeDirectory(patchCount, format);
  outlineDirectory.length = 0;
  if (outlineLevel >= 0) writeOutline(patchCount, format);
}

function writeRows(hasOutline: bool): void {
  let last = 0;
  for (let row = 0; row < tiles.rows; row++) {
    const attribute = i32At(tiles.attribute, row);
    const scheme = load<i8>(tiles.scheme + attribute);
    heads.varint(attribute - last);
    last = attribute;
    if (isConstant(row)) {
      const value = f64At(tiles.value, i32At(tiles.start, row));
      const continued = u8At(tiles.continued, row);
      heads.varint(2 + continued);
      heads.varint(value);
      if (scheme >= 0 && hasOutline) outline.constant(attribute, continued, value);
      continue;
    }
    blocks.writeRow(tiles, row, heads);
    writeSummary(row, scheme !== NO_STATE);
    if (scheme < 0) continue;
    levels.add(tiles, row, scheme);
    if (hasOutline) outline.add(tiles, row, scheme);
  }
}

function isConstant(row: i32): bool {
  const first = i32At(tiles.start, row);
  if (i32At(tiles.start, row + 1) !== first + 1) return false;
  return f64At(tiles.begin, row) === tiles.from && f64At(tiles.end, first) === tiles.to;
}

/** A summary follows its length, which is known when it is written. */
function writeSummary(row: i32, isState: bool): void {
  summary.length = 0;
  summaries.write(tiles, row, isState, summary);
  heads.varint(summary.length);
  heads.appendWritten(summary);
}

function writeDirectory(patchCount: i32, format: i32): void {
  const out = directory;
  beginDirectory(out, format);
  out.varint(blocks.count);
  out.appendWritten(blocks.directory);
  out.varint(tiles.rows);
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
function writeOutline(patchCount: i32, format: i32): void {
  const out = outlineDirectory;
  beginDirectory(out, format);
  out.varint(0);
  out.varint(outline.rows);
  out.varint(0);
  out.appendWritten(outline.heads);
  const hasLevel = outline.level.row.length > 0;
  out.varint(hasLevel ? 1 : 0);
  if (hasLevel) outline.level.writeTo(out);
  endDirectory(out, patchCount);
}

function beginDirectory(out: ByteWriter, format: i32): void {
  out.length = 0;
  out.varint(format);
  out.float64(tiles.from);
  out.float64(tiles.to);
}

function endDirectory(out: ByteWriter, patchCount: i32): void {
  out.varint(patchCount);
  for (let i = 0; i < 3 * patchCount; i++) out.varint(f64At(patches.start, i));
  out.uint32(checksum(out.start, out.length));
}

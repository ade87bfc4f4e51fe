/**
 * The directory of a segment: which attributes it holds and where, their summaries and levels of detail, checksums
 * of its blocks, and the patches it brings for earlier segments. It stays in memory as long as the history is open. One that
 * was just sealed (`seal.ts`) is read back from its own bytes, so that fresh and stored histories answer alike.
 *
 * Bytes (varints but for f64 and u32): format; begin f64, end f64; blocks: number, then (intervals, bytes, checksum u32);
 * rows: number, number of runs, then for each attribute - as difference to the one before - its head (runs x 4 +
 * 2 constant + 1 continued) and either the constant value or the runs (begin from the segment's begin, intervals, bytes),
 * the summary's length and the summary; levels: number, then k, rows, for each row its difference to the one before
 * and its bytes, the streams; patches: number, then (attribute, length before the segment's begin, value);
 * checksum u32.
 */
import { lowerBound } from '../base/lower-bound.ts';
import { assert } from '../base/assert.ts';
import { fail, ok, type Result } from '../base/fault.ts';
import type { HostNs } from '../base/units.ts';
import { ByteReader } from './bytes.ts';
import { checksum } from '../base/checksum.ts';
import { UNKNOWN } from './groups.ts';
import { GAP } from './intervals.ts';
import type { AttributeId } from './types.ts';

export const DIRECTORY_FORMAT = 4;

/** True value of an interval that was cut, and was still open when its segment was sealed. */
export interface Patch {
  readonly attribute: AttributeId;
  readonly begin: HostNs;
  readonly value: number;
}

interface Level {
  readonly level: number;
  /** Rows that have it, ascending. */
  readonly row: Uint32Array;
  /** Streams of the rows in `bytes`: [at[i], at[i + 1]). */
  readonly at: Uint32Array;
}

export interface Directory {
  readonly bytes: Uint8Array;
  readonly from: HostNs;
  readonly to: HostNs;
  /** Rows: attributes, ascending. */
  readonly attribute: Int32Array;
  /**
   * Entry of each row, see `isContinued`, `constantOf` and `runRowOf`: a trace of many threads has millions of rows,
   * nearly all of them constant.
   */
  readonly entry: Uint32Array;
  /** Values of constants that do not fit into their entries. */
  readonly wide: number[];
  /** Offset of the summary in `bytes`, by index among the rows with runs. */
  readonly summary: Uint32Array;
  /** Runs of the row at index i there: [runStart[i], runStart[i + 1]), in time order, each within one block. */
  readonly runStart: Uint32Array;
  readonly runBegin: Float64Array;
  readonly runBlock: Uint32Array;
  readonly runOffset: Uint32Array;
  readonly runIntervals: Uint32Array;
  /** Bytes of block i among the segment's: [blockStart[i], blockStart[i + 1]). */
  readonly blockStart: Uint32Array;
  readonly blockIntervals: Uint32Array;
  readonly blockChecksum: Uint32Array;
  readonly levels: readonly Level[];
  readonly patches: readonly Patch[];
  /** Rows whose last interval got its value in a later segment, with that value. */
  readonly settled: Map<number, number>;
}

/** A sealed segment: a time range of all attributes, self-contained. */
export interface Segment {
  /** Index in the history. */
  readonly index: number;
  readonly directory: Directory;
  /** All blocks; undefined when they are only in the store. */
  blocks: Uint8Array | undefined;
}

/**
 * The entry of a row: flags; in lower bits its constant, the constant's index in `wide`, or its index among rows with
 * runs.
 */
const CONTINUED = 2 ** 31;
const CONSTANT = 2 ** 30;
const WIDE = 2 ** 29;
const REST = WIDE - 1;

/** Whether a row's first interval continues an interval of the segment before. */
export function isContinued({ entry }: Directory, row: number): boolean {
  return entry[row] >= CONTINUED;
}

/** Value of a row without runs, which it has throughout the segment; GAP otherwise. */
export function constantOf({ entry, wide }: Directory, row: number): number {
  const known = entry[row];
  if ((known & CONSTANT) === 0) return GAP;
  return known & WIDE ? wide[known & REST] : known & REST;
}

/** Index of a row among those with runs; -1: it is constant. */
export function runRowOf({ entry }: Directory, row: number): number {
  return entry[row] & CONSTANT ? -1 : entry[row] & REST;
}

function constantEntry(value: number, wide: number[]): number {
  return CONSTANT + (value <= REST ? value : WIDE + wide.push(value) - 1);
}

/** Rows after the hint that are tried one by one. */
const NEAR = 8;

/** Row of an attribute, or -1. `hint`: the row after the previous result, if rows are looked up in order. */
export function rowOf(table: { readonly attribute: Int32Array }, attribute: AttributeId, hint = 0): number {
  const rows = table.attribute;
  if (hint === 0 || rows[hint - 1] < attribute) {
    const stop = Math.min(hint + NEAR, rows.length);
    for (let row = hint; row < stop; row++) {
      if (rows[row] >= attribute) return rows[row] === attribute ? row : -1;
    }
  }
  const low = lowerBound(rows, attribute);
  return rows[low] === attribute ? low : -1;
}

/** Applies a patch to an earlier segment's directory that holds a part of the interval. */
function settle(directory: Directory, patch: Patch): void {
  const row = rowOf(directory, patch.attribute);
  if (row < 0) return;
  const { entry, wide, settled } = directory;
  if (runRowOf(directory, row) >= 0) settled.set(row, patch.value);
  else entry[row] = (isContinued(directory, row) ? CONTINUED : 0) + constantEntry(patch.value, wide);
}

/** Applies a patch to those segments before `until` that hold a part of its interval. */
export function patchSegments(segments: readonly Segment[], patch: Patch, until: HostNs): void {
  for (let i = segments.length - 1; i >= 0 && segments[i].directory.to > patch.begin; i--)
    if (segments[i].directory.to <= until) settle(segments[i].directory, patch);
}

/** Replacement for a segment that cannot be read: these attributes, ascending, are unknown throughout. */
export function lostSegment(index: number, from: HostNs, to: HostNs, attribute: Int32Array): Segment {
  const wide: number[] = [];
  const none = new Uint32Array(0);
  const directory: Directory = {
    bytes: new Uint8Array(0),
    from,
    to,
    attribute,
    entry: new Uint32Array(attribute.length).fill(constantEntry(UNKNOWN, wide)),
    wide,
    summary: none,
    runStart: new Uint32Array(1),
    runBegin: new Float64Array(0),
    runBlock: none,
    runOffset: none,
    runIntervals: none,
    blockStart: new Uint32Array(1),
    blockIntervals: none,
    blockChecksum: none,
    levels: [],
    patches: [],
    settled: new Map(),
  };
  return { index, directory, blocks: undefined };
}

/** Reads a stored directory; damaged bytes are a fault with code `store-damaged`. */
export function parseDirectory(bytes: Uint8Array): Result<Directory> {
  const content = bytes.length - 4;
  if (content < 0 || new ByteReader(bytes, content).uint32() !== checksum(bytes, 0, content))
    return fail({ code: 'store-damaged', place: {}, found: 'a directory whose checksum does not match' });
  const format = new ByteReader(bytes).varint();
  if (format !== DIRECTORY_FORMAT)
    return fail({
      code: 'store-damaged',
      place: {},
      expected: `format ${DIRECTORY_FORMAT}`,
      found: `${format}`,
    });
  return ok(readDirectory(bytes));
}

/** Reads a directory that was just made and so cannot be damaged. */
export function readDirectory(bytes: Uint8Array): Directory {
  const reader = new ByteReader(bytes);
  assert(reader.varint() === DIRECTORY_FORMAT, 'a directory has our format');
  const from = reader.float64();
  const to = reader.float64();
  const blocks = parseBlocks(reader);
  const rows = parseRows(reader, from, blocks);
  const levels = parseLevels(reader);
  const patches: Patch[] = [];
  for (let left = reader.varint(); left > 0; left--)
    patches.push({ attribute: reader.varint(), begin: from - reader.varint(), value: reader.varint() });
  return { bytes, from, to, ...blocks, ...rows, levels, patches, settled: new Map() };
}

type Blocks = Pick<Directory, 'blockStart' | 'blockIntervals' | 'blockChecksum'>;

function parseBlocks(reader: ByteReader): Blocks {
  const count = reader.varint();
  const blockStart = new Uint32Array(count + 1);
  const blockIntervals = new Uint32Array(count);
  const blockChecksum = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    blockIntervals[i] = reader.varint();
    blockStart[i + 1] = blockStart[i] + reader.varint();
    blockChecksum[i] = reader.uint32();
  }
  return { blockStart, blockIntervals, blockChecksum };
}

function parseRows(
  reader: ByteReader,
  from: HostNs,
  blocks: Blocks,
): Omit<Directory, keyof Blocks | 'bytes' | 'from' | 'to' | 'levels' | 'patches' | 'settled'> {
  const rows = reader.varint();
  const runs = reader.varint();
  const summary = new Uint32Array(Math.min(rows, runs));
  const runStart = new Uint32Array(summary.length + 1);
  const out = {
    attribute: new Int32Array(rows),
    entry: new Uint32Array(rows),
    wide: [],
    runBegin: new Float64Array(runs),
    runBlock: new Uint32Array(runs),
    runOffset: new Uint32Array(runs),
    runIntervals: new Uint32Array(runs),
  };
  let attribute = 0;
  let place = 0;
  let run = 0;
  let block = 0;
  let offset = 0;
  let first = 0;
  for (let row = 0; row < rows; row++) {
    attribute += reader.varint();
    out.attribute[row] = attribute;
    const head = reader.varint();
    const continued = head & 1 ? CONTINUED : 0;
    if (head & 2) {
      out.entry[row] = continued + constantEntry(reader.varint(), out.wide);
      continue;
    }
    for (const end = run + (head >>> 2); run < end; run++) {
      if (first === blocks.blockIntervals[block]) {
        block++;
        first = 0;
      }
      out.runBegin[run] = from + reader.varint();
      out.runIntervals[run] = reader.varint();
      out.runBlock[run] = block;
      out.runOffset[run] = offset;
      offset += reader.varint();
      first += out.runIntervals[run];
    }
    out.entry[row] = continued + place;
    const summaryBytes = reader.varint();
    summary[place] = reader.at;
    reader.at += summaryBytes;
    runStart[++place] = run;
  }
  return { ...out, summary: summary.slice(0, place), runStart: runStart.slice(0, place + 1) };
}

function parseLevels(reader: ByteReader): Level[] {
  const levels: Level[] = [];
  for (let left = reader.varint(); left > 0; left--) {
    const level = reader.varint();
    const rows = reader.varint();
    const row = new Uint32Array(rows);
    const at = new Uint32Array(rows + 1);
    for (let i = 0, last = 0; i < rows; i++) {
      last += reader.varint();
      row[i] = last;
      at[i + 1] = at[i] + reader.varint();
    }
    for (let i = 0; i <= rows; i++) at[i] += reader.at;
    reader.at = at[rows];
    levels.push({ level, row, at });
  }
  return levels;
}

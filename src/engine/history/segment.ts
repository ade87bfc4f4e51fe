/**
 * A sealed segment: a time range of all attributes, self-contained. Its bytes are written here, from sorted tiles:
 * blocks of at most 64 KiB with the tiles of one attribute after the other, and the directory. A segment that was
 * just sealed is read back from its own bytes, so that fresh and stored histories answer alike.
 */
import { assert } from '../base/assert.ts';
import type { TimeNs } from '../base/units.ts';
import { ByteWriter } from './bytes.ts';
import { checksum } from './checksum.ts';
import { DIRECTORY_FORMAT, parseDirectory, settle, type Directory, type Patch } from './directory.ts';
import { groupTable, STATES } from './groups.ts';
import { LevelsWriter } from './levels.ts';
import { writeSummary } from './summary.ts';
import { TILE_BYTES, TileWriter } from './tile-codec.ts';
import { SortScratch, sortTiles, type SortedTiles } from './tiles.ts';
import type { ValueScheme } from './types.ts';

export const BLOCK_BYTES = 65_536;

export interface Segment {
  /** Place in the history, from 0. */
  readonly index: number;
  readonly directory: Directory;
  /** All blocks; undefined when they are in the store only. */
  blocks: Uint8Array | undefined;
}

/**
 * What is needed to write a segment: plain data, so that a worker can do it. Who passes it on may transfer the
 * columns' buffers.
 */
export interface SealJob {
  readonly index: number;
  readonly from: TimeNs;
  readonly to: TimeNs;
  /** Tiles as the builder emitted them: the first `length` rows of the columns of `TileColumns`. */
  readonly length: number;
  readonly attribute: Int32Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
  /** Attributes that may have tiles, any order, each once. */
  readonly touched: Int32Array;
  /** For each of these: `NO_STATE`, `NO_SCHEME`, or a place in `schemes`. */
  readonly scheme: Int8Array;
  /** Ids of schemes. */
  readonly schemes: readonly string[];
  readonly patches: readonly Patch[];
}

/** The attribute's values are no states. */
export const NO_STATE = -2;
/** They are states, and nothing is drawn of them. */
export const NO_SCHEME = -1;

/** A segment as stored. */
export interface SealedBytes {
  readonly index: number;
  readonly directory: Uint8Array;
  readonly blocks: Uint8Array;
}

/** Writes a segment: a pure function of the job. `schemeOf` gives the scheme with an id. */
export function sealSegment(
  job: SealJob,
  schemeOf: (id: string) => ValueScheme | undefined,
  scratch = new SortScratch(),
): SealedBytes {
  const schemes = job.schemes.map((id) => groupTable(schemeOf(id)));
  const schemeOfAttribute = new Int8Array(
    job.touched.reduce((most, attribute) => Math.max(most, attribute), 0) + 1,
  );
  job.touched.forEach((attribute, i) => (schemeOfAttribute[attribute] = job.scheme[i]));
  scratch.reserveAttributes(schemeOfAttribute.length);
  const tiles = sortTiles(job, job.touched, scratch);
  const blocks = new BlockWriter();
  const rows = new ByteWriter();
  const levels = new LevelsWriter();
  const summary = new ByteWriter();
  const ns = new Float64Array(STATES);
  let last = 0;
  for (let row = 0; row < tiles.attribute.length; row++) {
    const attribute = tiles.attribute[row];
    const scheme = schemeOfAttribute[attribute];
    rows.varint(attribute - last);
    last = attribute;
    if (isConstant(tiles, row)) {
      rows.varint(2 + tiles.continued[row]);
      rows.varint(tiles.value[tiles.start[row]]);
      continue;
    }
    blocks.writeRow(tiles, row, rows);
    summary.length = 0;
    writeSummary(tiles, row, scheme !== NO_STATE, ns, summary);
    rows.varint(summary.length);
    rows.appendWritten(summary);
    if (scheme >= 0) levels.add(tiles, row, schemes[scheme]);
  }
  blocks.close();
  const directory = directoryBytes(tiles, blocks, rows, levels, job.patches);
  return { index: job.index, directory, blocks: blocks.out.finish() };
}

/** A segment from the bytes that were just written. */
export function openSealed({ index, directory, blocks }: SealedBytes): Segment {
  const parsed = parseDirectory(directory);
  assert(parsed.ok, 'a directory can be read back');
  return { index, directory: parsed.value, blocks };
}

/** Applies a patch to those segments before `until` that hold a piece of its interval. */
export function patchSegments(segments: readonly Segment[], patch: Patch, until: TimeNs): void {
  for (let i = segments.length - 1; i >= 0 && segments[i].directory.to > patch.begin; i--)
    if (segments[i].directory.to <= until) settle(segments[i].directory, patch);
}

function isConstant(tiles: SortedTiles, row: number): boolean {
  const first = tiles.start[row];
  return (
    tiles.start[row + 1] === first + 1 && tiles.begin[row] === tiles.from && tiles.end[first] === tiles.to
  );
}

class BlockWriter {
  readonly out = new ByteWriter(BLOCK_BYTES);
  /** Of each closed block: tiles, bytes, checksum. */
  readonly directory = new ByteWriter();
  count = 0;
  runs = 0;
  readonly #tile = new TileWriter(this.out);
  readonly #runs = new ByteWriter(64);
  #start = 0;
  #tiles = 0;

  /** Writes the tiles of a row, as runs, and their description to `rows`. */
  writeRow(tiles: SortedTiles, row: number, rows: ByteWriter): void {
    const end = tiles.start[row + 1];
    const runs = this.#runs;
    runs.length = 0;
    let count = 0;
    let begin = tiles.begin[row];
    for (let i = tiles.start[row]; i < end; count++) {
      const first = i;
      const offset = this.out.length;
      runs.varint(begin - tiles.from);
      this.#tile.begin();
      const full = this.#start + BLOCK_BYTES - TILE_BYTES;
      do {
        this.#tile.write(tiles.end[i] - begin, tiles.value[i]);
        begin = tiles.end[i++];
      } while (i < end && this.out.length <= full);
      runs.varint(i - first);
      runs.varint(this.out.length - offset);
      this.#tiles += i - first;
      if (this.out.length > full) this.close();
    }
    this.runs += count;
    rows.varint(count * 4 + tiles.continued[row]);
    rows.appendWritten(runs);
  }

  /** Closes the block at hand, if there is anything in it. */
  close(): void {
    if (this.#tiles === 0) return;
    this.directory.varint(this.#tiles);
    this.directory.varint(this.out.length - this.#start);
    this.directory.uint32(checksum(this.out.bytes, this.#start, this.out.length));
    this.count++;
    this.#start = this.out.length;
    this.#tiles = 0;
  }
}

function directoryBytes(
  tiles: SortedTiles,
  blocks: BlockWriter,
  rows: ByteWriter,
  levels: LevelsWriter,
  patches: readonly Patch[],
): Uint8Array {
  const out = new ByteWriter(rows.length + 4096);
  out.varint(DIRECTORY_FORMAT);
  out.float64(tiles.from);
  out.float64(tiles.to);
  out.varint(blocks.count);
  out.appendWritten(blocks.directory);
  out.varint(tiles.attribute.length);
  out.varint(blocks.runs);
  out.appendWritten(rows);
  writeLevels(levels, out);
  out.varint(patches.length);
  for (const { attribute, begin, value } of patches) {
    out.varint(attribute);
    out.varint(tiles.from - begin);
    out.varint(value);
  }
  out.uint32(checksum(out.bytes, 0, out.length));
  return out.finish();
}

function writeLevels({ levels }: LevelsWriter, out: ByteWriter): void {
  out.varint(levels.filter((level) => level !== undefined).length);
  levels.forEach((writer, level) => {
    if (writer === undefined) return;
    out.varint(level);
    out.varint(writer.row.length);
    writer.row.forEach((row, i) => {
      out.varint(row - (writer.row[i - 1] ?? 0));
      out.varint(writer.end[i] - (writer.end[i - 1] ?? 0));
    });
    out.appendWritten(writer.streams);
  });
}

/** Seals segments: writes the bytes that are stored, blocks and directory, from tiles as the builder emitted them. */
import type { TimeNs } from '../base/units.ts';
import { BlockWriter } from './block-writer.ts';
import { ByteWriter } from './bytes.ts';
import { checksum } from './checksum.ts';
import { DIRECTORY_FORMAT, type Patch } from './directory.ts';
import { groupTables } from './groups.ts';
import { LevelsWriter } from './levels.ts';
import { SummaryWriter } from './summary.ts';
import { SortScratch, sortTiles, type SortedTiles } from './tiles.ts';
import type { ValueScheme } from './types.ts';

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

/** A segment that was sealed elsewhere, and the ms that it took there. */
export interface TimedBytes extends SealedBytes {
  readonly ms: number;
}

/**
 * Seals one segment after the other in room that it keeps, so that each costs no new memory but its bytes. What it
 * writes is a pure function of the job.
 */
export class Sealer {
  readonly #schemeOf: (id: string) => ValueScheme | undefined;
  readonly #tableOf = groupTables();
  readonly #scratch = new SortScratch();
  readonly #blocks = new BlockWriter();
  readonly #rows = new ByteWriter();
  readonly #levels = new LevelsWriter();
  readonly #summaries = new SummaryWriter();
  readonly #summary = new ByteWriter(64);
  /** By attribute, for those in the job: its scheme. */
  #scheme = new Int8Array(64);

  /** @param schemeOf the scheme with an id */
  constructor(schemeOf: (id: string) => ValueScheme | undefined) {
    this.#schemeOf = schemeOf;
  }

  seal(job: SealJob): SealedBytes {
    this.#takeSchemes(job);
    const tiles = sortTiles(job, job.touched, this.#scratch);
    this.#blocks.clear();
    this.#rows.length = 0;
    this.#levels.clear();
    this.#writeRows(tiles, job.schemes);
    this.#blocks.close();
    const directory = directoryBytes(tiles, this.#blocks, this.#rows, this.#levels, job.patches);
    return { index: job.index, directory, blocks: this.#blocks.out.finish() };
  }

  #takeSchemes({ touched, scheme }: SealJob): void {
    const attributes = touched.reduce((most, attribute) => Math.max(most, attribute), 0) + 1;
    this.#scratch.reserveAttributes(attributes);
    if (attributes > this.#scheme.length) this.#scheme = new Int8Array(attributes * 2);
    for (let i = 0; i < touched.length; i++) this.#scheme[touched[i]] = scheme[i];
  }

  #writeRows(tiles: SortedTiles, schemes: readonly string[]): void {
    const tables = schemes.map((id) => this.#tableOf(this.#schemeOf(id)));
    const rows = this.#rows;
    let last = 0;
    for (let row = 0; row < tiles.attribute.length; row++) {
      const attribute = tiles.attribute[row];
      const scheme = this.#scheme[attribute];
      rows.varint(attribute - last);
      last = attribute;
      if (isConstant(tiles, row)) {
        rows.varint(2 + tiles.continued[row]);
        rows.varint(tiles.value[tiles.start[row]]);
        continue;
      }
      this.#blocks.writeRow(tiles, row, rows);
      this.#writeSummary(tiles, row, scheme !== NO_STATE);
      if (scheme >= 0) this.#levels.add(tiles, row, tables[scheme]);
    }
  }

  /** A summary follows its length, which is known when it is written. */
  #writeSummary(tiles: SortedTiles, row: number, isState: boolean): void {
    const summary = this.#summary;
    summary.length = 0;
    this.#summaries.write(tiles, row, isState, summary);
    this.#rows.varint(summary.length);
    this.#rows.appendWritten(summary);
  }
}

export function sealTimed(sealer: Sealer, job: SealJob): TimedBytes {
  const begin = performance.now();
  const { index, directory, blocks } = sealer.seal(job);
  return { index, directory, blocks, ms: performance.now() - begin };
}

function isConstant(tiles: SortedTiles, row: number): boolean {
  const first = tiles.start[row];
  return (
    tiles.start[row + 1] === first + 1 && tiles.begin[row] === tiles.from && tiles.end[first] === tiles.to
  );
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
  out.varint(levels.filter(({ row }) => row.length > 0).length);
  levels.forEach((writer, level) => {
    if (writer.row.length === 0) return;
    out.varint(level);
    out.varint(writer.row.length);
    writer.row.forEach((row, i) => {
      out.varint(row - (writer.row[i - 1] ?? 0));
      out.varint(writer.end[i] - (writer.end[i - 1] ?? 0));
    });
    out.appendWritten(writer.streams);
  });
}

/** Seals segments: writes the bytes that are stored, blocks and directory, from intervals as the builder emitted them. */
import { ByteWriter } from './bytes.ts';
import { type Patch, DIRECTORY_FORMAT } from './directory.ts';
import { groupsOfScheme, groupTable, isStateScheme, NO_GROUPS } from './groups.ts';
import { LevelsWriter, type LevelWriter, NO_LEVEL, OutlineWriter } from './levels.ts';
import { SummaryWriter } from './summary.ts';
import { type EmittedIntervals, type SortedIntervals, SortScratch, sortIntervals } from './intervals.ts';
import type { ValueScheme } from './types.ts';
import { checksum } from '../base/checksum.ts';
import { INTERVAL_BYTES, IntervalWriter } from './interval-codec.ts';
import type { HostNs } from '../base/units.ts';

/** Bytes of a block, which holds intervals of one attribute after the other. */
export const BLOCK_BYTES = 65_536;

class BlockWriter {
  /** All blocks of the segment. */
  readonly out = new ByteWriter(BLOCK_BYTES);
  /** Directory of closed blocks: intervals, bytes and checksum of each. */
  readonly directory = new ByteWriter();
  count = 0;
  runs = 0;
  readonly #interval = new IntervalWriter(this.out);
  readonly #runs = new ByteWriter(64);
  #start = 0;
  #intervals = 0;

  clear(): void {
    this.out.length = 0;
    this.directory.length = 0;
    this.count = 0;
    this.runs = 0;
    this.#start = 0;
    this.#intervals = 0;
  }

  /** Writes the intervals of a row as runs, and their description to `rows`. */
  writeRow(intervals: SortedIntervals, row: number, rows: ByteWriter): void {
    const stop = intervals.start[row + 1];
    const runs = this.#runs;
    runs.length = 0;
    let count = 0;
    let begin = intervals.begin[row];
    for (let first = intervals.start[row]; first < stop; count++) {
      const offset = this.out.length;
      const full = this.#start + BLOCK_BYTES - INTERVAL_BYTES;
      const next = this.#interval.writeRun(intervals.end, intervals.value, first, stop, begin, full);
      runs.varint(begin - intervals.from);
      runs.varint(next - first);
      runs.varint(this.out.length - offset);
      this.#intervals += next - first;
      if (this.out.length > full) this.close();
      begin = intervals.end[next - 1];
      first = next;
    }
    this.runs += count;
    rows.varint(count * 4 + intervals.continued[row]);
    rows.appendWritten(runs);
  }

  /** Closes the current block if it is not empty. */
  close(): void {
    if (this.#intervals === 0) return;
    this.directory.varint(this.#intervals);
    this.directory.varint(this.out.length - this.#start);
    this.directory.uint32(checksum(this.out.bytes, this.#start, this.out.length));
    this.count++;
    this.#start = this.out.length;
    this.#intervals = 0;
  }
}

/** Job of writing a segment, as plain data for a worker; the buffers of its columns may be transferred. */
export interface SealJob extends EmittedIntervals {
  readonly index: number;
  /** Attributes that may have intervals, any order, each once. */
  readonly touched: Int32Array;
  /** Scheme of each of these: `IDS`, `NO_STATE`, `NO_SCHEME` (`groups.ts`), or a place in `schemes`. */
  readonly scheme: Int8Array;
  readonly schemes: readonly string[];
  readonly patches: readonly Patch[];
  /** Level of the history's outline; -1: it has none. */
  readonly outline: number;
}

/** A segment as stored. */
export interface SealedBytes {
  readonly index: number;
  readonly directory: Uint8Array;
  readonly blocks: Uint8Array;
  /** Part of the history's outline (`outline.ts`), a directory too; empty where there is none. */
  readonly outline: Uint8Array;
}

/** A sealer; its output is a pure function of the job. */
export interface SegmentSealer {
  seal(job: SealJob): SealedBytes;
}

/** A segment that was sealed elsewhere, with the ms it took. */
export interface TimedBytes extends SealedBytes {
  readonly ms: number;
}

/**
 * Seals one segment after the other in buffers that it reuses, so that a segment costs no new memory except its bytes.
 * It defines the format, and `WasmSealer` is compared with it.
 */
export class Sealer implements SegmentSealer {
  readonly #scratch = new SortScratch();
  readonly #blocks = new BlockWriter();
  readonly #rows = new ByteWriter();
  readonly #outline = new OutlineWriter();
  readonly #levels = new LevelsWriter(this.#outline);
  readonly #summaries = new SummaryWriter();
  readonly #summary = new ByteWriter(64);
  /** Scheme by attribute, for attributes of the job. */
  #scheme = new Int8Array(64);

  /** @param schemeOf finds a scheme by id */
  constructor(private readonly schemeOf: (id: string) => ValueScheme | undefined) {}

  seal(job: SealJob): SealedBytes {
    this.#takeSchemes(job);
    const intervals = sortIntervals(job, job.touched, this.#scratch);
    this.#blocks.clear();
    this.#rows.length = 0;
    this.#levels.clear();
    this.#outline.clear(job.outline < 0 ? NO_LEVEL : job.outline);
    this.#writeRows(intervals, job);
    this.#blocks.close();
    return {
      index: job.index,
      directory: this.#directoryBytes(intervals, job.patches),
      blocks: this.#blocks.out.finish(),
      outline: this.#outlineBytes(intervals, job),
    };
  }

  #directoryBytes({ from, to, attribute }: SortedIntervals, patches: readonly Patch[]): Uint8Array {
    return directoryBytes({
      from,
      to,
      rows: attribute.length,
      heads: this.#rows,
      blocks: this.#blocks,
      levels: this.#levels.levels,
      patches,
    });
  }

  #outlineBytes({ from, to }: SortedIntervals, { outline, patches }: SealJob): Uint8Array {
    if (outline < 0) return new Uint8Array(0);
    const { rows, heads, level } = this.#outline;
    return directoryBytes({ from, to, rows, heads, blocks: undefined, levels: [level], patches });
  }

  #takeSchemes({ touched, scheme }: SealJob): void {
    const attributes = touched.reduce((most, attribute) => Math.max(most, attribute), 0) + 1;
    this.#scratch.reserveAttributes(attributes);
    if (attributes > this.#scheme.length) this.#scheme = new Int8Array(attributes * 2);
    for (let i = 0; i < touched.length; i++) this.#scheme[touched[i]] = scheme[i];
  }

  #writeRows(intervals: SortedIntervals, { schemes, outline }: SealJob): void {
    const tables = schemes.map((id) => groupTable(this.schemeOf(id)));
    const rows = this.#rows;
    let last = 0;
    for (let row = 0; row < intervals.attribute.length; row++) {
      const attribute = intervals.attribute[row];
      const scheme = this.#scheme[attribute];
      const groups = groupsOfScheme(scheme, tables);
      rows.varint(attribute - last);
      last = attribute;
      if (isConstant(intervals, row)) {
        const value = intervals.value[intervals.start[row]];
        rows.varint(2 + intervals.continued[row]);
        rows.varint(value);
        if (groups !== NO_GROUPS && outline >= 0)
          this.#outline.constant(attribute, intervals.continued[row], value);
        continue;
      }
      this.#blocks.writeRow(intervals, row, rows);
      this.#writeSummary(intervals, row, isStateScheme(scheme));
      if (groups === NO_GROUPS) continue;
      if (outline >= 0) this.#outline.begin(attribute, intervals.continued[row]);
      this.#levels.add(intervals, row, groups);
    }
  }

  /** A summary follows its length, which is known only after writing. */
  #writeSummary(intervals: SortedIntervals, row: number, isState: boolean): void {
    const summary = this.#summary;
    summary.length = 0;
    this.#summaries.write(intervals, row, isState, summary);
    this.#rows.varint(summary.length);
    this.#rows.appendWritten(summary);
  }
}

export function sealTimed(sealer: SegmentSealer, job: SealJob): TimedBytes {
  const begin = performance.now();
  const { index, directory, blocks, outline } = sealer.seal(job);
  return { index, directory, blocks, outline, ms: performance.now() - begin };
}

function isConstant(intervals: SortedIntervals, row: number): boolean {
  const first = intervals.start[row];
  return (
    intervals.start[row + 1] === first + 1 &&
    intervals.begin[row] === intervals.from &&
    intervals.end[first] === intervals.to
  );
}

/** Parts of a directory that are written row by row. */
interface DirectoryParts {
  readonly from: HostNs;
  readonly to: HostNs;
  readonly rows: number;
  /** Head of each row: its entries before the levels. */
  readonly heads: ByteWriter;
  /** undefined: none. */
  readonly blocks:
    { readonly count: number; readonly runs: number; readonly directory: ByteWriter } | undefined;
  /** Ascending, without empty levels. */
  readonly levels: readonly LevelWriter[];
  readonly patches: readonly Patch[];
}

function directoryBytes({ from, to, rows, heads, blocks, levels, patches }: DirectoryParts): Uint8Array {
  const out = new ByteWriter(heads.length + 4096);
  out.varint(DIRECTORY_FORMAT);
  out.float64(from);
  out.float64(to);
  out.varint(blocks?.count ?? 0);
  if (blocks !== undefined) out.appendWritten(blocks.directory);
  out.varint(rows);
  out.varint(blocks?.runs ?? 0);
  out.appendWritten(heads);
  writeLevels(levels, out);
  out.varint(patches.length);
  for (const { attribute, begin, value } of patches) {
    out.varint(attribute);
    out.varint(from - begin);
    out.varint(value);
  }
  out.uint32(checksum(out.bytes, 0, out.length));
  return out.finish();
}

function writeLevels(levels: readonly LevelWriter[], out: ByteWriter): void {
  const written = levels.filter(({ row }) => row.length > 0);
  out.varint(written.length);
  for (const { level, row, end, streams } of written) {
    out.varint(level);
    out.varint(row.length);
    row.forEach((number, i) => {
      out.varint(number - (row[i - 1] ?? 0));
      out.varint(end[i] - (end[i - 1] ?? 0));
    });
    out.appendWritten(streams);
  }
}

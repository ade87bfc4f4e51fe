/** Seals segments: writes the bytes that are stored, blocks and directory, from intervals as the builder emitted them. */
import { BlockWriter } from './block-writer.ts';
import { ByteWriter } from './bytes.ts';
import { directoryBytes } from './directory-bytes.ts';
import type { Patch } from './directory.ts';
import { groupsOfScheme, groupTables, isStateScheme, NO_GROUPS } from './groups.ts';
import { NO_LEVEL } from './level-writer.ts';
import { LevelsWriter } from './levels.ts';
import { OutlineWriter } from './outline.ts';
import { SummaryWriter } from './summary.ts';
import { type EmittedIntervals, type SortedIntervals, SortScratch, sortIntervals } from './intervals.ts';
import type { ValueScheme } from './types.ts';

/**
 * Job of writing a segment: plain data, so that a worker can do it. Who passes it on may transfer the columns' buffers.
 */
export interface SealJob extends EmittedIntervals {
  readonly index: number;
  /** Attributes that may have intervals, any order, each once. */
  readonly touched: Int32Array;
  /** Scheme of each of these: `IDS`, `NO_STATE`, `NO_SCHEME` (`groups.ts`), or a place in `schemes`. */
  readonly scheme: Int8Array;
  /** Ids of schemes. */
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

/** A sealer: what it writes is a pure function of the job. */
export interface SegmentSealer {
  seal(job: SealJob): SealedBytes;
}

/** A segment that was sealed elsewhere, and the ms that it took there. */
export interface TimedBytes extends SealedBytes {
  readonly ms: number;
}

/**
 * Seals one segment after the other in room that it keeps, so that each costs no new memory but its bytes. It is the
 * definition of the format, and what `WasmSealer` is compared with.
 */
export class Sealer implements SegmentSealer {
  readonly #schemeOf: (id: string) => ValueScheme | undefined;
  readonly #tableOf = groupTables();
  readonly #scratch = new SortScratch();
  readonly #blocks = new BlockWriter();
  readonly #rows = new ByteWriter();
  readonly #outline = new OutlineWriter();
  readonly #levels = new LevelsWriter(this.#outline);
  readonly #summaries = new SummaryWriter();
  readonly #summary = new ByteWriter(64);
  /** Scheme by attribute, for those in the job. */
  #scheme = new Int8Array(64);

  /** @param schemeOf the scheme with an id */
  constructor(schemeOf: (id: string) => ValueScheme | undefined) {
    this.#schemeOf = schemeOf;
  }

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
    const tables = schemes.map((id) => this.#tableOf(this.#schemeOf(id)));
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

  /** A summary follows its length, which is known when it is written. */
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

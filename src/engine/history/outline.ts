/**
 * The outline of a history: every drawn row at one level of detail, about as fine as the pixels of a view of the
 * whole. Segments keep levels only where these are far smaller than the intervals, so that a view of everything would read
 * the blocks of nearly all segments for rows that have a few intervals in each; the outline answers it from one record.
 *
 * A segment's part is a directory without blocks: a row is constant or has a stream of the outline's level.
 */
import type { HostNs } from '../base/units.ts';
import type { SpanList } from './bucket-fold.ts';
import { ByteWriter } from './bytes.ts';
import type { MixForm } from './mix.ts';
import { levelOfWidth, LevelWriter, NO_LEVEL, writeLevelRow } from './level-writer.ts';

/** Buckets over the whole at least: as many as a wide screen has pixels. */
const OUTLINE_BUCKETS = 4096;

/** Level of the outline of a history of `lengthNs`, as far as its packets say; undefined: they do not, there is none. */
export function outlineLevel(lengthNs: number): number | undefined {
  return lengthNs > 0 ? levelOfWidth(lengthNs / OUTLINE_BUCKETS) : undefined;
}

/** Writes the outlines of one segment after the other. */
export class OutlineWriter {
  readonly level = new LevelWriter(NO_LEVEL);
  /** Head of each row, as directories have it before the levels. */
  readonly heads = new ByteWriter();
  rows = 0;
  #attribute = 0;

  /** Begins a segment; `level` may be `NO_LEVEL`. */
  clear(level: number): void {
    this.level.level = level;
    this.level.clear();
    this.heads.length = 0;
    this.rows = 0;
    this.#attribute = 0;
  }

  /** A row that has one value all over the segment. */
  constant(attribute: number, continued: number, value: number): void {
    this.#row(attribute);
    this.heads.varint(2 + continued);
    this.heads.varint(value);
  }

  /** Begins any other row of the segment. */
  begin(attribute: number, continued: number): void {
    this.#row(attribute);
    this.heads.varint(continued);
    // No summary.
    this.heads.varint(0);
  }

  /** Adds a row by its spans, folded at the outline's width over a segment that begins at `from`. */
  add(spans: SpanList, from: HostNs, form: MixForm): void {
    writeLevelRow(this.level, this.rows - 1, spans, from, form);
  }

  #row(attribute: number): void {
    this.heads.varint(attribute - this.#attribute);
    this.#attribute = attribute;
    this.rows++;
  }
}

/**
 * The outline of a history: every drawn row at one level of detail, about as fine as the pixels of a view of the
 * whole. Segments keep levels only where these are far smaller than the tiles, so that a view of everything would read
 * the blocks of nearly all segments for rows that have a few tiles in each; the outline answers it from one record.
 *
 * A segment's part is a directory without blocks: a row is constant or has a stream of the outline's level.
 */
import { BucketFold, SpanList } from './bucket-fold.ts';
import { ByteWriter } from './bytes.ts';
import type { GroupTable } from './groups.ts';
import { LevelWriter, levelOfWidth, widthOfLevel, writeLevelRow } from './levels.ts';
import type { SortedTiles } from './tiles.ts';

/** Buckets over the whole at least: as many as a wide screen has pixels. */
const OUTLINE_BUCKETS = 4096;

/** Level of the outline of a history of `lengthNs`, as far as its packets tell; undefined: they do not, there is none. */
export function outlineLevel(lengthNs: number): number | undefined {
  return lengthNs > 0 ? levelOfWidth(lengthNs / OUTLINE_BUCKETS) : undefined;
}

/** Writes the outlines of one segment after the other. */
export class OutlineWriter {
  readonly level = new LevelWriter(0);
  /** Per row what directories have before the levels. */
  readonly heads = new ByteWriter();
  rows = 0;
  readonly #fold = new BucketFold(true);
  readonly #spans = new SpanList();
  #attribute = 0;

  /** Begins a segment. */
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

  /** Any other row of the segment. */
  add(tiles: SortedTiles, row: number, groups: GroupTable): void {
    const number = this.#row(tiles.attribute[row]);
    this.heads.varint(tiles.continued[row]);
    // No summary.
    this.heads.varint(0);
    const first = tiles.start[row];
    this.#spans.clear();
    this.#fold.begin(widthOfLevel(this.level.level), tiles.from, tiles.to, this.#spans);
    this.#fold.row(groups);
    this.#fold.pieces(tiles.end, tiles.value, first, tiles.start[row + 1], tiles.begin[row]);
    this.#fold.finish();
    writeLevelRow(this.level, number, this.#spans, tiles.from);
  }

  #row(attribute: number): number {
    this.heads.varint(attribute - this.#attribute);
    this.#attribute = attribute;
    return this.rows++;
  }
}

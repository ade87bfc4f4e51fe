/** Writes the outlines of segments (`engine/history/outline.ts`): every drawn row at one level. */
import { i32At, u8At } from '../columns';
import { ByteWriter } from './bytes';
import { BucketFold } from './fold';
import { LevelWriter, widthOfLevel } from './levels';
import { SpanList } from './spans';
import { Sorted } from './tiles';

export class OutlineWriter {
  level: LevelWriter = new LevelWriter(0);
  /** Per row what directories have before the levels. */
  heads: ByteWriter = new ByteWriter();
  rows: i32 = 0;
  private fold: BucketFold = new BucketFold();
  private spans: SpanList = new SpanList();
  private attribute: i32 = 0;

  /** Begins a segment. */
  clear(level: i32): void {
    this.level.level = level;
    this.level.clear();
    this.heads.length = 0;
    this.rows = 0;
    this.attribute = 0;
  }

  /** A row that has one value all over the segment. */
  constant(attribute: i32, continued: i32, value: f64): void {
    this.addRow(attribute);
    this.heads.varint(2 + continued);
    this.heads.varint(value);
  }

  /** Any other row of the segment. */
  add(tiles: Sorted, row: i32, scheme: i32): void {
    const number = this.addRow(i32At(tiles.attribute, row));
    this.heads.varint(u8At(tiles.continued, row));
    // No summary.
    this.heads.varint(0);
    this.fold.begin(widthOfLevel(this.level.level), tiles.from, tiles.to, scheme, this.spans);
    this.fold.row(tiles, row);
    this.level.add(number, this.spans, tiles.from);
  }

  private addRow(attribute: i32): i32 {
    this.heads.varint(attribute - this.attribute);
    this.attribute = attribute;
    return this.rows++;
  }
}

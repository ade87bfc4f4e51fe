/** Writes the outlines of segments (`engine/history/outline.ts`): every drawn row at one level. */
import { NO_LEVEL } from '../../engine/history/level-writer';
import { ByteWriter } from './bytes';
import { LevelWriter } from './level-writer';
import { Spans } from './spans';

export class OutlineWriter {
  level: LevelWriter = new LevelWriter(NO_LEVEL);
  /** Per row what directories have before the levels. */
  heads: ByteWriter = new ByteWriter();
  rows: i32 = 0;
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
  constant(attribute: i32, continued: i32, value: i64): void {
    this.addRow(attribute);
    this.heads.varint(2 + continued);
    this.heads.varint(value);
  }

  /** Begins any other row of the segment. */
  begin(attribute: i32, continued: i32): void {
    this.addRow(attribute);
    this.heads.varint(continued);
    // No summary.
    this.heads.varint(0);
  }

  /** Its spans, folded at the outline's width over a segment that begins at `from`. */
  add(spans: Spans, from: i64): void {
    this.level.add(this.rows - 1, spans, from);
  }

  private addRow(attribute: i32): void {
    this.heads.varint(attribute - this.attribute);
    this.attribute = attribute;
    this.rows++;
  }
}

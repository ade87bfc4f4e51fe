/** Writes the blocks of segments: at most 64 KiB each (`engine/history/block-writer.ts`). */
import { f64At, i32At, u8At } from '../columns';
import { ByteWriter } from './bytes';
import { checksum } from './checksum';
import { TILE_BYTES, TileWriter } from './tile-writer';
import { Sorted } from './tiles';

const BLOCK_BYTES: i32 = 65536;

export class BlockWriter {
  /** All blocks of the segment. */
  out: ByteWriter = new ByteWriter();
  /** Of each closed block: tiles, bytes, checksum. */
  directory: ByteWriter = new ByteWriter();
  count: i32 = 0;
  runs: i32 = 0;
  private tile: TileWriter = new TileWriter(this.out);
  private runHeads: ByteWriter = new ByteWriter();
  private start: i32 = 0;
  private tiles: i32 = 0;

  /** Begins a segment. */
  clear(): void {
    this.out.length = 0;
    this.directory.length = 0;
    this.count = 0;
    this.runs = 0;
    this.start = 0;
    this.tiles = 0;
  }

  /** Writes the tiles of a row, as runs, and their description to `heads`. */
  writeRow(tiles: Sorted, row: i32, heads: ByteWriter): void {
    const stop = i32At(tiles.start, row + 1);
    const runs = this.runHeads;
    runs.length = 0;
    let count = 0;
    let begin = f64At(tiles.begin, row);
    for (let first = i32At(tiles.start, row); first < stop; count++) {
      const offset = this.out.length;
      const full = this.start + BLOCK_BYTES - TILE_BYTES;
      const next = this.tile.writeRun(tiles.end, tiles.value, first, stop, begin, full);
      runs.varint(begin - tiles.from);
      runs.varint(next - first);
      runs.varint(this.out.length - offset);
      this.tiles += next - first;
      if (this.out.length > full) this.close();
      begin = f64At(tiles.end, next - 1);
      first = next;
    }
    this.runs += count;
    heads.varint(count * 4 + u8At(tiles.continued, row));
    heads.appendWritten(runs);
  }

  /** Closes the block at hand, if there is anything in it. */
  close(): void {
    if (this.tiles === 0) return;
    const bytes = this.out.length - this.start;
    this.directory.varint(this.tiles);
    this.directory.varint(bytes);
    this.directory.uint32(checksum(this.out.start + this.start, bytes));
    this.count++;
    this.start = this.out.length;
    this.tiles = 0;
  }
}

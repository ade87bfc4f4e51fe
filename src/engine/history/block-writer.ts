/** Writes the blocks of segments: at most 64 KiB each, with the tiles of one attribute after the other. */
import { ByteWriter } from './bytes.ts';
import { checksum } from '../base/checksum.ts';
import { TILE_BYTES, TileWriter } from './tile-codec.ts';
import type { SortedTiles } from './tiles.ts';

export const BLOCK_BYTES = 65_536;

export class BlockWriter {
  /** All blocks of the segment. */
  readonly out = new ByteWriter(BLOCK_BYTES);
  /** Of each closed block: tiles, bytes, checksum. */
  readonly directory = new ByteWriter();
  count = 0;
  runs = 0;
  readonly #tile = new TileWriter(this.out);
  readonly #runs = new ByteWriter(64);
  #start = 0;
  #tiles = 0;

  /** Begins a segment. */
  clear(): void {
    this.out.length = 0;
    this.directory.length = 0;
    this.count = 0;
    this.runs = 0;
    this.#start = 0;
    this.#tiles = 0;
  }

  /** Writes the tiles of a row, as runs, and their description to `rows`. */
  writeRow(tiles: SortedTiles, row: number, rows: ByteWriter): void {
    const stop = tiles.start[row + 1];
    const runs = this.#runs;
    runs.length = 0;
    let count = 0;
    let begin = tiles.begin[row];
    for (let first = tiles.start[row]; first < stop; count++) {
      const offset = this.out.length;
      const full = this.#start + BLOCK_BYTES - TILE_BYTES;
      const next = this.#tile.writeRun(tiles.end, tiles.value, first, stop, begin, full);
      runs.varint(begin - tiles.from);
      runs.varint(next - first);
      runs.varint(this.out.length - offset);
      this.#tiles += next - first;
      if (this.out.length > full) this.close();
      begin = tiles.end[next - 1];
      first = next;
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

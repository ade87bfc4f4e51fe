/** Writes the blocks of segments: at most 64 KiB each, with the pieces of one attribute after the other. */
import { ByteWriter } from './bytes.ts';
import { checksum } from '../base/checksum.ts';
import { PIECE_BYTES, PieceWriter } from './interval-codec.ts';
import type { SortedPieces } from './intervals.ts';

export const BLOCK_BYTES = 65_536;

export class BlockWriter {
  /** All blocks of the segment. */
  readonly out = new ByteWriter(BLOCK_BYTES);
  /** Of each closed block: pieces, bytes, checksum. */
  readonly directory = new ByteWriter();
  count = 0;
  runs = 0;
  readonly #piece = new PieceWriter(this.out);
  readonly #runs = new ByteWriter(64);
  #start = 0;
  #pieces = 0;

  /** Begins a segment. */
  clear(): void {
    this.out.length = 0;
    this.directory.length = 0;
    this.count = 0;
    this.runs = 0;
    this.#start = 0;
    this.#pieces = 0;
  }

  /** Writes the pieces of a row, as runs, and their description to `rows`. */
  writeRow(pieces: SortedPieces, row: number, rows: ByteWriter): void {
    const stop = pieces.start[row + 1];
    const runs = this.#runs;
    runs.length = 0;
    let count = 0;
    let begin = pieces.begin[row];
    for (let first = pieces.start[row]; first < stop; count++) {
      const offset = this.out.length;
      const full = this.#start + BLOCK_BYTES - PIECE_BYTES;
      const next = this.#piece.writeRun(pieces.end, pieces.value, first, stop, begin, full);
      runs.varint(begin - pieces.from);
      runs.varint(next - first);
      runs.varint(this.out.length - offset);
      this.#pieces += next - first;
      if (this.out.length > full) this.close();
      begin = pieces.end[next - 1];
      first = next;
    }
    this.runs += count;
    rows.varint(count * 4 + pieces.continued[row]);
    rows.appendWritten(runs);
  }

  /** Closes the block at hand, if there is anything in it. */
  close(): void {
    if (this.#pieces === 0) return;
    this.directory.varint(this.#pieces);
    this.directory.varint(this.out.length - this.#start);
    this.directory.uint32(checksum(this.out.bytes, this.#start, this.out.length));
    this.count++;
    this.#start = this.out.length;
    this.#pieces = 0;
  }
}

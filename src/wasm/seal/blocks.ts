/** Writes the blocks of segments: at most 64 KiB each (`engine/history/block-writer.ts`). */
import { BLOCK_BYTES } from '../../engine/history/block-writer';
import { PIECE_BYTES } from '../../engine/history/interval-codec';
import { ByteWriter } from './bytes';
import { checksum } from './checksum';
import { addToSums, beginSums } from './summary';
import { beginRun, writePiece } from './piece-writer';
import { endOf, Run, PIECE, valueOf } from './pieces';

export class BlockWriter {
  /** All blocks of the segment. */
  out: ByteWriter = new ByteWriter();
  /** Of each closed block: pieces, bytes, checksum. */
  directory: ByteWriter = new ByteWriter();
  count: i32 = 0;
  runs: i32 = 0;
  /** Of the row written last. */
  gaps: i64 = 0;
  private runHeads: ByteWriter = new ByteWriter();
  private start: i32 = 0;
  private pieces: i32 = 0;

  /** Begins a segment. */
  clear(): void {
    this.out.length = 0;
    this.directory.length = 0;
    this.count = 0;
    this.runs = 0;
    this.start = 0;
    this.pieces = 0;
  }

  /** Writes the pieces of a row of a segment that begins at `from`, as runs, and their description to `heads`. */
  writeRow(row: Run, continued: i32, from: i64, heads: ByteWriter): void {
    const runs = this.runHeads;
    runs.length = 0;
    let count = 0;
    this.gaps = 0;
    beginSums();
    let begin = row.begin;
    for (let first = row.first; first < row.stop; count++) {
      const offset = this.out.length;
      const full = this.start + BLOCK_BYTES - PIECE_BYTES;
      const next = this.writeRun(first, row.stop, begin, full);
      const pieces = <i32>((next - first) / PIECE);
      runs.varint(begin - from);
      runs.varint(pieces);
      runs.varint(this.out.length - offset);
      this.pieces += pieces;
      if (this.out.length > full) this.close();
      begin = endOf(next - PIECE);
      first = next;
    }
    this.runs += count;
    heads.varint(count * 4 + continued);
    heads.appendWritten(runs);
  }

  /**
   * Writes touching pieces [first, stop) as a run that begins at `begin`, or those of them up to the one that takes the
   * bytes beyond `full`; the address behind the last one written.
   */
  private writeRun(first: usize, stop: usize, begin: i64, full: i32): usize {
    const out = this.out;
    out.reserve(full + PIECE_BYTES - out.length);
    beginRun();
    const last = out.start + full;
    let to = out.end;
    let from = begin;
    let piece = first;
    let gaps: i64 = 0;
    while (piece < stop && to <= last) {
      // So many surely have room.
      const until = min(stop, piece + PIECE * (1 + (last - to) / <usize>PIECE_BYTES));
      for (; piece < until; piece += PIECE) {
        const end = endOf(piece);
        const value = valueOf(piece);
        to = writePiece(to, end - from, value);
        gaps += addToSums(end - from, value);
        from = end;
      }
    }
    out.end = to;
    this.gaps += gaps;
    return piece;
  }

  /** Closes the block at hand, if there is anything in it. */
  close(): void {
    if (this.pieces === 0) return;
    const bytes = this.out.length - this.start;
    this.directory.varint(this.pieces);
    this.directory.varint(bytes);
    this.directory.uint32(checksum(this.out.start + this.start, bytes));
    this.count++;
    this.start = this.out.length;
    this.pieces = 0;
  }
}

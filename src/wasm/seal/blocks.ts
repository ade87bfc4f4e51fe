/** Writes the blocks of segments: at most 64 KiB each (`engine/history/seal.ts`). */
import { BLOCK_BYTES } from '../../engine/history/seal';
import { INTERVAL_BYTES } from '../../engine/history/interval-codec';
import { ByteWriter, checksum } from './bytes';
import { addToSums, beginSums } from './summary';
import { beginRun, writeInterval, endOf, Run, INTERVAL, valueOf } from './intervals';

export class BlockWriter {
  /** All blocks of the segment. */
  out: ByteWriter = new ByteWriter();
  /** Directory of the closed blocks: intervals, bytes, checksum of each. */
  directory: ByteWriter = new ByteWriter();
  count: i32 = 0;
  runs: i32 = 0;
  /** Number of gaps in the row written last. */
  gaps: i64 = 0;
  private runHeads: ByteWriter = new ByteWriter();
  private start: i32 = 0;
  private intervals: i32 = 0;

  /** Begins a segment. */
  clear(): void {
    this.out.length = 0;
    this.directory.length = 0;
    this.count = 0;
    this.runs = 0;
    this.start = 0;
    this.intervals = 0;
  }

  /** Writes the intervals of a row of a segment that begins at `from`, as runs, and their description to `heads`. */
  writeRow(row: Run, continued: i32, from: i64, heads: ByteWriter): void {
    const runs = this.runHeads;
    runs.length = 0;
    let count = 0;
    this.gaps = 0;
    beginSums();
    let begin = row.begin;
    for (let first = row.first; first < row.stop; count++) {
      const offset = this.out.length;
      const full = this.start + BLOCK_BYTES - INTERVAL_BYTES;
      const next = this.writeRun(first, row.stop, begin, full);
      const intervals = <i32>((next - first) / INTERVAL);
      runs.varint(begin - from);
      runs.varint(intervals);
      runs.varint(this.out.length - offset);
      this.intervals += intervals;
      if (this.out.length > full) this.close();
      begin = endOf(next - INTERVAL);
      first = next;
    }
    this.runs += count;
    heads.varint(count * 4 + continued);
    heads.appendWritten(runs);
  }

  /**
   * Writes touching intervals [first, stop) as a run that begins at `begin`, or those of them up to the one that takes the
   * bytes beyond `full`; the address behind the last one written.
   */
  private writeRun(first: usize, stop: usize, begin: i64, full: i32): usize {
    const out = this.out;
    out.reserve(full + INTERVAL_BYTES - out.length);
    beginRun();
    const last = out.start + full;
    let to = out.end;
    let from = begin;
    let interval = first;
    let gaps: i64 = 0;
    while (interval < stop && to <= last) {
      // So many surely have room.
      const until = min(stop, interval + INTERVAL * (1 + (last - to) / <usize>INTERVAL_BYTES));
      for (; interval < until; interval += INTERVAL) {
        const end = endOf(interval);
        const value = valueOf(interval);
        to = writeInterval(to, end - from, value);
        gaps += addToSums(end - from, value);
        from = end;
      }
    }
    out.end = to;
    this.gaps += gaps;
    return interval;
  }

  /** Closes the block at hand, if there is anything in it. */
  close(): void {
    if (this.intervals === 0) return;
    const bytes = this.out.length - this.start;
    this.directory.varint(this.intervals);
    this.directory.varint(bytes);
    this.directory.uint32(checksum(this.out.start + this.start, bytes));
    this.count++;
    this.start = this.out.length;
    this.intervals = 0;
  }
}

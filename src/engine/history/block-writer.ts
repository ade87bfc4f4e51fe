/** Writes the blocks of segments: at most 64 KiB each, with the intervals of one attribute after the other. */
import { ByteWriter } from './bytes.ts';
import { checksum } from '../base/checksum.ts';
import { INTERVAL_BYTES, IntervalWriter } from './interval-codec.ts';
import type { SortedIntervals } from './intervals.ts';

export const BLOCK_BYTES = 65_536;

export class BlockWriter {
  /** All blocks of the segment. */
  readonly out = new ByteWriter(BLOCK_BYTES);
  /** Directory of closed blocks: intervals, bytes and checksum of each. */
  readonly directory = new ByteWriter();
  count = 0;
  runs = 0;
  readonly #interval = new IntervalWriter(this.out);
  readonly #runs = new ByteWriter(64);
  #start = 0;
  #intervals = 0;

  /** Begins a segment. */
  clear(): void {
    this.out.length = 0;
    this.directory.length = 0;
    this.count = 0;
    this.runs = 0;
    this.#start = 0;
    this.#intervals = 0;
  }

  /** Writes the intervals of a row, as runs, and their description to `rows`. */
  writeRow(intervals: SortedIntervals, row: number, rows: ByteWriter): void {
    const stop = intervals.start[row + 1];
    const runs = this.#runs;
    runs.length = 0;
    let count = 0;
    let begin = intervals.begin[row];
    for (let first = intervals.start[row]; first < stop; count++) {
      const offset = this.out.length;
      const full = this.#start + BLOCK_BYTES - INTERVAL_BYTES;
      const next = this.#interval.writeRun(intervals.end, intervals.value, first, stop, begin, full);
      runs.varint(begin - intervals.from);
      runs.varint(next - first);
      runs.varint(this.out.length - offset);
      this.#intervals += next - first;
      if (this.out.length > full) this.close();
      begin = intervals.end[next - 1];
      first = next;
    }
    this.runs += count;
    rows.varint(count * 4 + intervals.continued[row]);
    rows.appendWritten(runs);
  }

  /** Closes the block at hand, if there is anything in it. */
  close(): void {
    if (this.#intervals === 0) return;
    this.directory.varint(this.#intervals);
    this.directory.varint(this.out.length - this.#start);
    this.directory.uint32(checksum(this.out.bytes, this.#start, this.out.length));
    this.count++;
    this.#start = this.out.length;
    this.#intervals = 0;
  }
}

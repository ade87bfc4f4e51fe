/**
 * Summaries: time per state of one row of a segment, as bytes. A varint holds the number of gaps times 2, plus 1
 * where the row is without a value for some of the time from its begin to the segment's end, which then follows (ns).
 * Then, for rows of states, a varint with a bit for each state present and the ns of each but the last: that
 * is the rest.
 */
import type { HostNs } from '../base/units.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { GAP, type SortedIntervals } from './intervals.ts';
import { STATES } from './types.ts';

/** Writes summaries of rows, one after the other. */
export class SummaryWriter {
  readonly #ns = new Float64Array(STATES);
  #gaps = 0;
  #gapNs = 0;

  /** Appends the summary of one row. */
  write(intervals: SortedIntervals, row: number, isState: boolean, out: ByteWriter): void {
    const first = intervals.start[row];
    const stop = intervals.start[row + 1];
    this.#add(intervals, first, stop, intervals.begin[row]);
    const outside = this.#gapNs + (intervals.to - intervals.end[stop - 1]);
    out.varint(this.#gaps * 2 + (outside > 0 ? 1 : 0));
    if (outside > 0) out.varint(outside);
    if (isState) writeStates(this.#ns, out);
  }

  /** Adds up the intervals [first, stop), the first of which begins at `begin`. */
  #add(intervals: SortedIntervals, first: number, stop: number, begin: HostNs): void {
    const { end, value } = intervals;
    const ns = this.#ns;
    let gaps = 0;
    let gapNs = 0;
    for (let state = 0; state < STATES; state++) ns[state] = 0;
    for (let i = first, from = begin; i < stop; from = end[i++]) {
      if (value[i] === GAP) {
        gaps++;
        gapNs += end[i] - from;
      } else {
        ns[value[i] & (STATES - 1)] += end[i] - from;
      }
    }
    this.#gaps = gaps;
    this.#gapNs = gapNs;
  }
}

function writeStates(ns: Float64Array, out: ByteWriter): void {
  let present = 0;
  let last = 0;
  for (let state = 0; state < STATES; state++) {
    if (ns[state] === 0) continue;
    present |= 1 << state;
    last = state;
  }
  out.varint(present);
  for (let state = 0; state < last; state++) if (ns[state] > 0) out.varint(ns[state]);
}

/**
 * Adds the summary of a row of states at the reader's place to `ns[at …]`.
 * @param life ns from the row's begin to the segment's end
 */
export function addSummary(reader: ByteReader, life: HostNs, ns: Float64Array, at: number): void {
  const head = reader.varint();
  let rest = life - (head & 1 ? reader.varint() : 0);
  let present = reader.varint();
  while (present !== 0) {
    const state = 31 - Math.clz32(present & -present);
    present &= present - 1;
    const time = present === 0 ? rest : reader.varint();
    rest -= time;
    ns[at + state] += time;
  }
}

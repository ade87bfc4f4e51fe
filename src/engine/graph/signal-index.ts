/** The rows of `SignalRows` by thread and end of the blocking. */
import { firstWhere } from '../base/lower-bound.ts';
import type { SignalRows } from '../linux/reduce/signal-rows.ts';

export class SignalIndex {
  readonly #rows: SignalRows;
  /** Rows of thread t: #order[#start[t] … #start[t + 1]), by end. */
  readonly #start: Int32Array;
  readonly #order: Int32Array;

  /** @param threads number of threads */
  constructor(rows: SignalRows, threads: number) {
    this.#rows = rows;
    this.#start = new Int32Array(threads + 1);
    this.#order = new Int32Array(rows.length);
    const { thread, length } = rows;
    for (let i = 0; i < length; i++) this.#start[thread[i] + 1]++;
    for (let t = 0; t < threads; t++) this.#start[t + 1] += this.#start[t];
    const next = this.#start.slice();
    // Rows are in order of time: so are those of each thread.
    for (let i = 0; i < length; i++) this.#order[next[thread[i]]++] = i;
  }

  /** Row of the signal that ended the blocking of `thread` at `end` (HostNs), -1: the history gives all of it. */
  find(thread: number, end: number): number {
    const stop = this.#start[thread + 1];
    const low = firstWhere(this.#start[thread], stop, (index) => !(this.#rows.end[this.#order[index]] < end));
    return low < stop && this.#rows.end[this.#order[low]] === end ? this.#order[low] : -1;
  }
}

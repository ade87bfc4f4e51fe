/** The rows of `SignalRows` by thread and end of the blocking. */
import { firstWhere } from '../base/lower-bound.ts';
import { type RowGroups, rowsBy } from '../base/rows-by.ts';
import type { SignalRows } from '../linux/states/reduce/signal-rows.ts';

export class SignalIndex {
  readonly #rows: SignalRows;
  /** Signals by thread. Rows are in order of time: so are those of each thread. */
  readonly #groups: RowGroups;

  /** @param threads number of threads */
  constructor(rows: SignalRows, threads: number) {
    this.#rows = rows;
    this.#groups = rowsBy(rows.thread, threads, rows.length);
  }

  /** Row of the signal that ended the blocking of `thread` at `end` (HostNs), -1: the history gives all of it. */
  find(thread: number, end: number): number {
    const { start, order } = this.#groups;
    const stop = start[thread + 1];
    const low = firstWhere(start[thread], stop, (index) => !(this.#rows.end[order[index]] < end));
    return low < stop && this.#rows.end[order[low]] === end ? order[low] : -1;
  }
}

/** Times of threads of which the model wants to know what the kernel shows: waits, calls, holds. */
import { trimmed, widen } from '../../../base/columns.ts';
import { type RowGroups, rowsBy } from '../../../base/rows-by.ts';
import { stableOrder } from '../../../base/stable-order.ts';

export interface TimesByThread {
  readonly groups: RowGroups;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

export class ThreadTimes {
  length = 0;
  readonly #rows = { thread: new Int32Array(0), from: new Float64Array(0), to: new Float64Array(0) };

  add(thread: number, from: number, to: number): void {
    if (this.length === this.#rows.thread.length) widen(this.#rows);
    this.#rows.thread[this.length] = thread;
    this.#rows.from[this.length] = from;
    this.#rows.to[this.length++] = to;
  }

  /** Groups the times by thread; those of one in order of begin. */
  byThread(threads: number): TimesByThread {
    const rows = trimmed(this.#rows, this.length);
    const order = stableOrder(rows.from);
    const thread = Int32Array.from(order, (row) => rows.thread[row]);
    const groups = rowsBy(thread, threads);
    const place = groups.order;
    const from = Float64Array.from(place, (at) => rows.from[order[at]]);
    const to = Float64Array.from(place, (at) => rows.to[order[at]]);
    return { groups, from, to };
  }
}

/** Times of threads at which the model asks what the kernel shows (waits, calls, holds), and states meanwhile. */
import { trimmed, widen } from '../../../base/columns.ts';
import { type RowGroups, rowsBy } from '../../../base/rows-by.ts';
import { stableOrder } from '../../../base/stable-order.ts';
import type { IntervalPart } from '../../../history/query-types.ts';
import * as v from '../../../linux/events/values.ts';

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

/** Pieces of the states of threads that overlap some times of theirs. What segments have cut is joined. */
export class IntervalRows {
  readonly #threads: readonly number[];
  readonly #isKept: (state: number) => boolean;
  readonly #groups: RowGroups;
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  /** First of its times that may not have ended by place of the thread; its interval that may go on, -1 none. */
  readonly #next: Int32Array;
  readonly #last: Int32Array;
  length = 0;
  readonly rows = {
    thread: new Int32Array(0),
    begin: new Float64Array(0),
    end: new Float64Array(0),
    value: new Float64Array(0),
  };

  /** @param isKept which states are wanted */
  constructor(
    threads: readonly number[],
    { groups, from, to }: TimesByThread,
    isKept: (state: number) => boolean,
  ) {
    this.#isKept = isKept;
    this.#threads = threads;
    this.#groups = groups;
    this.#from = from;
    this.#to = to;
    this.#next = Int32Array.from(threads, (thread) => groups.start[thread]);
    this.#last = new Int32Array(threads.length).fill(-1);
  }

  /** Takes a piece of the thread at a place of the list. */
  take(place: number, { begin, end, value }: IntervalPart): void {
    if (!this.#isKept(v.stateOf(value)) || !this.#overlaps(place, begin, end)) return;
    const rows = this.rows;
    const last = this.#last[place];
    if (last >= 0 && rows.end[last] === begin && rows.value[last] === value) {
      rows.end[last] = end;
      return;
    }
    if (this.length === rows.thread.length) widen(rows);
    const row = this.length++;
    rows.thread[row] = this.#threads[place];
    rows.begin[row] = begin;
    rows.end[row] = end;
    rows.value[row] = value;
    this.#last[place] = row;
  }

  /** Times come in order of their begins, so that of nested ones the outer one is passed late. */
  #overlaps(place: number, begin: number, end: number): boolean {
    const stop = this.#groups.start[this.#threads[place] + 1];
    let next = this.#next[place];
    while (next < stop && this.#to[next] < begin) next++;
    this.#next[place] = next;
    for (let i = next; i < stop && this.#from[i] <= end; i++) if (this.#to[i] >= begin) return true;
    return false;
  }
}

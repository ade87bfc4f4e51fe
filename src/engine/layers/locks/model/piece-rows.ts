/** Pieces of the states of threads that overlap some times of theirs. What segments have cut is joined. */
import { widen } from '../../../base/columns.ts';
import type { RowGroups } from '../../../base/rows-by.ts';
import type { Piece } from '../../../history/query-types.ts';
import * as v from '../../../linux/events/values.ts';
import type { TimesByThread } from './thread-times.ts';

export class PieceRows {
  readonly #threads: readonly number[];
  readonly #isKept: (state: number) => boolean;
  readonly #groups: RowGroups;
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  /** First of its times that may not have ended by place of the thread; its stretch that may go on, -1 none. */
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
  take(place: number, { begin, end, value }: Piece): void {
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

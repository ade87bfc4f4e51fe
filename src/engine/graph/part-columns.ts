/** Parts of segments while they are added up: equal parts of one segment are one. */
import { trimmed, widen } from '../base/columns.ts';
import { f64, i32, noRows, type ReadRows } from '../base/tables.ts';

const PARTS = {
  /** A stored value of a thread's state, or one of `path-codes.ts`. */
  value: i32(),
  /** The system call that it was in or waited in, as an index of the strings of its worker's host; -1: none. */
  call: i32(),
  /** Number of the blocker that took the time; -1: the worker itself. */
  blocker: i32(),
  ns: f64(),
};

export interface Parts extends ReadRows<typeof PARTS> {
  /** Parts of segment i are rows [start[i], start[i + 1]). */
  readonly start: Int32Array;
}

export class PartColumns {
  #length = 0;
  #segments = 0;
  readonly #start = { start: new Int32Array(0) };
  readonly #columns = noRows(PARTS);

  /** Begins the parts of the next segment. */
  begin(): void {
    this.#mark();
    this.#segments++;
  }

  /** Nothing is added for a part without length. */
  add(value: number, call: number, blocker: number, ns: number): void {
    if (!(ns > 0)) return;
    const c = this.#columns;
    for (let i = this.#start.start[this.#segments - 1]; i < this.#length; i++) {
      if (c.value[i] === value && c.call[i] === call && c.blocker[i] === blocker) {
        c.ns[i] += ns;
        return;
      }
    }
    if (this.#length === c.value.length) widen(c);
    const at = this.#length++;
    c.value[at] = value;
    c.call[at] = call;
    c.blocker[at] = blocker;
    c.ns[at] = ns;
  }

  finish(): Parts {
    this.#mark();
    const { start } = trimmed(this.#start, this.#segments + 1);
    return { length: this.#length, start, ...trimmed(this.#columns, this.#length) };
  }

  #mark(): void {
    if (this.#segments === this.#start.start.length) widen(this.#start);
    this.#start.start[this.#segments] = this.#length;
  }
}

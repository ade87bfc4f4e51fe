/** Cells of the blocking matrices of all locks: who made whom wait, how long. */
import { type Growing, trimmed, widen } from '../../../base/columns.ts';
import type { BlockingCells } from './lock-model.ts';
import { ThreadSet } from './thread-set.ts';

export class CellTable {
  #length = 0;
  readonly #rows: Growing<BlockingCells> = {
    lock: new Int32Array(0),
    waiter: new Int32Array(0),
    holder: new Int32Array(0),
    ns: new Float64Array(0),
    waits: new Int32Array(0),
  };
  /** Holders, plus 1, of the waiter whose waits are added: ns, waits, and the last of these. */
  readonly #holders: ThreadSet;
  readonly #ns: Float64Array;
  readonly #waits: Int32Array;
  readonly #last: Int32Array;

  constructor(threads: number) {
    this.#holders = new ThreadSet(threads + 1);
    this.#ns = new Float64Array(threads + 1);
    this.#waits = new Int32Array(threads + 1);
    this.#last = new Int32Array(threads + 1).fill(-1);
  }

  /** A part of a wait of the waiter at hand was for a holder, -1 nobody known. */
  add(wait: number, holder: number, ns: number): void {
    const at = holder + 1;
    if (!this.#holders.has(at)) {
      this.#holders.add(at);
      this.#ns[at] = this.#waits[at] = 0;
    }
    this.#ns[at] += ns;
    if (this.#last[at] !== wait) this.#waits[at]++;
    this.#last[at] = wait;
  }

  /** All waits of a thread for a lock were added. */
  finish(lock: number, waiter: number): void {
    while (this.#holders.length > 0) {
      const at = this.#holders.at(0);
      this.#holders.delete(at);
      const rows = this.#rows;
      if (this.#length === rows.lock.length) widen(rows);
      const row = this.#length++;
      rows.lock[row] = lock;
      rows.waiter[row] = waiter;
      rows.holder[row] = at - 1;
      rows.ns[row] = this.#ns[at];
      rows.waits[row] = this.#waits[at];
    }
  }

  all(): BlockingCells {
    return { length: this.#length, ...trimmed(this.#rows, this.#length) };
  }
}

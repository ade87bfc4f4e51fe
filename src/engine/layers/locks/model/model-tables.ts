/** Tables of the model under construction: waits, counts of each lock, and who made whom wait. */
import { GrowingTable, ordered } from '../../../base/columns.ts';
import { type Table, tableOf } from '../../../base/tables.ts';
import * as lockModel from './lock-model.ts';
import { ThreadSet } from './thread-set.ts';

/** Waits: a row for each request, in the order of processing, lock by lock. */
export class WaitTable extends GrowingTable<Table<typeof lockModel.LOCK_WAITS>> {
  constructor() {
    super(tableOf(lockModel.LOCK_WAITS, 0));
  }

  /** Adds a request of a thread. Until its end is known the wait is unfinished and has no length. */
  add(lock: number, thread: number, request: number, mode: number, way: number): number {
    const { rows } = this;
    const row = this.addRow();
    rows.lock[row] = lock;
    rows.thread[row] = thread;
    rows.request[row] = rows.end[row] = request;
    rows.to[row] = rows.back[row] = NaN;
    rows.outcome[row] = lockModel.UNFINISHED;
    rows.mode[row] = mode;
    rows.way[row] = way;
    rows.by[row] = -1;
    rows.link[row] = NaN;
    return row;
  }

  /** Adds a request of a kind without modes. */
  addPlain(lock: number, thread: number, request: number, way: number): number {
    return this.add(lock, thread, request, lockModel.NO_MODE, way);
  }

  finish(row: number, end: number, outcome: number): void {
    this.rows.end[row] = end;
    this.rows.outcome[row] = outcome;
  }

  /** Whether it took time, and was no attempt. */
  isWait(row: number): boolean {
    return this.rows.way[row] !== lockModel.BY_TRY && this.rows.end[row] > this.rows.request[row];
  }

  flag(row: number, flag: number): void {
    this.rows.flags[row] |= flag;
  }

  isContended(row: number): boolean {
    return (this.rows.flags[row] & lockModel.CONTENDED) !== 0;
  }

  /** Copies the rows in the given order. */
  inOrder(order: Uint32Array): lockModel.LockWaits {
    return { length: this.length, ...ordered(this.rows, order) };
  }
}

/** Counts of each lock besides its waits, by row of the lock. */
export type LockCounts = Readonly<Record<lockModel.LockCount, Int32Array>>;

export function noCounts(locks: number): LockCounts {
  const columns = lockModel.LOCK_COUNTS.map((name) => [name, new Int32Array(locks)]);
  return Object.fromEntries(columns) as LockCounts;
}

/** Cells kept in full at most and, beyond, for each waiter of a lock: only a trace made for it has more. */
const MOST_CELLS = 250_000;
const LEAST_HOLDERS = 8;

/** Cells of the blocking matrices of all locks: who made whom wait, how long. */
export class CellTable {
  /** Number of waiters for a lock for which only the longest-blocking holders have a cell of their own. */
  shortened = 0;
  readonly #table = new GrowingTable(tableOf(lockModel.BLOCKING_CELLS, 0));
  /** Holders, plus 1, of the present waiter: ns, waits, and the last wait. */
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

  /** Adds a part of a wait of the present waiter for a holder, -1 nobody known. */
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

  /** Finishes the waits of a thread for a lock. */
  finish(lock: number, waiter: number): void {
    if (this.#table.length + this.#holders.length > MOST_CELLS) this.#shorten();
    while (this.#holders.length > 0) {
      const at = this.#holders.at(0);
      this.#holders.delete(at);
      const { rows } = this.#table;
      const row = this.#table.addRow();
      rows.lock[row] = lock;
      rows.waiter[row] = waiter;
      rows.holder[row] = at - 1;
      rows.ns[row] = this.#ns[at];
      rows.waits[row] = this.#waits[at];
    }
  }

  /** Keeps the holders with the longest times; the others become one unknown holder with at least as many waits. */
  #shorten(): void {
    if (this.#holders.length <= LEAST_HOLDERS) return;
    this.shortened++;
    const isLonger = (a: number, b: number) =>
      this.#ns[a] > this.#ns[b] || (this.#ns[a] === this.#ns[b] && a < b);
    const longest: number[] = [];
    const rest = { ns: 0, waits: 0 };
    const take = (at: number) => {
      rest.ns += this.#ns[at];
      rest.waits = Math.max(rest.waits, this.#waits[at]);
    };
    while (this.#holders.length > 0) {
      const at = this.#holders.at(0);
      this.#holders.delete(at);
      const place = at === 0 ? -1 : longest.findIndex((other) => isLonger(at, other));
      if (at !== 0 && (place >= 0 || longest.length < LEAST_HOLDERS))
        longest.splice(place >= 0 ? place : longest.length, 0, at);
      else take(at);
      if (longest.length > LEAST_HOLDERS) take(longest.pop() ?? 0);
    }
    [this.#ns[0], this.#waits[0]] = [rest.ns, rest.waits];
    for (const at of [...longest, 0]) this.#holders.add(at);
  }

  all(): lockModel.BlockingCells {
    return this.#table.toTable();
  }
}

/** Waits while the model is made: a row for each request, in the order in which they are met, lock by lock. */
import { type Growing, ordered, widen } from '../../../base/columns.ts';
import { BY_TRY, CONTENDED, type LockWaits, NO_MODE, UNFINISHED } from './lock-model.ts';

export class WaitTable {
  length = 0;
  readonly rows: Growing<LockWaits> = {
    thread: new Int32Array(0),
    lock: new Int32Array(0),
    request: new Float64Array(0),
    end: new Float64Array(0),
    to: new Float64Array(0),
    outcome: new Uint8Array(0),
    mode: new Uint8Array(0),
    way: new Uint8Array(0),
    flags: new Uint8Array(0),
    by: new Int32Array(0),
    link: new Float64Array(0),
    spinning: new Float64Array(0),
  };

  /** A thread asks for a lock. Until its end is known the wait is unfinished and has no length. */
  add(lock: number, thread: number, request: number, mode: number, way: number): number {
    const { rows } = this;
    if (this.length === rows.thread.length) widen(rows);
    const row = this.length++;
    rows.lock[row] = lock;
    rows.thread[row] = thread;
    rows.request[row] = rows.end[row] = request;
    rows.to[row] = NaN;
    rows.outcome[row] = UNFINISHED;
    rows.mode[row] = mode;
    rows.way[row] = way;
    rows.by[row] = -1;
    rows.link[row] = NaN;
    return row;
  }

  /** The same of a kind without modes. */
  addPlain(lock: number, thread: number, request: number, way: number): number {
    return this.add(lock, thread, request, NO_MODE, way);
  }

  finish(row: number, end: number, outcome: number): void {
    this.rows.end[row] = end;
    this.rows.outcome[row] = outcome;
  }

  /** Tells whether it took time, and was no attempt. */
  isWait(row: number): boolean {
    return this.rows.way[row] !== BY_TRY && this.rows.end[row] > this.rows.request[row];
  }

  flag(row: number, flag: number): void {
    this.rows.flags[row] |= flag;
  }

  isContended(row: number): boolean {
    return (this.rows.flags[row] & CONTENDED) !== 0;
  }

  /** The rows by `order`, in buffers of their own. */
  inOrder(order: Uint32Array): LockWaits {
    return { length: this.length, ...ordered(this.rows, order) };
  }
}

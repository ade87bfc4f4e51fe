/** Waits within the futex system call, and which call of another thread ended them. */
import { trimmed, widen } from '../../../base/columns.ts';
import { firstWhere } from '../../../base/lower-bound.ts';
import { rowsBy } from '../../../base/rows-by.ts';
import { tableOf } from '../../../base/tables.ts';
import { FUTEX_ENTER, FUTEX_EXIT, type LockLog } from '../lock-log.ts';
import { FUTEX_WAITS, type FutexWaits } from './lock-model.ts';
import type { ModelThreads } from './model-threads.ts';
import { firstIntervalBehind, isBlocked, type ThreadWaits } from './thread-waits.ts';
import type { ThreadTimes } from './thread-times.ts';

/** Operations without their flags. */
const OPERATION = 127;
/** FUTEX_WAIT, _LOCK_PI, _WAIT_BITSET, _WAIT_REQUEUE_PI, _LOCK_PI2. */
const WAITS = new Set([0, 6, 9, 11, 13]);
/** FUTEX_WAKE, _REQUEUE, _CMP_REQUEUE, _WAKE_OP, _UNLOCK_PI, _WAKE_BITSET. */
const WAKES = new Set([1, 3, 4, 5, 7, 10]);

/** Calls in order of their entries, from which to what row of the log. */
export class FutexCalls {
  #length = 0;
  readonly #rows = { enter: new Int32Array(0), exit: new Int32Array(0), thread: new Int32Array(0) };
  readonly #log: LockLog;
  readonly #endOf: (thread: number) => number;

  /** @param endOf TimeNs up to which what a thread does may go on */
  constructor(log: LockLog, endOf: (thread: number) => number) {
    this.#log = log;
    this.#endOf = endOf;
    const { op, thread } = log;
    const open = new Int32Array(log.threads.length).fill(-1);
    for (let row = 0; row < log.length; row++) {
      if (op[row] === FUTEX_ENTER) open[thread[row]] = this.#add(row, thread[row]);
      if (op[row] !== FUTEX_EXIT || open[thread[row]] < 0) continue;
      this.#rows.exit[open[thread[row]]] = row;
      open[thread[row]] = -1;
    }
  }

  addTimes(times: ThreadTimes): void {
    for (let call = 0; call < this.#length; call++)
      if (this.#isWait(call)) times.add(this.#rows.thread[call], this.#from(call), this.#to(call));
  }

  waits(threadWaits: ThreadWaits, threads: ModelThreads): FutexWaits {
    const waits: number[] = [];
    for (let call = 0; call < this.#length; call++) if (this.#isWait(call)) waits.push(call);
    const byThread = rowsBy(this.#rows.thread, this.#log.threads.length, this.#length);
    const { value, lock } = this.#log;
    const columns = tableOf(FUTEX_WAITS, waits.length);
    columns.waker.fill(-1);
    columns.at.fill(NaN);
    waits.forEach((call, row) => {
      const exit = this.#rows.exit[call];
      columns.thread[row] = this.#rows.thread[call];
      columns.futex[row] = lock[this.#rows.enter[call]];
      const from = (columns.from[row] = this.#from(call));
      const to = (columns.to[row] = this.#to(call));
      columns.result[row] = exit < 0 ? NaN : value[exit];
      const { start, begin, end, state, waker, signal } = threadWaits;
      const thread = columns.thread[row];
      for (
        let at = firstIntervalBehind(threadWaits, thread, from);
        at < start[thread + 1] && begin[at] < to;
        at++
      ) {
        if (!isBlocked(state[at]) || begin[at] < from) continue;
        columns.blocked[row] += Math.min(to, end[at]) - begin[at];
        const by = waker[at] < 0 ? -1 : threads.placeOf(waker[at]);
        if (by < 0 || by >= this.#log.threads.length) continue;
        if (!this.#wakes(by, byThread, signal[at], columns.futex[row])) continue;
        columns.waker[row] = by;
        columns.at[row] = signal[at];
      }
    });
    return { length: waits.length, ...trimmed(columns, waits.length) };
  }

  /** Tells whether a call of a thread that was under way at `time` may have woken waiters of a futex. */
  #wakes(thread: number, { start, order }: ReturnType<typeof rowsBy>, time: number, futex: number): boolean {
    const { lock, other, value } = this.#log;
    const behind = firstWhere(start[thread], start[thread + 1], (at) => this.#from(order[at]) > time);
    for (let at = behind - 1; at >= start[thread]; at--) {
      const call = order[at];
      const enter = this.#rows.enter[call];
      if (this.#rows.exit[call] >= 0 && this.#to(call) < time) return false;
      if (WAKES.has(value[enter] & OPERATION) && (lock[enter] === futex || other[enter] === futex))
        return true;
    }
    return false;
  }

  #add(row: number, thread: number): number {
    if (this.#length === this.#rows.enter.length) widen(this.#rows);
    this.#rows.enter[this.#length] = row;
    this.#rows.exit[this.#length] = -1;
    this.#rows.thread[this.#length] = thread;
    return this.#length++;
  }

  #isWait(call: number): boolean {
    return WAITS.has(this.#log.value[this.#rows.enter[call]] & OPERATION);
  }

  #from(call: number): number {
    return this.#log.time[this.#rows.enter[call]];
  }

  #to(call: number): number {
    const exit = this.#rows.exit[call];
    if (exit >= 0) return this.#log.time[exit];
    return Math.max(this.#from(call), this.#endOf(this.#rows.thread[call]));
  }
}

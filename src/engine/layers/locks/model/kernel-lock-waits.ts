/** Contended waits for locks of the kernel, from `contention_begin` to `contention_end` of a thread and a lock. */
import { GrowingTable, ordered } from '../../../base/columns.ts';
import { tableOf } from '../../../base/tables.ts';
import { rowsBy } from '../../../base/rows-by.ts';
import { orderBy } from '../../../base/stable-order.ts';
import { CONTENTION_BEGIN, CONTENTION_END, type LockLog } from '../lock-log.ts';
import { KERNEL_LOCK_WAITS, type KernelLockWaits } from './lock-model.ts';
import { ThreadSet } from './thread-set.ts';
import type { ThreadTimes } from './thread-times.ts';
import { firstWakeBehind, type WakeUps } from './thread-waits.ts';

export interface ReadKernelLocks {
  /** Waits by lock, in order of begin; wakers are not known yet. */
  readonly waits: KernelLockWaits;
  readonly endsWithoutBegin: number;
}

/** @param endOf TimeNs up to which what a thread does may go on */
export function kernelLockWaits(log: LockLog, endOf: (thread: number) => number): ReadKernelLocks {
  const table = new GrowingTable(tableOf(KERNEL_LOCK_WAITS, 0));
  const columns = table.rows;
  let endsWithoutBegin = 0;
  const { op, thread: threads, time, value } = log;
  const isOfKernel = (row: number) => op[row] === CONTENTION_BEGIN || op[row] === CONTENTION_END;
  const locks = log.lock.map((lock, row) => (isOfKernel(row) ? lock : -1));
  const { start, order } = rowsBy(locks, log.kernelLocks.length);
  const waiting = new ThreadSet(log.threads.length);
  const rowOf = new Int32Array(log.threads.length);
  for (let lock = 0; lock < log.kernelLocks.length; lock++) {
    for (let at = start[lock]; at < start[lock + 1]; at++) {
      const row = order[at];
      const thread = threads[row];
      if (op[row] === CONTENTION_END) {
        if (!waiting.delete(thread)) {
          endsWithoutBegin++;
          continue;
        }
        columns.to[rowOf[thread]] = time[row];
        columns.result[rowOf[thread]] = value[row];
        continue;
      }
      // A second begin: it spun, and now it sleeps.
      if (waiting.has(thread)) continue;
      waiting.add(thread);
      const wait = (rowOf[thread] = table.addRow());
      columns.thread[wait] = thread;
      columns.lock[wait] = lock;
      columns.from[wait] = time[row];
      columns.to[wait] = Math.max(time[row], endOf(thread));
      columns.flags[wait] = value[row];
      columns.result[wait] = columns.at[wait] = NaN;
      columns.waker[wait] = -1;
    }
    while (waiting.length > 0) waiting.delete(waiting.at(0));
  }
  return { waits: table.toTable(), endsWithoutBegin };
}

export function addKernelTimes({ length, thread, from, to }: KernelLockWaits, times: ThreadTimes): void {
  for (let row = 0; row < length; row++) times.add(thread[row], from[row], to[row]);
}

/** The same with the last wake-up in each wait that ended, in order of begin, end and thread. */
export function wokenKernelWaits(
  waits: KernelLockWaits,
  wakes: WakeUps,
  ranks: ArrayLike<number>,
): KernelLockWaits {
  const { length, ...columns } = waits;
  const { thread, from, to, result, waker, at } = columns;
  for (let row = 0; row < length; row++) {
    if (Number.isNaN(result[row])) continue;
    const last = firstWakeBehind(wakes, thread[row], to[row]) - 1;
    if (last < firstWakeBehind(wakes, thread[row], from[row])) continue;
    waker[row] = wakes.by[last];
    at[row] = wakes.time[last];
  }
  const compare = (a: number, b: number) => to[a] - to[b] || ranks[thread[a]] - ranks[thread[b]] || a - b;
  const order = orderBy(from, compare);
  return { length, ...ordered(columns, order) };
}

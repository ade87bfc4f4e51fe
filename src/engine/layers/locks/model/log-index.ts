/** Index of a log: the rows of each lock, and which belong together. */
import { rowNumbers } from '../../../base/columns.ts';
import { firstWhere } from '../../../base/lower-bound.ts';
import { type RowGroups, rowsBy } from '../../../base/rows-by.ts';
import * as lockLog from '../lock-log.ts';
import type { LockLog } from '../lock-log.ts';

/** Whether an event is about a lock, including file locks. */
export function isOfLock(op: number): boolean {
  return op <= lockLog.FILE_LEFT;
}

/** Mutex of a wait for a condition, whose begin and end are also events of the mutex. */
function mutexOf(log: LockLog, row: number): number {
  return log.op[row] === lockLog.COND_BEGIN || log.op[row] === lockLog.COND_END ? log.other[row] : -1;
}

/** Rows of the log by lock. */
export function rowsOfLocks(log: LockLog, exits: FileExits): RowGroups {
  const { op, lock } = log;
  const start = new Int32Array(log.locks.length + 1);
  const lockOf = (row: number) => (op[row] === lockLog.FILE_EXIT ? exits.lockOf(row) : lock[row]);
  const each = (take: (row: number, lock: number) => void) => {
    for (let row = 0; row < log.length; row++) {
      if (!isOfLock(op[row])) continue;
      const own = lockOf(row);
      const mutex = mutexOf(log, row);
      if (own >= 0) take(row, own);
      if (mutex >= 0 && mutex !== own) take(row, mutex);
    }
  };
  each((_, of) => start[of + 1]++);
  for (let of = 0; of < log.locks.length; of++) start[of + 1] += start[of];
  const order = new Int32Array(start[log.locks.length]);
  const next = start.slice();
  each((row, of) => (order[next[of]++] = row));
  return { start, order };
}

/** Entries and exits of calls that lock files. */
export interface FileExits {
  /** Row of the call's exit, -1: it has none. */
  exitOf(enter: number): number;
  /** Row of the lock of the call that ends here, -1: its entry is not known. */
  lockOf(exit: number): number;
}

export function fileExits(log: LockLog): FileExits {
  const { op, thread } = log;
  const isFile = op.includes(lockLog.FLOCK_ENTER) || op.includes(lockLog.FCNTL_ENTER);
  const partner = new Int32Array(isFile ? log.length : 0).fill(-1);
  const entered = new Int32Array(log.threads.length).fill(-1);
  for (let row = 0; row < partner.length; row++) {
    const of = thread[row];
    if (op[row] === lockLog.FLOCK_ENTER || op[row] === lockLog.FCNTL_ENTER) entered[of] = row;
    if (op[row] !== lockLog.FILE_EXIT || entered[of] < 0) continue;
    partner[row] = entered[of];
    partner[entered[of]] = row;
    entered[of] = -1;
  }
  return {
    exitOf: (enter) => partner[enter],
    lockOf: (exit) => (partner[exit] >= 0 ? log.lock[partner[exit]] : -1),
  };
}

/** Finds the time of a thread's first event of any lock after a time; Infinity: there is none. HostNs. */
export function eventsOfThreads({
  op,
  thread,
  time,
  threads,
}: LockLog): (thread: number, time: number) => number {
  let known: { readonly rows: Int32Array; readonly groups: RowGroups } | undefined;
  const find = () => {
    const rows = rowNumbers(0, op.length).filter((row) => isOfLock(op[row]));
    return {
      rows,
      groups: rowsBy(
        rows.map((row) => thread[row]),
        threads.length,
      ),
    };
  };
  return (of, after) => {
    const { rows, groups } = (known ??= find());
    const { start, order } = groups;
    const at = firstWhere(start[of], start[of + 1], (place) => time[rows[order[place]]] > after);
    return at < start[of + 1] ? time[rows[order[at]]] : Infinity;
  };
}

/** Rows of the log at which events of user space were lost, or of the kernel. */
export function lossesOf(log: LockLog, ofUserSpace: boolean): Int32Array {
  const rows: number[] = [];
  const wanted = ofUserSpace ? 1 : 0;
  for (let row = 0; row < log.length; row++)
    if (log.op[row] === lockLog.LOSS && log.other[row] === wanted) rows.push(row);
  return Int32Array.from(rows);
}

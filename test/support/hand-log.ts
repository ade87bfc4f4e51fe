/** Logs of locks written by hand. */
import { type LockKind, type LockLog, LogWriter } from '../../src/engine/layers/locks/lock-log.ts';

/** Threads by any numbers of theirs, -1 none; `lock` and `other` by row of the locks. */
export type HandRow = readonly [
  time: number,
  op: number,
  thread: number,
  lock: number,
  other?: number,
  value?: number,
];

/** @param locks kinds and addresses */
export function handLog(
  rows: readonly HandRow[],
  locks: readonly (readonly [kind: LockKind, address: string])[],
  end: number,
): LockLog {
  const writer = new LogWriter();
  for (const [time, op, thread, lock, other = -1, value = 0] of rows)
    writer.add(time, op, thread, lock, other, value, 0);
  return {
    ...writer.toTable(),
    threads: writer.threads.map((tid) => ({ row: -1, tid, ns: 0, pid: 1, process: '' })),
    locks: locks.map(([kind, address]) => ({ kind, process: 1, address })),
    ...{ futexes: [], kernelLocks: [], modules: [], memories: [], end, problems: {} },
  };
}

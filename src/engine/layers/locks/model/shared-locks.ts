/**
 * Locks in memory that processes share: one lock, which each process may have at an address of its own. A futex call
 * without FUTEX_PRIVATE_FLAG is about such memory; a thread that such a call of another process wakes waits for the lock
 * that the caller gave back.
 */
import { groupBy } from '../../../base/group-by.ts';
import type { ReadHost } from '../../contract/layer.ts';
import { COND_BEGIN, COND_END, type LockLog, type LockName } from '../lock-log.ts';
import { compareAddresses } from '../lock-names.ts';
import { lockFinder } from '../lock-places.ts';
import { isOfLock } from './log-index.ts';
import { FutexCalls } from './futex-waits.ts';
import { ModelThreads, threadEnds } from './model-threads.ts';
import { ThreadTimes } from './thread-times.ts';
import { readThreadWaits } from './thread-waits.ts';

/** The log with each lock that processes share as one, named by the smallest process, then address. */
export async function withSharedLocks(
  log: LockLog,
  { kernel, end }: Pick<ReadHost, 'kernel' | 'end'>,
): Promise<LockLog> {
  if (kernel === undefined || log.futexes.length === 0) return log;
  const calls = new FutexCalls(log, threadEnds(log, kernel.tables, end));
  const lockAt = lockFinder(log);
  const times = new ThreadTimes();
  calls.addTimes(times, (call) => calls.isShared(call) && lockAt(calls.futexOf(call)) !== undefined);
  if (times.length === 0) return log;
  const rows = log.threads.map(({ row }) => row);
  const threadWaits = await readThreadWaits(times, rows, kernel);
  const same = Int32Array.from(log.locks.keys());
  const rootOf = (lock: number): number => {
    let root = lock;
    while (same[root] !== root) root = same[root] = same[same[root]];
    return root;
  };
  for (const [wait, wake] of calls.acrossProcesses(
    threadWaits,
    new ModelThreads(log.threads, kernel.tables),
  )) {
    const [a, b] = [lockAt(calls.futexOf(wait)), lockAt(calls.futexOf(wake))];
    if (a === undefined || b === undefined || a.offset !== b.offset) continue;
    if (log.locks[a.row].kind !== log.locks[b.row].kind) continue;
    const roots = [rootOf(a.row), rootOf(b.row)].sort((x, y) => compareAddresses(log.locks[x], log.locks[y]));
    same[roots[1]] = roots[0];
  }
  return joined(log, Int32Array.from(same, rootOf));
}

/** @param rootOf lock that each one is the same as, itself if it is alone */
function joined(log: LockLog, rootOf: Int32Array): LockLog {
  const members = groupBy(log.locks.keys(), (row) => rootOf[row]);
  if (members.size === log.locks.length) return log;
  const place = new Int32Array(log.locks.length);
  const locks: LockName[] = [];
  for (const [root, own] of members) {
    for (const row of own) place[row] = locks.length;
    const others = own.filter((row) => row !== root).map((row) => log.locks[row]);
    const aliases = others.sort(compareAddresses).map(({ process, address }) => ({ process, address }));
    locks.push(aliases.length === 0 ? log.locks[root] : { ...log.locks[root], aliases });
  }
  const { op } = log;
  return {
    ...log,
    locks,
    lock: log.lock.map((lock, row) => (lock < 0 || !isOfLock(op[row]) ? lock : place[lock])),
    other: log.other.map((other, row) =>
      other >= 0 && (op[row] === COND_BEGIN || op[row] === COND_END) ? place[other] : other,
    ),
  };
}

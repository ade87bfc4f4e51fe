/** Locks of which waiters and wakers are known, but no holder: futexes, and locks of the kernel. */
import { type RowGroups, rowsBy } from '../../base/rows-by.ts';
import { kernelLockKinds } from '../../layers/locks/lock-names.ts';
import type { LockModel } from '../../layers/locks/model/lock-model.ts';
import { mostAtOnce } from '../../layers/locks/results/episodes.ts';
import { durationsOf } from '../../layers/locks/results/lock-sums.ts';
import type { FutexLine, KernelLockLine, ThreadIndex } from '../../protocol/locks.ts';
import type { LockHost } from './lock-hosts.ts';

/** Threads that are listed of a lock. */
const MOST_THREADS = 20;

/** @param isWhole lists single waits, too */
export function futexLines(host: LockHost, isWhole: boolean): FutexLine[] {
  const { futexes, futexWaits: waits } = host.results.model;
  return groupsOf(rowsBy(waits.futex, futexes.length), futexes).map(({ of, rows }) => {
    const { process: pid, address } = futexes[of];
    const woken = rows.filter((row) => waits.waker[row] >= 0);
    const wakers = new Map<ThreadIndex, number>();
    for (const row of woken) {
      const waker = host.thread(waits.waker[row]);
      wakers.set(waker, (wakers.get(waker) ?? 0) + 1);
    }
    return {
      host: host.index,
      pid,
      process: host.processName(pid),
      address,
      waits: rows.length,
      blocked: rows.filter((row) => waits.blocked[row] > 0).length,
      woken: woken.length,
      ended: woken.filter((row) => waits.byEnd[row] === 1).length,
      blockedNs: rows.reduce((sum, row) => sum + waits.blocked[row], 0),
      wakers: Array.from(wakers, ([thread, times]) => ({ thread, times }))
        .sort((a, b) => b.times - a.times)
        .slice(0, MOST_THREADS),
      list: isWhole
        ? rows.map((row) => ({ ...waitOf(host, waits, row), blockedNs: waits.blocked[row] }))
        : undefined,
    };
  });
}

/** @param isWhole lists single waits, too */
export function kernelLockLines(host: LockHost, isWhole: boolean): KernelLockLine[] {
  const { kernelLocks, kernelWaits: waits } = host.results.model;
  return groupsOf(rowsBy(waits.lock, kernelLocks.length), kernelLocks).map(({ of, rows }) => {
    const sumsBy = (threadOf: Int32Array) => {
      const sums = new Map<number, { times: number; ns: number }>();
      for (const row of rows) {
        const { times, ns } = sums.get(threadOf[row]) ?? { times: 0, ns: 0 };
        sums.set(threadOf[row], { times: times + 1, ns: ns + waits.to[row] - waits.from[row] });
      }
      return Array.from(sums, ([thread, own]) => ({ thread: host.thread(thread), ...own }))
        .sort((x, y) => y.ns - x.ns)
        .slice(0, MOST_THREADS);
    };
    const from = Float64Array.from(rows, (row) => waits.from[row]);
    const to = Float64Array.from(rows, (row) => waits.to[row]);
    return {
      host: host.index,
      address: kernelLocks[of].address,
      kind: kernelLockKinds(rows.map((row) => waits.flags[row])),
      wait: durationsOf(to.map((end, i) => end - from[i])),
      maxWaiters: mostAtOnce(from, to),
      waiters: sumsBy(waits.thread),
      wakers: sumsBy(waits.waker),
      list: isWhole
        ? rows.map((row) => ({ ...waitOf(host, waits, row), flags: waits.flags[row] }))
        : undefined,
    };
  });
}

/** The columns that waits for futexes and for locks of the kernel share. */
type WaitColumns = Pick<LockModel['futexWaits'], 'thread' | 'from' | 'to' | 'result' | 'waker' | 'at'>;

function waitOf(host: LockHost, { thread, from, to, result, waker, at }: WaitColumns, row: number) {
  return {
    waiter: host.thread(thread[row]),
    from: host.shown(from[row]),
    to: host.shown(to[row]),
    result: Number.isNaN(result[row]) ? undefined : result[row],
    waker: host.thread(waker[row]),
    wokenNs: host.shownIfKnown(at[row]),
  };
}

/** Groups that have rows. */
function groupsOf(
  { start, order }: RowGroups,
  of: readonly unknown[],
): { readonly of: number; readonly rows: number[] }[] {
  return of
    .map((_, group) => ({ of: group, rows: Array.from(order.subarray(start[group], start[group + 1])) }))
    .filter(({ rows }) => rows.length > 0);
}

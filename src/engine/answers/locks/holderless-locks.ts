/** Locks with known waiters and wakers but unknown holders: futexes, and locks of the kernel. */
import { type RowGroups, rowsBy } from '../../base/rows-by.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { kernelLockKind } from '../../layers/locks/lock-names.ts';
import type { LockModel } from '../../layers/locks/model/lock-model.ts';
import { mostAtOnce, type LockResults } from '../../layers/locks/results/lock-results.ts';
import { durationsOf } from '../../layers/locks/results/lock-sums.ts';
import type { FutexLine, KernelLockLine } from '../../protocol/locks.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import { hasCalls } from '../context/recorded.ts';
import { type LockHost, waitsOfKernelLocks } from './lock-hosts.ts';

/** Result of a wait that timed out: -ETIMEDOUT. */
const TIMED_OUT = -110;
/** Maximum number of threads listed of a lock. */
const MOST_THREADS = 20;

/** Whether all waits for a futex were ended by the end of a thread, as in pthread_join: then it is no lock. */
export function isOnlyEnds({ woken, ended }: Pick<FutexLine, 'woken' | 'ended'>): boolean {
  return ended > 0 && ended === woken;
}

/** @param isWhole whether single waits are listed too */
export function futexLines(host: LockHost, isWhole: boolean): FutexLine[] {
  const { futexes, futexWaits: waits } = host.results.model;
  return groupsOf(rowsBy(waits.futex, futexes.length), futexes).map(({ of, rows }) => {
    const { process: pid, address } = futexes[of];
    const woken = rows.filter((row) => waits.waker[row] >= 0);
    const wakers = sumsBy(
      woken,
      (row) => host.thread(waits.waker[row]),
      (row) => waits.blocked[row],
    );
    const lock = host.lockOfFutex(of);
    return {
      id: host.futexId(of),
      lock: lock < 0 ? undefined : host.lockId(lock),
      host: host.index,
      name: host.futexName(of),
      pid,
      process: host.processName(pid),
      address,
      waits: rows.length,
      blocked: rows.filter((row) => waits.blocked[row] > 0).length,
      woken: woken.length,
      ended: woken.filter((row) => waits.byEnd[row] === 1).length,
      blockedNs: rows.reduce((sum, row) => sum + waits.blocked[row], 0),
      timeOuts: sumsBy(
        rows.filter((row) => waits.result[row] === TIMED_OUT),
        (row) => host.thread(waits.thread[row]),
        (row) => waits.blocked[row],
      ).map(({ by, ...sums }) => ({ thread: by, ...sums })),
      wakers: wakers
        .sort((a, b) => b.times - a.times)
        .slice(0, MOST_THREADS)
        .map(({ by, times }) => ({ thread: by, times })),
      list: isWhole
        ? rows.map((row) => ({ ...waitOf(host, waits, row), blockedNs: waits.blocked[row] }))
        : undefined,
    };
  });
}

/** Locks of the kernel, longest waited for first: where threads waited for each, and who woke them. */
export async function kernelLockLines(host: LockHost, isWhole: boolean): Promise<KernelLockLine[]> {
  const { kernelLocks, kernelWaits: waits } = host.results.model;
  const calls = await kernelWaitCalls(host);
  const nsOf = (row: number) => waits.to[row] - waits.from[row];
  const lines = groupsOf(waitsOfKernelLocks(host.results), kernelLocks).map(
    ({ of, rows }): KernelLockLine => {
      const threadsBy = (threadOf: Int32Array) =>
        sumsBy(rows, (row) => threadOf[row], nsOf)
          .slice(0, MOST_THREADS)
          .map(({ by, ...sums }) => ({ thread: host.thread(by), ...sums }));
      const from = Float64Array.from(rows, (row) => waits.from[row]);
      const to = Float64Array.from(rows, (row) => waits.to[row]);
      const longest = rows.reduce((most, row) => (nsOf(row) > nsOf(most) ? row : most), rows[0]);
      return {
        id: host.kernelLockId(of),
        host: host.index,
        name: host.kernelLockName(of),
        place: kernelLockPlace(host, of, calls),
        address: kernelLocks[of].address,
        kind: kernelLockKind(rows.map((row) => waits.flags[row])),
        wait: durationsOf(to.map((end, i) => end - from[i])),
        maxWaiters: mostAtOnce(from, to),
        waiters: threadsBy(waits.thread),
        wakers: threadsBy(waits.waker),
        calls: sumsBy(rows, (row) => calls[row], nsOf).map(({ by, ...sums }) => ({ call: by, ...sums })),
        longest: waitOf(host, waits, longest),
        list: isWhole
          ? rows.map((row) => ({ ...waitOf(host, waits, row), flags: waits.flags[row] }))
          : undefined,
      };
    },
  );
  return lines.sort((a, b) => b.wait.totalNs - a.wait.totalNs);
}

/** Most frequent place of the waits for a lock of the kernel, which has no name: "mostly in rename". */
export function kernelLockPlace({ results }: LockHost, lock: number, calls: KernelWaitCalls): string {
  const { start, order } = waitsOfKernelLocks(results);
  const rows = [...order.subarray(start[lock], start[lock + 1])];
  const places = sumsBy(
    rows,
    (row) => calls[row],
    () => 1,
  );
  const [{ by: call }] = places;
  if (call === undefined) return 'system calls not recorded';
  const place = call === '' ? 'outside of system calls' : `in ${call}`;
  return places.length > 1 ? `mostly ${place}` : place;
}

/** Number and ns of rows by a property of each, most ns first. */
function sumsBy<By>(rows: readonly number[], byOf: (row: number) => By, nsOf: (row: number) => number) {
  const sums = new Map<By, { times: number; ns: number }>();
  for (const row of rows) {
    const { times, ns } = sums.get(byOf(row)) ?? { times: 0, ns: 0 };
    sums.set(byOf(row), { times: times + 1, ns: ns + nsOf(row) });
  }
  return Array.from(sums, ([by, own]) => ({ by, ...own })).sort((a, b) => b.ns - a.ns);
}

/** System call by wait; '': outside of system calls, undefined: system calls of the host were not recorded. */
type KernelWaitCalls = readonly (string | undefined)[];

/** System calls in which threads waited for locks of the kernel. */
export async function kernelWaitCalls({ history, results }: LockHost): Promise<KernelWaitCalls> {
  if (history === undefined || !isKernelHost(history) || !hasCalls(history)) return [];
  return callsIn(results)(history);
}

const callsIn = cachedByKey(({ model: { threads, kernelWaits } }: LockResults) =>
  cachedByKey(async ({ query, tables }: KernelHost): Promise<readonly string[]> => {
    const calls = new Array<string>(kernelWaits.length).fill('');
    const { start, order } = rowsBy(kernelWaits.thread, threads.length);
    const attributeOf = (thread: number) => tables.threads.callAttribute[threads[thread].row] ?? -1;
    const waiting = [...threads.keys()].filter((t) => start[t] < start[t + 1] && attributeOf(t) >= 0);
    await query.scan(waiting.map(attributeOf), -Infinity, Infinity, (place, { begin, end, value }) => {
      const [first, behind] = [start[waiting[place]], start[waiting[place] + 1]];
      let at = firstWhere(first, behind, (i) => kernelWaits.from[order[i]] >= begin);
      for (; at < behind && kernelWaits.from[order[at]] < end; at++) calls[order[at]] = query.text(value);
    });
    return calls;
  }),
);

/** The columns that waits for futexes and for locks of the kernel share. */
export type HolderlessColumns = Pick<
  LockModel['futexWaits'],
  'thread' | 'from' | 'to' | 'result' | 'waker' | 'at'
>;

function waitOf(host: LockHost, { thread, from, to, result, waker, at }: HolderlessColumns, row: number) {
  return {
    waiter: host.thread(thread[row]),
    from: host.shown(from[row]),
    to: host.shown(to[row]),
    result: Number.isNaN(result[row]) ? undefined : result[row],
    waker: host.thread(waker[row]),
    wokenNs: host.shownIfKnown(at[row]),
  };
}

function groupsOf(
  { start, order }: RowGroups,
  of: readonly unknown[],
): { readonly of: number; readonly rows: number[] }[] {
  return of
    .map((_, group) => ({ of: group, rows: Array.from(order.subarray(start[group], start[group + 1])) }))
    .filter(({ rows }) => rows.length > 0);
}

/** Single waits for locks, as answers list them. */
import * as lockModel from '../../layers/locks/model/lock-model.ts';
import { append } from '../../base/append.ts';
import { kernelLockMode } from '../../layers/locks/lock-names.ts';
import { waitParts } from '../../layers/locks/results/wait-parts.ts';
import type { QueryContext } from '../context/query.ts';
import type { LockWaitLine, LockWaitsAnswer, LockWaitsRequest } from '../../protocol/locks.ts';
import { type HolderlessColumns, kernelWaitCalls } from './holderless-locks.ts';
import { type LockHost, lockById, lockHosts } from './lock-hosts.ts';

/** Words of the model's modes, by number. */
const MODES = ['exclusive', 'shared', undefined] as const;

/** A wait that was asked for. */
interface Wanted {
  /** Display time. */
  readonly begin: number;
  readonly ns: number;
  readonly line: () => LockWaitLine;
}

export const NO_WAITS: LockWaitsAnswer = { threads: [], count: 0, totalNs: 0, waits: [] };

/** Single waits; none while locks are being read. */
export async function lockWaits(context: QueryContext, request: LockWaitsRequest): Promise<LockWaitsAnswer> {
  const hosts = await lockHosts(context);
  if (hosts === undefined) return NO_WAITS;
  const found: Wanted[] = [];
  for (const host of hosts) {
    append(found, wantedOf(host, request));
    if (request.holder === undefined) append(found, await holderlessOf(host, request));
  }
  found.sort((a, b) => (request.order === 'longest' ? b.ns - a.ns || a.begin - b.begin : a.begin - b.begin));
  return {
    // Asked lock by lock: copying the threads for each would be slow where both are many.
    threads: hosts.length === 1 ? hosts[0].threads() : hosts.flatMap((host) => host.threads()),
    count: found.length,
    totalNs: found.reduce((sum, { ns }) => sum + ns, 0),
    waits: found.slice(0, request.limit).map(({ line }) => line()),
  };
}

function wantedOf(host: LockHost, request: LockWaitsRequest): Wanted[] {
  const { results } = host;
  const { waits } = results.model;
  const lock = request.lock === undefined ? undefined : lockById([host], request.lock)?.lock;
  if (request.lock !== undefined && lock === undefined) return [];
  const rows =
    lock === undefined ? Array.from({ length: waits.length }, (_, row) => row) : results.rowsOf(lock);
  const { holder } = request;
  const isHolder = holder === null ? (thread: number) => thread < 0 : threadTest(host, holder);
  const isWanted = waitTest(host, request);
  const parts = waitParts(results.model);
  const found: Wanted[] = [];
  for (const row of rows) {
    const isContended = (waits.flags[row] & lockModel.CONTENDED) !== 0;
    if (!(isContended || (request.all === true && request.holder === undefined))) continue;
    const [begin, end] = [host.shown(waits.request[row]), host.shown(waits.end[row])];
    if (!isWanted(waits.thread[row], begin, end)) continue;
    const ns = request.holder === undefined ? end - begin : parts.nsFor(row, isHolder);
    if (ns <= 0 && request.holder !== undefined) continue;
    const line = () => ({
      ...waitLine(host, row, ns),
      ...(request.holders === true && isContended && holdersOf(host, row)),
    });
    found.push({ begin, ns, line });
  }
  return found;
}

/** Waits for locks of the kernel, and for the futex that is asked for. */
async function holderlessOf(host: LockHost, request: LockWaitsRequest): Promise<Wanted[]> {
  const { kernelLocks, kernelWaits, futexes, futexWaits } = host.results.model;
  const isWanted = waitTest(host, request);
  const placesOf = (places: readonly unknown[], idOf: (place: number) => string) =>
    new Set([...places.keys()].filter((place) => request.lock === undefined || idOf(place) === request.lock));
  const rowsOf = (waits: HolderlessColumns, isIt: (row: number) => boolean): Wanted[] => {
    const rows = Array.from(waits.thread.keys()).filter(isIt);
    return rows.flatMap((row) => {
      const [begin, end] = [host.shown(waits.from[row]), host.shown(waits.to[row])];
      if (!isWanted(waits.thread[row], begin, end)) return [];
      const isOfKernel = waits === kernelWaits;
      const line = (): LockWaitLine => ({
        ...holderlessLine(host, waits, row),
        lock: isOfKernel ? host.kernelLockId(kernelWaits.lock[row]) : host.futexId(futexWaits.futex[row]),
        mode: isOfKernel ? KERNEL_MODES[kernelLockMode(kernelWaits.flags[row]) ?? 'other'] : undefined,
        call: isOfKernel ? calls[row] : undefined,
      });
      return [{ begin, ns: end - begin, line }];
    });
  };
  const calls = await kernelWaitCalls(host);
  const found: Wanted[] = [];
  if (request.kernel === true || request.lock !== undefined) {
    const wanted = placesOf(kernelLocks, (lock) => host.kernelLockId(lock));
    if (wanted.size > 0)
      append(
        found,
        rowsOf(kernelWaits, (row) => wanted.has(kernelWaits.lock[row])),
      );
  }
  // A futex within a known lock has that lock's id and the same waits.
  if (request.lock?.startsWith(`${host.index}:futex:`) === true) {
    const wanted = placesOf(futexes, (futex) => host.futexId(futex));
    append(
      found,
      rowsOf(futexWaits, (row) => wanted.has(futexWaits.futex[row])),
    );
  }
  return found;
}

const KERNEL_MODES = { read: 'shared', write: 'exclusive', other: undefined } as const;

function holderlessLine(host: LockHost, waits: HolderlessColumns, row: number): Omit<LockWaitLine, 'lock'> {
  const [from, to] = [host.shown(waits.from[row]), host.shown(waits.to[row])];
  const isWoken = waits.waker[row] >= 0;
  const isOpen = Number.isNaN(waits.result[row]);
  return {
    waiter: host.thread(waits.thread[row]),
    ...{ from, to, ns: to - from, isOpen },
    outcome: isOpen ? 'unfinished' : waits.result[row] < 0 ? 'failed' : 'acquired',
    way: 'lock',
    mode: undefined,
    isContended: true,
    by: host.thread(waits.waker[row]),
    handOverNs: host.shownIfKnown(waits.at[row]),
    via: isWoken ? 'wake-up' : undefined,
    spinningNs: undefined,
    heldToNs: undefined,
    isLate: false,
    isLossy: false,
  };
}

/** Threads that a contended wait was for, and who held the lock in turn. */
export function holdersOf(host: LockHost, row: number): Pick<LockWaitLine, 'holders' | 'turns'> {
  const parts = waitParts(host.results.model);
  const sums = new Map<number, number>();
  parts.each(row, (holder, from, to) => sums.set(holder, (sums.get(holder) ?? 0) + to - from));
  const holders = Array.from(sums, ([thread, ns]) => ({ thread: host.thread(thread), ns }));
  const { turns, freeNs } = parts.turnsOf(row);
  return {
    holders: holders.filter(({ ns }) => ns > 0).sort((a, b) => b.ns - a.ns),
    turns: { turns: turns.map(({ holder, ...turn }) => ({ ...turn, holder: host.thread(holder) })), freeNs },
  };
}

/** Test whether a wait is in the requested range and of the requested waiter. */
function waitTest(
  host: LockHost,
  { waiter, from = -Infinity, to = Infinity }: LockWaitsRequest,
): (thread: number, begin: number, end: number) => boolean {
  const isWaiter = threadTest(host, waiter);
  return (thread, begin, end) => isWaiter(thread) && begin < to && end >= from;
}

/** Test whether a thread of the model has the requested row. */
function threadTest(host: LockHost, row: string | undefined): (thread: number) => boolean {
  if (row === undefined) return () => true;
  const is = host.results.model.threads.map((_, thread) => host.rowOf(thread) === row);
  return (thread) => thread >= 0 && is[thread];
}

/** @param ns part of the wait that is asked about */
export function waitLine(host: LockHost, row: number, ns: number): LockWaitLine {
  const { thread, lock, request, end, to, outcome, mode, way, flags, by, link, spinning } =
    host.results.model.waits;
  const has = (flag: number) => (flags[row] & flag) !== 0;
  const handOverNs = host.shownIfKnown(link[row]);
  return {
    lock: host.lockId(lock[row]),
    waiter: host.thread(thread[row]),
    from: host.shown(request[row]),
    to: host.shown(end[row]),
    ns,
    outcome: lockModel.OUTCOMES[outcome[row]],
    way: lockModel.WAYS[way[row]],
    mode: MODES[mode[row]],
    isContended: has(lockModel.CONTENDED),
    by: host.thread(by[row]),
    handOverNs,
    via: handOverNs === undefined ? undefined : has(lockModel.WOKEN) ? 'wake-up' : 'release',
    spinningNs: spinning[row],
    heldToNs: host.shownIfKnown(to[row]),
    isLate: has(lockModel.LATE),
    isOpen: has(lockModel.OPEN),
    isLossy: has(lockModel.LOSSY),
  };
}

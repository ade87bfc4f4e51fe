/** Locks that threads waited for within intervals of time. */
import { GrowingTable } from '../../base/columns.ts';
import { TextList } from '../../base/text-list.ts';
import { f64, i32, type Table, tableOf } from '../../base/tables.ts';
import { groupBy } from '../../base/group-by.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { processesOf } from '../../layers/locks/graph-lock-waits.ts';
import { CONTENDED } from '../../layers/locks/model/lock-model.ts';
import type { LockResults } from '../../layers/locks/results/lock-results.ts';
import type { AnswerTo } from '../context/query.ts';
import type { LocksWithin } from '../../protocol/locks.ts';
import { kernelLockPlace, kernelWaitCalls } from './holderless-locks.ts';
import { type LockHost, lockHosts } from './lock-hosts.ts';

export const NO_LOCKS_WITHIN: LocksWithin = {
  names: [],
  length: 0,
  interval: new Int32Array(0),
  lock: new Int32Array(0),
  ns: new Float64Array(0),
};

/** Maximum number of waits that are examined, beside some for each interval: only an adversarial trace has more. */
const MOST_LOOKS = 2_000_000;
const LOOKS_OF_EACH = 50;

/** Locks waited for within intervals; none while locks are being read. */
export const locksWithin: AnswerTo<'locksWithin'> = async (context, { rows, thread, from, to }) => {
  const hosts = (await lockHosts(context)) ?? [];
  const found = new LockTimes();
  const looks = { left: MOST_LOOKS + LOOKS_OF_EACH * thread.length };
  const all = hosts.flatMap((host) =>
    waitsByThread(host.results).map((waits, thread) => ({ host, waits, row: host.rowOf(thread) })),
  );
  const known = groupBy(all, ({ row }) => row);
  const threads = rows.map((row) => known.get(row) ?? []);
  for (let interval = 0; interval < thread.length; interval++)
    for (const waits of threads[thread[interval]])
      addWaits(found, interval, waits, from[interval], to[interval], looks);
  if (looks.left < 0) return { ...NO_LOCKS_WITHIN, isCut: true };
  return { names: found.names.list, ...found.toTable() };
};

/** The waits of a thread, in order of begin. Of simultaneous waits only the last counts. */
interface ThreadWaits {
  readonly host: LockHost;
  readonly waits: SortedWaits;
}

interface SortedWaits {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Row in the model's locks; from their number on, in its futexes. */
  readonly lock: Int32Array;
}

/** Waits by thread. A futex that belongs to a lock with events of its own is left out. */
const waitsByThread = cachedByKey(({ model }: LockResults): readonly SortedWaits[] => {
  const { threads, locks, waits, futexes, futexWaits } = model;
  const found = threads.map((): [begin: number, end: number, lock: number][] => []);
  for (let row = 0; row < waits.length; row++)
    if ((waits.flags[row] & CONTENDED) !== 0 && waits.thread[row] >= 0)
      found[waits.thread[row]].push([waits.request[row], waits.end[row], waits.lock[row]]);
  const telling = processesOf(locks);
  for (let row = 0; row < futexWaits.length; row++) {
    const futex = futexWaits.futex[row];
    const isWoken = futexWaits.waker[row] >= 0 && futexWaits.byEnd[row] === 0;
    if (isWoken && futexWaits.thread[row] >= 0 && !telling.has(futexes[futex].process))
      found[futexWaits.thread[row]].push([futexWaits.from[row], futexWaits.to[row], locks.length + futex]);
  }
  return found.map(sortedWaits);
});

function sortedWaits(waits: [begin: number, end: number, lock: number][]): SortedWaits {
  waits.sort(([a], [b]) => a - b);
  // A wait within another one, for the mutex of a condition, is part of it.
  let until = -Infinity;
  const apart = waits.map(([begin, end, lock]): [number, number, number] => {
    const from = Math.max(begin, until);
    until = Math.max(until, end);
    return [from, until, lock];
  });
  return {
    begin: Float64Array.from(apart, ([begin]) => begin),
    end: Float64Array.from(apart, ([, end]) => end),
    lock: Int32Array.from(apart, ([, , lock]) => lock),
  };
}

const kernelWaitsByThread = cachedByKey(({ model }: LockResults): readonly SortedWaits[] => {
  const { thread, from, to, lock, length } = model.kernelWaits;
  const found = model.threads.map((): [begin: number, end: number, lock: number][] => []);
  for (let row = 0; row < length; row++)
    if (thread[row] >= 0) found[thread[row]].push([from[row], to[row], lock[row]]);
  return found.map(sortedWaits);
});

/**
 * Name of the lock that a thread waits for at a time (HostNs), if known; of a kernel lock with its most frequent place.
 */
export async function waitedLocks(
  host: LockHost,
): Promise<(thread: number, time: number) => string | undefined> {
  const calls = await kernelWaitCalls(host);
  const rows = new Map(host.results.model.threads.map(({ row }, thread) => [row, thread]));
  const [ofKernel, others] = [kernelWaitsByThread(host.results), waitsByThread(host.results)];
  const lockAt = ({ begin, end, lock }: SortedWaits, time: number) => {
    const first = firstWhere(0, end.length, (i) => end[i] > time);
    return first < end.length && begin[first] <= time ? lock[first] : undefined;
  };
  return (row, time) => {
    const thread = rows.get(row);
    if (row < 0 || thread === undefined) return undefined;
    const kernelLock = lockAt(ofKernel[thread], time);
    if (kernelLock !== undefined)
      return `${host.kernelLockName(kernelLock)} (${kernelLockPlace(host, kernelLock, calls)})`;
    const lock = lockAt(others[thread], time);
    return lock === undefined ? undefined : nameOf(host, lock);
  };
}

/** @param from DisplayNs, as `to` */
function addWaits(
  found: LockTimes,
  interval: number,
  { host, waits: { begin, end, lock } }: ThreadWaits,
  from: number,
  to: number,
  looks: { left: number },
): void {
  const first = firstWhere(0, end.length, (i) => host.shown(end[i]) > from);
  for (let i = first; i < end.length && looks.left-- > 0; i++) {
    const since = host.shown(begin[i]);
    if (since >= to) return;
    const ns = Math.min(to, host.shown(end[i])) - Math.max(from, since);
    if (ns > 0) found.add(interval, host, lock[i], ns);
  }
}

function nameOf(host: LockHost, lock: number): string {
  const { locks } = host.results.model;
  return lock < locks.length ? host.lockName(lock) : host.futexName(lock - locks.length);
}

const TIMES = { interval: i32(), lock: i32(), ns: f64() };

/** Sums of times by interval and lock; intervals come one after the other. */
class LockTimes extends GrowingTable<Table<typeof TIMES>> {
  readonly names = new TextList();
  readonly #numbers = new Map<LockHost, number[]>();
  /** Rows of the current interval, by name. */
  readonly #rows = new Map<number, number>();
  #interval = -1;

  constructor() {
    super(tableOf(TIMES, 0));
  }

  add(interval: number, host: LockHost, lock: number, ns: number): void {
    const numbers = this.#numbers.get(host) ?? [];
    this.#numbers.set(host, numbers);
    const name = (numbers[lock] ??= this.names.indexOf(nameOf(host, lock)));
    if (interval !== this.#interval) this.#rows.clear();
    this.#interval = interval;
    const known = this.#rows.get(name);
    const row = known ?? this.addRow();
    this.#rows.set(name, row);
    this.rows.interval[row] = interval;
    this.rows.lock[row] = name;
    this.rows.ns[row] += ns;
  }
}

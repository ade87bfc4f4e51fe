/** Locks: what waits for them cost, deadlocks, and orders that could become one. */
import type { DisplayNs } from '../../base/units.ts';
import { textAt } from '../../base/text-column.ts';
import { STATE_DEAD, STATE_ZOMBIE, THREAD_STATES } from '../../linux/events/values.ts';
import type { TimeRange } from '../../protocol/range.ts';
import { lockAnswer } from '../locks/lock-answers.ts';
import type { LockLine, LocksAnswer } from '../../protocol/locks.ts';
import type { Facts } from './facts.ts';
import type { Measured, Measures } from './rule.ts';

/** A wait to be shown. */
interface ShownWait {
  readonly row: string;
  readonly range: TimeRange;
  readonly at: DisplayNs;
}

export interface CostlyLock extends Measured {
  readonly name: string;
  readonly spinningNs: number;
  readonly waits: number;
  readonly waiters: number;
  readonly longest: ShownWait | undefined;
}

/** Locks by their contended waits, as a share of the lives of the threads that waited. Idleness costs nothing. */
export async function costlyLocks(facts: Facts): Promise<Measures<CostlyLock>> {
  const answer = await facts.locks();
  if (answer === undefined) return { found: [] };
  const lifeOf = await lives(facts);
  const costly = answer.locks.filter(
    ({ wait, isIdle, kind }) => wait.totalNs >= facts.leastNs && isIdle !== true && HAS_OWNER.has(kind),
  );
  return { found: await Promise.all(costly.map((lock) => costOf(facts, answer, lock, lifeOf))) };
}

/** Semaphores, conditions and barriers are waited for until others have done their part: that is no contention. */
const HAS_OWNER: ReadonlySet<LockLine['kind']> = new Set(['mutex', 'spin', 'rwlock', 'file']);

async function costOf(
  { context }: Facts,
  { threads }: LocksAnswer,
  { id, name, wait, spinningNs }: LockLine,
  lifeOf: (row: string) => number,
): Promise<CostlyLock> {
  const { threadSums = [], longestWait } = (await lockAnswer(context, { lock: id })) ?? {};
  const waiters = threadSums.filter((sums) => sums.wait.count > 0);
  const lifeNs = waiters.reduce((sum, { thread }) => sum + lifeOf(threads[thread]?.row ?? ''), 0);
  const row = longestWait && threads[longestWait.waiter]?.row;
  return {
    share: Math.min(1, wait.totalNs / Math.max(1, lifeNs)),
    name,
    ns: wait.totalNs,
    spinningNs,
    waits: wait.count,
    waiters: waiters.length,
    longest: row === undefined || longestWait === undefined ? undefined : shownWait(row, longestWait),
  };
}

function shownWait(row: string, { from, to }: TimeRange): ShownWait {
  return { row, range: { from, to: Math.max(to, from + 1) }, at: Math.floor((from + to) / 2) };
}

/** How long the thread of a row lived; without a kernel's trace that is not known, and the length of the trace. */
async function lives(facts: Facts): Promise<(row: string) => number> {
  const { threads } = await facts.cpu();
  const found = new Map<string, number>();
  for (let i = 0; i < threads.length; i++) {
    const states = threads.states.subarray(i * THREAD_STATES.length, (i + 1) * THREAD_STATES.length);
    const life = states.reduce((sum, ns, state) => sum + (ENDED.has(state) ? 0 : ns), 0);
    found.set(textAt(threads.row, i), life);
  }
  return (row) => found.get(row) ?? facts.lengthNs;
}

const ENDED: ReadonlySet<number> = new Set([STATE_ZOMBIE, STATE_DEAD]);

export interface Deadlocked extends Measured {
  /** Threads, each of which waits for a lock that the next one holds. */
  readonly threads: readonly string[];
  readonly isForEver: boolean;
  readonly wait: ShownWait | undefined;
}

export async function deadlocks(facts: Facts): Promise<Measures<Deadlocked>> {
  const answer = await facts.locks();
  const found = (answer?.deadlocks ?? []).map(({ from, to, ended, threads }): Deadlocked => {
    const row = answer?.threads[threads[0]]?.row;
    return {
      share: (to - from) / Math.max(1, facts.lengthNs),
      threads: threads.map((thread) => answer?.threads[thread]?.label ?? 'a thread'),
      ns: to - from,
      isForEver: ended === 'unfinished',
      wait: row === undefined ? undefined : shownWait(row, { from, to }),
    };
  });
  return { found };
}

export interface Disorder extends Measured {
  readonly locks: readonly string[];
}

/** Locks that are taken in orders which could become a deadlock, and did not here. */
export async function lockOrders(facts: Facts): Promise<Measures<Disorder>> {
  const answer = await facts.locks();
  const nameOf = (id: string) => answer?.locks.find((lock) => lock.id === id)?.name ?? 'a lock';
  return {
    found: (answer?.inversions ?? []).map(({ locks }) => ({ share: 0, ns: 0, locks: locks.map(nameOf) })),
  };
}

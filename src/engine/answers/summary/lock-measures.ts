/** Locks: cost of waits, deadlocks, and lock orders that could become one. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { addNumber } from '../../base/group-by.ts';
import type { DisplayNs } from '../../base/units.ts';
import type { TimeRange } from '../../protocol/range.ts';
import { threadUsage } from '../statistics/cpu-usage.ts';
import { missingEvents } from '../context/recorded.ts';
import { lockAnswer } from '../locks/lock-answers.ts';
import type { CpuStats } from '../../protocol/statistics.ts';
import type * as protocol from '../../protocol/locks.ts';
import type { NamedPart } from '../../protocol/summary.ts';
import { PROGRAM_LOCKS } from '../../words/recording-commands.ts';
import { name, said } from '../../words/sentence.ts';
import type { Facts } from './facts.ts';
import type { Measured, Measures } from './rule.ts';

interface ShownWait {
  readonly row: string;
  readonly range: TimeRange;
  readonly at: DisplayNs;
}

export interface CostlyLock extends Measured {
  /** Id of the lock. */
  readonly lock: string;
  readonly name: string;
  readonly waiters: number;
  /** Number of waits that timed out. */
  readonly inVain: number;
  /** Thread that it was mostly waited for: "while fight-3 held it"; undefined: not known. */
  readonly most: readonly NamedPart[] | undefined;
  /** System calls of the waits for kernel locks: "in mmap, munmap and outside system calls"; '' unknown. */
  readonly where: string;
  readonly longest: ShownWait | undefined;
}

/**
 * Locks by their contended waits, with their share in the waiting threads' lives. Waits of idle threads do not count.
 */
export async function costlyLocks(facts: Facts): Promise<Measures<CostlyLock>> {
  const answer = await facts.locks();
  if (answer === undefined) return { found: [] };
  const { threads } = answer;
  const lifeOf = await lives(facts);
  const shareOf = (waitNs: number, waiters: readonly { readonly thread: protocol.ThreadIndex }[]) => {
    const lifeNs = waiters.reduce((sum, { thread }) => sum + lifeOf(threads[thread]?.row ?? ''), 0);
    return Math.min(1, waitNs / Math.max(1, lifeNs));
  };
  const shown = (wait: Pick<protocol.LockWaitLine, 'waiter' | 'from' | 'to'> | undefined) => {
    const row = wait && threads[wait.waiter]?.row;
    return row === undefined || wait === undefined ? undefined : shownWait(row, wait);
  };
  const ofPrograms = answer.locks
    .filter(
      ({ wait, isIdle, kind }) => wait.totalNs >= facts.leastNs && isIdle !== true && HAS_OWNER.has(kind),
    )
    .map(async ({ id, name: lock, wait, failed }): Promise<CostlyLock> => {
      const { threadSums = [], longestWait, matrix } = (await lockAnswer(facts.context, { lock: id })) ?? {};
      const waiters = threadSums.filter((sums) => sums.wait.count > 0);
      const holder = matrix === undefined ? -1 : mostHolding(matrix);
      return {
        ...{ lock: id, name: lock, ns: wait.totalNs, waiters: waiters.length, inVain: failed },
        share: shareOf(wait.totalNs, waiters),
        ...{
          most: holder < 0 ? undefined : said`while ${name(threads[holder].label, 'thread')} held it`,
          where: '',
        },
        longest: shown(longestWait),
      };
    });
  const ofKernel = answer.kernelLocks
    .filter(({ wait }) => wait.totalNs >= facts.leastNs)
    .map(({ id, name: lock, wait, waiters, wakers: [waker], calls, longest }): CostlyLock => ({
      ...{ lock: id, name: lock, ns: wait.totalNs, waiters: waiters.length, inVain: 0 },
      share: shareOf(wait.totalNs, waiters),
      most:
        waker.thread < 0 ? undefined : said`until ${name(threads[waker.thread].label, 'thread')} released it`,
      where: callWords(calls.filter(({ ns }) => ns >= LARGE_PART * wait.totalNs).map(({ call }) => call)),
      longest: shown(longest),
    }));
  return { found: [...(await Promise.all(ofPrograms)), ...ofKernel] };
}

/** Share of the waits in a system call above which it is named. */
const LARGE_PART = 0.1;

/** @param calls '': outside of system calls; undefined: not recorded */
function callWords(calls: readonly (string | undefined)[]): string {
  const named = calls.filter(Boolean);
  const within = named.length === 0 ? [] : [`in ${named.join(', ')}`];
  return [...within, ...(calls.includes('') ? ['outside system calls'] : [])].join(' and ');
}

/** Semaphores, conditions and barriers wait for others to do their part, which is no contention. */
const HAS_OWNER: ReadonlySet<protocol.LockLine['kind']> = new Set(['mutex', 'spin', 'rwlock', 'file']);

/** Thread for which others waited longest; -1: not known. */
function mostHolding({ length, holder, ns }: protocol.BlockingMatrix): protocol.ThreadIndex {
  const sums = new Map<protocol.ThreadIndex, number>();
  for (let i = 0; i < length; i++) if (holder[i] >= 0) addNumber(sums, holder[i], ns[i]);
  const [[most] = [-1]] = [...sums].sort((a, b) => b[1] - a[1]);
  return most;
}

/** Missing events of programs about their own locks; without them no lock order is known. */
export function locksOfPrograms({ context }: Facts): Promise<readonly string[]> {
  return Promise.resolve((context.layers?.info('lock')?.found?.program ?? 0) > 0 ? [] : [PROGRAM_LOCKS]);
}

/** The same events, where threads waited at futexes that nobody woke: possibly for each other. */
export function holdersOfStuck(facts: Facts): Promise<readonly string[]> {
  return holdersWhere(facts, ({ futexes }) => futexes.some(({ blocked, woken }) => blocked > woken));
}

/** The same events, where threads waited long at futexes. */
export function holdersOfContended(facts: Facts): Promise<readonly string[]> {
  return holdersWhere(facts, ({ recordCommand }) => recordCommand !== undefined);
}

async function holdersWhere(facts: Facts, isNeeded: (answer: protocol.LocksAnswer) => boolean) {
  const own = await locksOfPrograms(facts);
  const areCallsKnown = missingEvents(facts.trace.hosts, [['syscall-entry']]).length === 0;
  if (own.length === 0 || !areCallsKnown) return own;
  const answer = await facts.locks();
  return answer !== undefined && isNeeded(answer) ? own : [];
}

export interface TimeOut extends Measured {
  readonly waiter: string;
  /** Id and name of the futex. */
  readonly lock: string;
  readonly name: string;
  readonly waits: number;
}

/**
 * Futex waits that timed out, where other waits of the futex were ended by a wake-up (else the thread just sleeps).
 * Known locks are left out, as they have findings of their own.
 */
export async function timeOuts(facts: Facts): Promise<Measures<TimeOut>> {
  const { threads = [], futexes = [] } = (await facts.locks()) ?? {};
  const lifeOf = await lives(facts);
  const found = futexes
    .filter(({ lock, woken, ended }) => lock === undefined && woken > ended)
    .flatMap(({ id, name, timeOuts: all }) =>
      all.map(({ thread, times, ns }): TimeOut => {
        const { label = 'a thread', row = '' } = threads[thread] ?? {};
        const share = Math.min(1, ns / Math.max(1, lifeOf(row)));
        return { share, ns, waiter: label, lock: id, name, waits: times };
      }),
    );
  return { found: found.filter(({ ns }) => ns >= facts.leastNs) };
}

function shownWait(row: string, { from, to }: TimeRange): ShownWait {
  return { row, range: { from, to: Math.max(to, from + 1) }, at: Math.floor((from + to) / 2) };
}

/** Length of the life of a row's thread; without a kernel trace, the length of the trace. */
async function lives(facts: Facts): Promise<(row: string) => number> {
  const found = livesOf(await facts.cpu());
  return (row) => found.get(row) ?? facts.lengthNs;
}

const livesOf = cachedByKey(
  (stats: CpuStats) => new Map(threadUsage(stats).map(({ row, known }) => [row, known])),
);

export interface Deadlocked extends Measured {
  /** Threads, each waiting for a lock that the next one holds. */
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

/** Locks taken in orders that could become a deadlock, but did not here. */
export async function lockOrders(facts: Facts): Promise<Measures<Disorder>> {
  const answer = await facts.locks();
  const nameOf = (id: string) => answer?.locks.find((lock) => lock.id === id)?.name ?? 'a lock';
  return {
    found: (answer?.inversions ?? []).map(({ locks }) => ({ share: 0, ns: 0, locks: locks.map(nameOf) })),
  };
}

/** Measures of waits, who waited for whom and for what, by the critical paths of threads (`thread-waits.ts`). */
import { groupBy } from '../../base/group-by.ts';
import type { Facts } from './facts.ts';
import type { Measured, Measures } from './rule.ts';
import { ThreadRoles } from './thread-roles.ts';
import type { Blocker, Delegate, ThreadWaits } from './thread-waits.ts';

/** A thread that waited for work for more of its life than this says nothing about others: they were not late. */
const MOST_IDLE = 0.25;

/** Threads whose waits count, and what was not looked at. */
async function waiters(facts: Facts): Promise<Measures<ThreadWaits>> {
  const { threads, leftOut } = await facts.waits();
  return {
    found: threads.filter(({ idleNs, lifeNs }) => idleNs < MOST_IDLE * lifeNs),
    leftOut: leftOut > 0 ? `The waits of ${leftOut} more threads were not looked at.` : undefined,
  };
}

export interface HeldUp extends Measured {
  /** Name of the program or thread that they waited for. */
  readonly blocker: string;
  /** Names of the threads that waited, those that waited longest first. */
  readonly names: readonly string[];
  /** The one that waited longest, how long, and how much of that the other one ran. */
  readonly longest: ThreadWaits;
  readonly longestNs: number;
  readonly ranNs: number;
}

interface Pair {
  readonly waiter: ThreadWaits;
  readonly blocker: Blocker;
}

/**
 * Threads that others waited for, though these had not created them: who starts others wants to wait for them. Where both
 * wait for each other for long, as client and server do, none is said to hold up the other.
 * @param least share of its life that one has to wait
 */
export async function heldUp(facts: Facts, least: number): Promise<Measures<HeldUp>> {
  const { found, leftOut } = await waiters(facts);
  const roles = ThreadRoles.of(await facts.graph());
  const shares = new Map<string, number>();
  for (const waiter of found)
    for (const { key, ns } of waiter.blockers)
      for (const own of keysOf(waiter)) {
        const way = `${own} ${key}`;
        shares.set(way, Math.max(shares.get(way) ?? 0, ns / waiter.lifeNs));
      }
  // It waited because those did that it had created.
  const isForOthers = ({ role }: ThreadWaits, key: string, ns: number) =>
    found.some(
      (other) =>
        other.blockers.some((blocker) => blocker.key === key && 2 * blocker.ns >= ns) &&
        roles.isDescendant(other.role, role),
    );
  const isLong = ({ waiter, blocker: { key, ns } }: Pair) => {
    const share = ns / waiter.lifeNs;
    const back = Math.max(...keysOf(waiter).map((own) => shares.get(`${key} ${own}`) ?? 0));
    return ns >= facts.leastNs && share >= least && 2 * back <= share && !isForOthers(waiter, key, ns);
  };
  const pairs = found.flatMap((waiter) => waiter.blockers.map((blocker): Pair => ({ waiter, blocker })));
  const groups = groupBy(pairs.filter(isLong), ({ blocker }) => blocker.key);
  return { found: Array.from(groups.values(), heldUpBy), leftOut };
}

/** Keys by which others may have waited for it: its program, or itself among the threads of that. */
function keysOf({ role: { host, process, name } }: ThreadWaits): string[] {
  return [`${host}:${process}`, `${host}:${name}`];
}

function heldUpBy(pairs: readonly Pair[]): HeldUp {
  const own = [...pairs].sort((a, b) => b.blocker.ns - a.blocker.ns);
  const [{ waiter, blocker }] = own;
  return {
    share: blocker.ns / waiter.lifeNs,
    ns: own.reduce((sum, pair) => sum + pair.blocker.ns, 0),
    blocker: own.every((pair) => pair.blocker.label === blocker.label) ? blocker.label : blocker.name,
    names: [...new Set(own.map((pair) => pair.waiter.role.label))],
    longest: waiter,
    longestNs: blocker.ns,
    ranNs: blocker.ranNs,
  };
}

export interface Elsewhere extends Measured {
  readonly waiter: ThreadWaits;
  readonly host: string;
  /** The other host on which most of its time was spent, how long, and how long packets were on their way. */
  readonly other: string;
  readonly otherNs: number;
  readonly networkNs: number;
  /** How long softirqs had been raised and did not run, 0 where that is too short to be named. */
  readonly softirqNs: number;
}

/** Paths that lead to other hosts. */
export async function elsewhere(facts: Facts): Promise<Measures<Elsewhere>> {
  const { hosts } = await facts.graph();
  const nameOf = (place: number) => facts.trace.time.hosts[hosts[place].index].name;
  const { found, leftOut } = await waiters(facts);
  const roles = ThreadRoles.of(await facts.graph());
  const crossing = found.flatMap((waiter): Elsewhere[] => {
    const [most] = [...waiter.elsewhereNs].sort((a, b) => b[1] - a[1]);
    if (most === undefined) return [];
    const [place, otherNs] = most;
    const { networkNs, softirqNs, lifeNs, role } = waiter;
    const share = (otherNs + networkNs) / lifeNs;
    if (otherNs + networkNs < facts.leastNs) return [];
    return [
      {
        share,
        ns: otherNs + networkNs,
        waiter,
        host: nameOf(role.host),
        other: nameOf(place),
        otherNs,
        networkNs,
        softirqNs: softirqNs < facts.leastNs ? 0 : softirqNs,
      },
    ];
  });
  // A script waits on another host because what it runs does.
  const own = crossing.filter(
    ({ waiter }) => !crossing.some((other) => roles.isDescendant(other.waiter.role, waiter.role)),
  );
  return { found: own, leftOut };
}

export interface Delegated extends Measured {
  readonly root: ThreadWaits;
  /** Programs that took most of its time. */
  readonly programs: readonly Delegate[];
}

/** Where the time of the program went for which others worked longest: what a script runs. It began within the trace. */
export async function programs(facts: Facts): Promise<Measures<Delegated>> {
  const { found } = await waiters(facts);
  const { hosts } = await facts.graph();
  const isNew = ({ role: { host, thread } }: ThreadWaits) => hosts[host].tables.threads.parent[thread] >= 0;
  const [root] = found.filter(isNew).sort((a, b) => sumOf(b.delegates) - sumOf(a.delegates));
  if (root === undefined || root.delegates.length === 0) return { found: [] };
  const ns = sumOf(root.delegates);
  return { found: [{ share: ns / root.lifeNs, ns, root, programs: root.delegates }] };
}

function sumOf(delegates: readonly Delegate[]): number {
  return delegates.reduce((sum, { ns }) => sum + ns, 0);
}

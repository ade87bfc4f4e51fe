/**
 * Measures of waits for threads, for disks and for other hosts, from the critical paths of threads (`thread-waits.ts`).
 */
import type { GraphWorker } from '../../graph/execution-graph.ts';
import { waitingSoftirq } from '../../graph/path-codes.ts';
import { isOwnWork, pathOwners, timeOf } from '../paths/path-owners.ts';
import type { Facts, PathTimes } from './facts.ts';
import type { Blocker, ThreadWaits } from './thread-waits.ts';
import { groupBy, addNumber } from '../../base/group-by.ts';
import { segmentParts } from '../../graph/segment-parts.ts';
import * as values from '../../linux/events/values.ts';
import type { PathPart } from '../../protocol/paths.ts';
import { io } from '../statistics/io-stats.ts';
import type { Measured, Measures } from './rule.ts';
import { ThreadRoles } from './thread-roles.ts';

/** Share of its life waiting for work above which a thread's waits are ignored: nobody held it up. */
const MOST_IDLE = 0.25;

/** Threads whose waits count, and what was not examined. */
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
  /** Names of the waiting threads, longest wait first. */
  readonly names: readonly string[];
  /** The thread that waited longest, its ns, and how much of that the blocker ran. */
  readonly longest: ThreadWaits;
  readonly longestNs: number;
  readonly ranNs: number;
}

interface Pair {
  readonly waiter: ThreadWaits;
  readonly blocker: Blocker;
}

/**
 * Threads that others waited for without having created them (a thread waits for its children on purpose). Where two
 * wait for each other for long, as client and server do, neither holds up the other.
 * @param least share of its life that a thread must wait
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
  // Whether it waited because threads that it had created waited.
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
  return { found: await Promise.all(Array.from(groups.values(), (own) => heldUpBy(facts, own))), leftOut };
}

/** Keys under which others may have waited for it: its program, or itself among the threads of its program. */
function keysOf({ role: { host, process, name } }: ThreadWaits): string[] {
  return [`${host}:${process}`, `${host}:${name}`];
}

async function heldUpBy(facts: Facts, pairs: readonly Pair[]): Promise<HeldUp> {
  const own = [...pairs].sort((a, b) => b.blocker.ns - a.blocker.ns);
  const [{ waiter, blocker }] = own;
  const parts = partsOf(await facts.timesOn(waiter.path), blocker.workers);
  const longestNs = timeOf(parts);
  return {
    share: longestNs / waiter.lifeNs,
    ns: own.reduce((sum, pair) => sum + pair.blocker.ns, 0),
    blocker: own.every((pair) => pair.blocker.label === blocker.label) ? blocker.label : blocker.name,
    names: [...new Set(own.map((pair) => pair.waiter.role.label))],
    longest: waiter,
    longestNs,
    ranNs: timeOf(parts.filter(isOwnWork)),
  };
}

/** Parts of a path that belong to some workers, as rows of its view. */
function partsOf({ parts, numberOf }: PathTimes, workers: ReadonlySet<GraphWorker>): readonly PathPart[] {
  const numbers = new Set(Array.from(workers, numberOf));
  return parts.filter(({ worker }) => numbers.has(worker));
}

export interface Elsewhere extends Measured {
  readonly waiter: ThreadWaits;
  readonly host: string;
  /** The other host that took most of its time, its ns, and the ns of packets on their way. */
  readonly other: string;
  readonly otherNs: number;
  readonly networkNs: number;
  /** ns for which softirqs of a host were pending; undefined: too short to be named. */
  readonly softirqs: { readonly host: string; readonly ns: number } | undefined;
}

/** The path that is longest on another host; of a script that waits for a program on another host, the program's. */
export async function elsewhere(facts: Facts): Promise<Measures<Elsewhere>> {
  const { hosts } = await facts.graph();
  const { found, leftOut } = await waiters(facts);
  const roles = ThreadRoles.of(await facts.graph());
  const awayNs = ({ elsewhereNs, networkNs }: ThreadWaits) =>
    Math.max(0, ...elsewhereNs.values()) + networkNs;
  const crossing = found.filter((waiter) => waiter.elsewhereNs.size > 0 && awayNs(waiter) >= facts.leastNs);
  const [waiter] = crossing
    .filter(({ role }) => !crossing.some((other) => roles.isDescendant(other.role, role)))
    .sort((a, b) => awayNs(b) - awayNs(a));
  if (waiter === undefined) return { found: [], leftOut };
  const names = facts.trace.time.hosts;
  const own = hosts[waiter.role.host].index;
  const owners = pathOwners(await facts.timesOn(waiter.path), 'host', names);
  const other = owners.find(({ host }) => host >= 0 && host !== own);
  if (other === undefined) return { found: [], leftOut };
  const networkNs = owners.find(({ host }) => host < 0)?.ns ?? 0;
  const [late] = owners
    .filter(({ host }) => host >= 0)
    .map(({ name, parts }) => {
      return { host: name, ns: timeOf(parts.filter(({ value }) => waitingSoftirq(value) >= 0)) };
    })
    .sort((a, b) => b.ns - a.ns);
  const ns = other.ns + networkNs;
  return {
    found: [
      {
        ...{ share: ns / waiter.lifeNs, ns, waiter, networkNs, host: names[own].name },
        ...{ other: other.name, otherNs: other.ns, softirqs: late.ns < facts.leastNs ? undefined : late },
      },
    ],
    leftOut,
  };
}

export interface Delegated extends Measured {
  readonly root: ThreadWaits;
  /** Programs that took most of its time. */
  readonly programs: readonly { readonly label: string; readonly ns: number; readonly threads: number }[];
}

/**
 * The program for which others worked longest, and where its time went: what a script runs. It began within the trace.
 */
export async function programs(facts: Facts): Promise<Measures<Delegated>> {
  const { found } = await waiters(facts);
  const { hosts } = await facts.graph();
  const isNew = ({ role: { host, thread } }: ThreadWaits) => hosts[host].tables.threads.parent[thread] >= 0;
  const [root] = found.filter(isNew).sort((a, b) => timeOf(b.delegates) - timeOf(a.delegates));
  if (root === undefined || root.delegates.length === 0) return { found: [] };
  const times = await facts.timesOn(root.path);
  const programs = root.delegates.map(({ label, workers }) => {
    return { label, ns: timeOf(partsOf(times, workers)), threads: workers.size };
  });
  programs.sort((a, b) => b.ns - a.ns);
  return { found: [{ share: timeOf(root.delegates) / root.lifeNs, ns: timeOf(programs), root, programs }] };
}

interface DiskWait extends Measured {
  /** Programs that waited, longest wait first. */
  readonly programs: readonly string[];
  /** The thread of the first program that waited longest, and the ns for which its path waited for disks. */
  readonly longest: ThreadWaits;
  readonly longestNs: number;
  readonly disk: string | undefined;
  /** The other process that the disk served longest meanwhile, and its ns; undefined: none. */
  readonly other: string | undefined;
  readonly otherNs: number;
}

/** One measure for each host, of the programs that waited long: mostly they wait for each other's requests. */
export async function diskWaits(facts: Facts): Promise<Measures<DiskWait>> {
  const { threads } = await facts.waits();
  const slow = [...groupBy(threads, ({ role }) => `${role.host} ${role.process}`).values()]
    .map(sumOf)
    .filter(({ ns, lifeNs }) => ns >= facts.leastNs && ns >= LEAST_DISK_SHARE * lifeNs)
    .sort((a, b) => b.ns - a.ns);
  const found: DiskWait[] = [];
  for (const own of groupBy(slow, ({ longest }) => longest.role.host).values()) {
    const [{ ns, lifeNs, longest }] = own;
    found.push({
      share: ns / lifeNs,
      ns: own.reduce((sum, program) => sum + program.ns, 0),
      programs: own.map((program) => program.longest.role.process),
      longest,
      longestNs: timeOf((await facts.timesOn(longest.path)).parts.filter(isDiskWait)),
      ...(await servedMeanwhile(facts, longest)),
    });
  }
  return { found };
}

function isDiskWait({ value }: Pick<PathPart, 'value'>): boolean {
  return value >= 0 && values.isBlocked(value) && values.causeOf(value) === values.CAUSE_DISK;
}

interface Program {
  readonly ns: number;
  readonly lifeNs: number;
  readonly longest: ThreadWaits;
}

function sumOf(threads: readonly ThreadWaits[]): Program {
  return {
    ns: threads.reduce((sum, { diskNs }) => sum + diskNs, 0),
    lifeNs: threads.reduce((sum, thread) => sum + thread.lifeNs, 0),
    longest: threads.reduce((most, thread) => (thread.diskNs > most.diskNs ? thread : most)),
  };
}

/** Smallest share of a program's time that makes a disk worth reporting. */
export const LEAST_DISK_SHARE = 0.1;

/** The disk that served longest during the waits on a thread's path, and the other process that it served longest. */
async function servedMeanwhile(
  facts: Facts,
  { path, role: own }: ThreadWaits,
): Promise<Pick<DiskWait, 'disk' | 'other' | 'otherNs'>> {
  const known = await facts.graph();
  const roles = ThreadRoles.of(known);
  const { served } = await segmentParts(known.graph, path);
  const disks = new Map<string, number>();
  const others = new Map<string, number>();
  for (const each of [...served.values()].flat()) {
    addNumber(disks, each.device, each.ns);
    const role = roles.role(each.worker);
    if (role === undefined || role.isKernel || role.process === own.process) continue;
    addNumber(others, role.process, each.ns);
  }
  const [device] = most(disks);
  const names = (await io.answer(facts.context, {})).disks;
  const disk = names.find((each) => each.host === known.hosts[own.host].index && each.device === device)?.dev;
  const [other, otherNs] = most(others);
  return { disk, other, otherNs };
}

function most(sums: ReadonlyMap<string, number>): readonly [string | undefined, number] {
  let found: readonly [string | undefined, number] = [undefined, 0];
  for (const sum of sums) if (sum[1] > found[1]) found = sum;
  return found;
}

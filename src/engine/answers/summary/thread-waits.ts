/**
 * Waits of threads, for whom and for what, from the critical paths (`main task`) of their lives; the work is bounded.
 */
import { textAt } from '../../base/text-column.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { addNumber } from '../../base/group-by.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import { findPath } from '../../graph/find-path.ts';
import { BLOCKED, NETWORK, PREEMPTED, RUNNING } from '../../graph/path-codes.ts';
import type { Path } from '../../graph/path.ts';
import * as values from '../../linux/events/values.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import type { CpuStats } from '../../protocol/statistics.ts';
import { type ThreadRole, ThreadRoles } from './thread-roles.ts';

/** Times are ns on the path of the thread over its life. */
export interface ThreadWaits {
  readonly row: string;
  readonly role: ThreadRole;
  readonly path: Path;
  readonly lifeNs: number;
  /** Ready while others ran, or while the CPU was idle. */
  readonly readyNs: number;
  /** Blocked until a disk had finished, itself or through a kernel thread that it waited for. */
  readonly diskNs: number;
  readonly networkNs: number;
  /** Spent by threads of other hosts, by place of the host. */
  readonly elsewhereNs: ReadonlyMap<number, number>;
  /** Spent by threads that it did not create, most time first. */
  readonly blockers: readonly Blocker[];
  /** Spent by threads that it created, and their descendants, without sleeps; by name, most time first. */
  readonly delegates: readonly Delegate[];
  /** Waited for work, as far as can be told: until threads that mostly sleep woke it, or without an end in sight. */
  readonly idleNs: number;
}

export interface Blocker {
  /** `HOST:NAME` of its program, or of the thread where both belong to one process. */
  readonly key: string;
  readonly name: string;
  /** Name with the tid where several threads share it. */
  readonly label: string;
  /**
   * ns for which it was waited for, by segments of the path; sentences use what the path's view shows for `workers`.
   */
  readonly ns: number;
  readonly workers: ReadonlySet<GraphWorker>;
}

interface Delegate {
  /** Name, as for blockers; likewise `ns` and `workers`. */
  readonly label: string;
  readonly ns: number;
  readonly workers: ReadonlySet<GraphWorker>;
}

export interface WaitFacts {
  /** Longest blocked first. */
  readonly threads: readonly ThreadWaits[];
  /** Number of threads that were blocked as long and not examined. */
  readonly leftOut: number;
}

/** Maximum number of paths: a trace of many short processes has very many alike. */
const MOST_PATHS = 200;
/** Maximum number of edges of all paths together, about 10 µs each. */
const MOST_EDGES = 30_000;
/** Edges between two checks for other questions. */
const STEPS = 5000;

/** Waits by graph, cached. */
export const threadWaits = cachedByKey(findWaits);

interface Candidate {
  readonly row: string;
  readonly worker: GraphWorker;
  readonly role: ThreadRole;
  readonly blockedNs: number;
}

async function findWaits(
  known: PathGraph,
  trace: OpenTrace,
  cpu: CpuStats,
  leastNs: number,
): Promise<WaitFacts> {
  const roles = ThreadRoles.of(known);
  const candidates = candidatesOf(known, roles, cpu, leastNs);
  const threads: ThreadWaits[] = [];
  let edges = 0;
  for (const candidate of candidates.slice(0, MOST_PATHS)) {
    if (edges >= MOST_EDGES) break;
    const { row, worker, role } = candidate;
    const range = await trace.paths.rangeOf(known, worker);
    const request = { worker, ...range, criterion: 'main task', marked: new Set<GraphWorker>() } as const;
    let visited = 0;
    const isCheap = (now: number) => edges + (visited = now) < MOST_EDGES;
    const path = await findPath(known.graph, request, isCheap, STEPS);
    edges += path?.visited ?? visited;
    if (path !== undefined && path.to > path.from) threads.push(waitsOn(roles, { row, role, path }));
  }
  return { threads, leftOut: candidates.length - threads.length };
}

/** Threads of programs that were blocked long, those that began within the trace first. */
function candidatesOf(
  known: PathGraph,
  roles: ThreadRoles,
  { threads: stats }: CpuStats,
  leastNs: number,
): Candidate[] {
  const candidates: Candidate[] = [];
  for (let i = 0; i < stats.length; i++) {
    const at = i * values.THREAD_STATES.length;
    const blockedNs = stats.states[at + values.STATE_BLOCKED_S] + stats.states[at + values.STATE_BLOCKED_D];
    if (blockedNs < leastNs) continue;
    const row = textAt(stats.row, i);
    const worker = known.workerOfRow(row);
    const role = worker === undefined ? undefined : roles.role(worker);
    if (worker === undefined || role === undefined || role.isKernel || role.isTracer) continue;
    candidates.push({ row, worker, role, blockedNs });
  }
  const isOld = ({ role: { host, thread } }: Candidate) =>
    Number(known.hosts[host].tables.threads.parent[thread] < 0);
  return candidates.sort((a, b) => isOld(a) - isOld(b) || b.blockedNs - a.blockedNs);
}

interface Group {
  readonly key: string;
  readonly name: string;
  /** Label of its only thread or program, else its name. */
  label: string;
  ranNs: number;
  otherNs: number;
  sleptNs: number;
  readonly workers: Set<GraphWorker>;
}

/** Adds up the parts of a thread's path. */
function waitsOn(
  roles: ThreadRoles,
  { row, role, path }: Pick<ThreadWaits, 'row' | 'role' | 'path'>,
): ThreadWaits {
  const { segments: s } = path;
  const others = new Map<string, Group>();
  const delegates = new Map<string, Group>();
  const elsewhereNs = new Map<number, number>();
  let [readyNs, diskNs, networkNs, idleNs] = [0, 0, 0, 0];
  for (let i = 0; i < s.length; i++) {
    const ns = s.to[i] - s.from[i];
    const label = s.label[i];
    const cause = label === BLOCKED ? values.causeOf(s.cause[i]) : values.CAUSE_NONE;
    const isOwn = s.worker[i] === path.worker;
    const other = isOwn ? role : roles.role(s.worker[i]);
    if (label === NETWORK) networkNs += ns;
    else if (label === PREEMPTED && isOwn) readyNs += ns;
    else if (cause === values.CAUSE_DISK && (isOwn || (other?.isKernel && isOfProgram(roles, path, role, i))))
      diskNs += ns;
    else if (label !== RUNNING && label !== PREEMPTED && (label !== BLOCKED || cause === values.CAUSE_NONE))
      idleNs += ns;
    else if (!isOwn && other !== undefined && !other.isKernel && !other.isTracer) {
      if (other.host !== role.host) addNumber(elsewhereNs, other.host, ns);
      const isDelegate = roles.isDescendant(other, role);
      const group = isDelegate
        ? groupIn(delegates, other.name, other.name, other.label)
        : blockerIn(others, other, role);
      group.workers.add(s.worker[i]);
      if (label === RUNNING) group.ranNs += ns;
      else if (cause === values.CAUSE_TIMER) group.sleptNs += ns;
      else group.otherNs += ns;
    }
  }
  const blockers: Blocker[] = [];
  for (const { key, name, label, ranNs, otherNs, sleptNs, workers } of others.values()) {
    // A thread that mostly sleeps does nothing that others wait for: it comes back with work.
    const isAsleep = sleptNs > ranNs + otherNs;
    if (isAsleep) idleNs += sleptNs;
    blockers.push({ key, name, label, workers, ns: ranNs + otherNs + (isAsleep ? 0 : sleptNs) });
  }
  return {
    ...{ row, role, path, readyNs, diskNs, networkNs, elsewhereNs, idleNs },
    lifeNs: path.to - path.from,
    blockers: blockers.sort((a, b) => b.ns - a.ns),
    // Threads that mostly sleep are waited for on purpose.
    delegates: [...delegates.values()]
      .filter(({ ranNs, otherNs, sleptNs }) => ranNs + otherNs >= sleptNs)
      .map(({ label, ranNs, otherNs, workers }) => ({ label, ns: ranNs + otherNs, workers }))
      .sort((a, b) => b.ns - a.ns),
  };
}

/** Whether a segment explains a wait of the thread's own program, skipping kernel threads in between. */
function isOfProgram(
  roles: ThreadRoles,
  { worker, segments, waits }: Path,
  own: ThreadRole,
  i: number,
): boolean {
  let wait = segments.wait[i];
  while (wait >= 0 && roles.role(waits.worker[wait])?.isKernel) wait = waits.parent[wait];
  const waiter = roles.role(wait < 0 ? worker : waits.worker[wait]);
  return waiter?.host === own.host && waiter.process === own.process;
}

function blockerIn(groups: Map<string, Group>, other: ThreadRole, own: ThreadRole): Group {
  const isSibling = other.host === own.host && other.leader === own.leader;
  const name = isSibling ? other.name : other.process;
  return groupIn(groups, `${other.host}:${name}`, name, isSibling ? other.label : other.processLabel);
}

function groupIn(groups: Map<string, Group>, key: string, name: string, label: string): Group {
  let group = groups.get(key);
  if (group === undefined) {
    group = { key, name, label, ranNs: 0, otherNs: 0, sleptNs: 0, workers: new Set() };
    groups.set(key, group);
  }
  if (group.label !== label) group.label = name;
  return group;
}

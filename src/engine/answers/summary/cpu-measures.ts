/** Threads that were ready and did not run: because others ran on their CPU, or though nobody did. */
import { textAt } from '../../base/text-column.ts';
import { findPath } from '../../graph/find-path.ts';
import { PREEMPTED } from '../../graph/path-codes.ts';
import type { Path } from '../../graph/path.ts';
import { segmentParts } from '../../graph/segment-parts.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { STATE_PREEMPTED, STATE_WOKEN, THREAD_STATES } from '../../linux/events/values.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import { longestWakeUp, waitsByPriority } from '../statistics/sched-stats.ts';
import { type Facts, MOST_EVENTS } from './facts.ts';
import type { Measured, Measures } from './rule.ts';
import { type ThreadRole, ThreadRoles } from './thread-roles.ts';
import { type CallCount, frequentCalls } from '../statistics/call-stats.ts';
import { threadUsage } from '../statistics/cpu-usage.ts';

/** Share of its life that a thread has to be ready. */
export const LEAST_READY = 0.2;
/** Threads that are looked at, those that were ready for longest, and edges of the path of each. */
const MOST_THREADS = 4;
const MOST_EDGES = 8_000;

interface Ready {
  readonly row: string;
  readonly role: ThreadRole;
  readonly lifeNs: number;
  readonly readyNs: number;
  /** Others ran on its CPU meanwhile: by name. */
  readonly others: ReadonlyMap<string, number>;
  readonly othersNs: number;
  /** Its CPU was idle though it had not been woken just then: something keeps it from running. */
  readonly heldBackNs: number;
}

export interface NotRunning extends Measured {
  /** Names of threads, the one that waited longest first, of which the rest is. */
  readonly names: readonly string[];
  readonly row: string;
  readonly longestNs: number;
  /** Name of the thread that ran most meanwhile; undefined: none ran. */
  readonly other: string | undefined;
}

/** CPUs that several threads wanted at once. */
export async function cpuWaits(facts: Facts): Promise<Measures<NotRunning>> {
  const threads = await readyThreads(facts);
  return measured(
    threads,
    ({ othersNs }) => othersNs,
    facts.leastNs,
    ({ readyNs }) => readyNs,
  );
}

/** Threads that a control group's limit of CPU time kept from running, most likely: the kernel has no event for it. */
export async function throttled(facts: Facts): Promise<Measures<NotRunning>> {
  return measured(await readyThreads(facts), ({ heldBackNs }) => heldBackNs, facts.leastNs);
}

/** @param toldNs ns that are told, as a row of the path's view has them */
function measured(
  threads: readonly Ready[],
  nsOf: (thread: Ready) => number,
  leastNs: number,
  toldNs = nsOf,
): Measures<NotRunning> {
  const long = threads
    .filter((thread) => nsOf(thread) >= leastNs && nsOf(thread) >= LEAST_READY * thread.lifeNs)
    .sort((a, b) => nsOf(b) - nsOf(a));
  if (long.length === 0) return { found: [] };
  const [first] = long;
  const [most] = [...first.others].sort((a, b) => b[1] - a[1]);
  const found: NotRunning = {
    share: toldNs(first) / first.lifeNs,
    ns: long.reduce((sum, thread) => sum + nsOf(thread), 0),
    names: [...new Set(long.map(({ role }) => role.label))],
    row: first.row,
    longestNs: toldNs(first),
    other: most?.[0],
  };
  return { found: [found] };
}

/** Found once for each graph. */
async function readyThreads(facts: Facts): Promise<readonly Ready[]> {
  return foundFor(await facts.graph())(facts);
}

const foundFor = cachedByKey((known: PathGraph) => {
  let found: Promise<readonly Ready[]> | undefined;
  return (facts: Facts) => (found ??= findReady(facts, known));
});

async function findReady(facts: Facts, known: PathGraph): Promise<readonly Ready[]> {
  const roles = ThreadRoles.of(known);
  const { threads } = await facts.cpu();
  const readyNs = (i: number) =>
    threads.states[i * THREAD_STATES.length + STATE_PREEMPTED] +
    threads.states[i * THREAD_STATES.length + STATE_WOKEN];
  const longest = Array.from({ length: threads.length }, (_, i) => i)
    .filter((i) => readyNs(i) >= facts.leastNs)
    .sort((a, b) => readyNs(b) - readyNs(a));
  const found: Ready[] = [];
  for (const i of longest) {
    if (found.length === MOST_THREADS) break;
    const row = textAt(threads.row, i);
    const worker = known.workerOfRow(row);
    const role = worker === undefined ? undefined : roles.role(worker);
    if (worker === undefined || role === undefined || role.isKernel || role.isTracer) continue;
    const range = await facts.trace.paths.rangeOf(known, worker);
    if (readyNs(i) < LEAST_READY * (range.to - range.from)) continue;
    const request = { worker, ...range, criterion: 'main task' } as const;
    const path = await findPath(known.graph, request, (edges) => edges < MOST_EDGES, MOST_EDGES);
    if (path !== undefined) found.push({ row, role, ...(await insteadOf(known, roles, path)) });
  }
  return found;
}

/** Sums the time in which the thread of a path was ready by who ran meanwhile, as the path's own parts have it. */
async function insteadOf(
  known: PathGraph,
  roles: ThreadRoles,
  path: Path,
): Promise<Omit<Ready, 'row' | 'role'>> {
  const { parts, blockers } = await segmentParts(known.graph, path);
  const { segments: s } = path;
  const others = new Map<string, number>();
  let [readyNs, othersNs, heldBackNs] = [0, 0, 0];
  for (let i = 0; i < s.length; i++) {
    if (s.worker[i] !== path.worker || s.label[i] !== PREEMPTED) continue;
    for (let part = parts.start[i]; part < parts.start[i + 1]; part++) {
      const blocker = blockers[parts.blocker[part]] as (typeof blockers)[number] | undefined;
      const ns = parts.ns[part];
      readyNs += ns;
      if (blocker?.kind === 'idle' && blocker.waits === 'preempted') heldBackNs += ns;
      if (blocker?.kind !== 'thread') continue;
      const other = roles.role(blocker.worker);
      const name = other?.isTracer ? 'the tracer' : (other?.label ?? 'a thread');
      others.set(name, (others.get(name) ?? 0) + ns);
      othersNs += ns;
    }
  }
  return { lifeNs: path.to - path.from, readyNs, others, othersNs, heldBackNs };
}

export interface LateWakeUp extends Measured {
  readonly name: string;
  readonly row: string;
  /** Real-time priority, 1 to 99. */
  readonly priority: number;
  readonly longestNs: number;
}

/** ns that a thread of real-time priority may have to wait for a CPU after it was woken: a tenth of a usual period. */
const LATE = 1e6;
/** Priorities as LTTng counts: real-time ones are from 99 at -100 to 1 at -2; 99 is the kernel's own. */
const REAL_TIME = { from: -99, to: -2 } as const;

/** Threads of programs and of interrupts that have a real-time priority and came late to a CPU after they were woken. */
export async function lateWakeUps(facts: Facts): Promise<Measures<LateWakeUp>> {
  if ((await longestWakeUp(facts.trace)) < LATE) return { found: [] };
  if (facts.trace.recorded().events > MOST_EVENTS)
    return { found: [], leftOut: 'Whether threads of real-time priority ran in time was not looked at.' };
  const found = (await waitsByPriority(facts.trace)).flatMap(
    ({ priority = 0, woken: { longest, totalNs } }): LateWakeUp[] => {
      const [most] = longest;
      if (most === undefined || most.ns < LATE || priority < REAL_TIME.from || priority > REAL_TIME.to)
        return [];
      const { name, row, ns: longestNs } = most;
      return [{ share: 1, ns: totalNs, name, row, priority: -1 - priority, longestNs }];
    },
  );
  return { found };
}

/** "Try again": the call would have had to wait. */
const EAGAIN = 11;

/** Gives the CPU to others, if any wants it. */
const YIELD = 'sched_yield';

/** Calls that a thread has to make, and how many of them have to ask in vain: a server makes others between them. */
const LEAST_CALLS = 1000;
const MOSTLY = 0.9;

interface Polling extends Measured {
  readonly name: string;
  readonly call: string;
  readonly times: number;
}

/** Threads that poll, by the share of their life, as far as it is known, that they were on a CPU. */
export async function polling(facts: Pick<Facts, 'context' | 'cpu' | 'leastNs'>): Promise<Measures<Polling>> {
  const asking = (await frequentCalls(facts.context, LEAST_CALLS)).filter((pair) => {
    const times = timesInVain(pair);
    return times >= LEAST_CALLS && times >= MOSTLY * pair.ofThread;
  });
  if (asking.length === 0) return { found: [] };
  const usage = new Map(threadUsage(await facts.cpu()).map((thread) => [thread.row, thread]));
  const found = asking.flatMap((pair): Polling[] => {
    const { onCpu = 0, known = 0 } = usage.get(pair.row ?? '') ?? {};
    if (onCpu < facts.leastNs || known === 0) return [];
    const { name, call } = pair;
    return [{ share: onCpu / known, ns: onCpu, name, call, times: timesInVain(pair) }];
  });
  return { found };
}

function timesInVain({ call, count, failures }: CallCount): number {
  if (call === YIELD) return count;
  return failures.reduce((sum, failure) => sum + (failure.errno === EAGAIN ? failure.count : 0), 0);
}

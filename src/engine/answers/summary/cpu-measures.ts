/** Use of CPUs: busy hosts, interrupts, and threads that were ready and did not run, or that polled. */
import { textAt } from '../../base/text-column.ts';
import { findPath } from '../../graph/find-path.ts';
import { PREEMPTED } from '../../graph/path-codes.ts';
import type { Path } from '../../graph/path.ts';
import { segmentParts } from '../../graph/segment-parts.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { addNumber } from '../../base/group-by.ts';
import { STATE_PREEMPTED, STATE_WOKEN, THREAD_STATES } from '../../linux/events/values.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import { longestWakeUp, waitsByPriority } from '../statistics/sched-stats.ts';
import { type Facts, MOST_EVENTS } from './facts.ts';
import { type ThreadRole, ThreadRoles } from './thread-roles.ts';
import { type CallCount, frequentCalls } from '../statistics/call-stats.ts';
import { threadUsage, busyOf, interruptsOf, knownOf, loadOf } from '../statistics/cpu-usage.ts';
import { irq } from '../statistics/irq-stats.ts';
import { titleOf } from '../statistics/tables/irq.ts';
import type { IrqStat } from '../../protocol/statistics.ts';
import type { Measured, Measures } from './rule.ts';

/** Share of its life that a thread must be ready. */
export const LEAST_READY = 0.2;
/** Maximum number of threads examined, those that were ready longest, and of edges of each one's path. */
const MOST_THREADS = 4;
const MOST_EDGES = 8_000;

interface Ready {
  readonly row: string;
  readonly role: ThreadRole;
  readonly lifeNs: number;
  readonly readyNs: number;
  /** ns of other threads on its CPU meanwhile, by name. */
  readonly others: ReadonlyMap<string, number>;
  readonly othersNs: number;
  /** ns in which its CPU was idle, except directly after a wake-up: something keeps the thread from running. */
  readonly heldBackNs: number;
}

export interface NotRunning extends Measured {
  /** Names of threads, longest wait first; other fields describe the first one. */
  readonly names: readonly string[];
  readonly row: string;
  readonly longestNs: number;
  /** Name of the thread that ran most meanwhile; undefined: none. */
  readonly other: string | undefined;
}

/** CPUs for which several threads competed. */
export async function cpuWaits(facts: Facts): Promise<Measures<NotRunning>> {
  const threads = await readyIn(await facts.graph(), facts);
  return measured(
    threads,
    ({ othersNs }) => othersNs,
    facts.leastNs,
    ({ readyNs }) => readyNs,
  );
}

/** Threads that a control group's CPU limit probably kept from running: the kernel has no event for it. */
export async function throttled(facts: Facts): Promise<Measures<NotRunning>> {
  return measured(await readyIn(await facts.graph(), facts), ({ heldBackNs }) => heldBackNs, facts.leastNs);
}

/** @param shownNs ns for the sentence, as a row of the path's view has them */
function measured(
  threads: readonly Ready[],
  nsOf: (thread: Ready) => number,
  leastNs: number,
  shownNs = nsOf,
): Measures<NotRunning> {
  const long = threads
    .filter((thread) => nsOf(thread) >= leastNs && nsOf(thread) >= LEAST_READY * thread.lifeNs)
    .sort((a, b) => nsOf(b) - nsOf(a));
  if (long.length === 0) return { found: [] };
  const [first] = long;
  const [most] = [...first.others].sort((a, b) => b[1] - a[1]);
  const found: NotRunning = {
    share: shownNs(first) / first.lifeNs,
    ns: long.reduce((sum, thread) => sum + nsOf(thread), 0),
    names: [...new Set(long.map(({ role }) => role.label))],
    row: first.row,
    longestNs: shownNs(first),
    other: most?.[0],
  };
  return { found: [found] };
}

/** Cached for each graph. */
const readyIn = cachedByKey(async (known: PathGraph, facts: Facts): Promise<readonly Ready[]> => {
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
    if (path !== undefined) found.push({ row, role, ...(await competitorsOf(known, roles, path)) });
  }
  return found;
});

/** Time in which the thread of a path was ready, by who ran meanwhile, from the parts that the path's view shows. */
async function competitorsOf(
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
      addNumber(others, name, ns);
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

/** ns that a thread of real-time priority may wait for a CPU after it was woken: a tenth of a usual period. */
const LATE = 1e6;
/** Priorities as LTTng records them: real-time 1 to 99 are -2 to -100; 99 (-100) is used by the kernel itself. */
const REAL_TIME = { from: -99, to: -2 } as const;

/** Threads of programs and of interrupts with a real-time priority that came late to a CPU after they were woken. */
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

/** Error "try again": the call would have had to wait. */
const EAGAIN = 11;

/** Yields the CPU to other threads. */
const YIELD = 'sched_yield';

/** Minimum number of calls of a thread, and the share that must fail: a server makes other calls in between. */
const LEAST_CALLS = 1000;
const MOSTLY = 0.9;

interface Polling extends Measured {
  readonly name: string;
  readonly call: string;
  readonly times: number;
}

/** Threads that poll, by the share of the known time of their life that they were on a CPU. */
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

interface Saturated extends Measured {
  readonly host: string;
  /** Numbers of the CPUs with a known activity. */
  readonly cpus: readonly number[];
  /** Whether the time of all CPUs of the host is known. */
  readonly isWhole: boolean;
  /** Name of the thread that ran longest on them, and its ns; undefined: none ran. */
  readonly most: string | undefined;
  readonly mostNs: number;
}

/** Share of unknown time that is not mentioned. */
const NEGLIGIBLE = 0.01;

/** Hosts by the share of time in which their CPUs were busy. */
export async function saturated(facts: Pick<Facts, 'cpu' | 'trace'>): Promise<Measures<Saturated>> {
  const stats = await facts.cpu();
  const { cpus } = stats;
  const threads = threadUsage(stats);
  const found = facts.trace.time.hosts.flatMap(({ name }, host): Saturated[] => {
    const all = cpus.filter((cpu) => cpu.host === host);
    const own = all.filter((cpu) => knownOf(cpu) > 0);
    const knownNs = own.reduce((sum, cpu) => sum + knownOf(cpu), 0);
    const unknownNs = all.reduce((sum, cpu) => sum + cpu.unknown, 0);
    if (knownNs === 0) return [];
    const busyNs = own.reduce((sum, cpu) => sum + busyOf(cpu), 0);
    let [most, mostNs]: [string | undefined, number] = [undefined, 0];
    for (const usage of threads)
      if (usage.host === host && usage.onCpu > mostNs) [most, mostNs] = [usage.name, usage.onCpu];
    const isWhole = unknownNs <= NEGLIGIBLE * (knownNs + unknownNs);
    const numbers = own.map(({ cpu }) => cpu);
    return [{ share: loadOf(...own), ns: busyNs, host: name, cpus: numbers, isWhole, most, mostNs }];
  });
  return { found };
}

interface Interrupted extends Measured {
  readonly host: string;
  readonly cpu: number;
  /** Name of the interrupt that took most of it, and its ns; undefined: none ended in the trace. */
  readonly most: string | undefined;
  readonly mostNs: number;
}

/** CPUs by the share of their time spent in interrupts. */
export async function interrupted(
  facts: Pick<Facts, 'context' | 'cpu' | 'trace' | 'leastNs'>,
): Promise<Measures<Interrupted>> {
  const { cpus } = await facts.cpu();
  const much = cpus.filter((cpu) => interruptsOf(cpu) >= facts.leastNs);
  if (much.length === 0) return { found: [] };
  const kinds = (await irq.answer(facts.context, {})).cpus;
  const found = much.map((cpu): Interrupted => {
    const most = longest(kinds.filter((kind) => kind.host === cpu.host && kind.cpu === cpu.cpu));
    return {
      share: interruptsOf(cpu) / knownOf(cpu),
      ns: interruptsOf(cpu),
      host: facts.trace.time.hosts[cpu.host].name,
      cpu: cpu.cpu,
      most: most && titleOf(most),
      mostNs: most?.run.totalNs ?? 0,
    };
  });
  return { found };
}

function longest(kinds: readonly IrqStat[]): IrqStat | undefined {
  return kinds.reduce<IrqStat | undefined>(
    (most, kind) => (most === undefined || kind.run.totalNs > most.run.totalNs ? kind : most),
    undefined,
  );
}

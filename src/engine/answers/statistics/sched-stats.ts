/** Waits for a CPU in a range: by thread, by priority, and all together. */
import { append } from '../../base/append.ts';
import { DurationSums } from '../../linux/sums/duration-sums.ts';
import { priorities, type Priorities } from '../../linux/sums/priorities.ts';
import { eachDelay, type OnDelay, schedDelays } from '../../linux/states/read/sched-delays.ts';
import { STATE_WOKEN } from '../../linux/events/values.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import { threadOf } from '../context/thread-rows.ts';
import {
  durationStat,
  durationStatOf,
  inDisplayTime,
  NO_DURATION,
  type DurationGroup,
  type Owner,
} from './duration-stat.ts';
import { timesOfHost } from './range-aggregates.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { SchedPriorityStat, SchedRequest, SchedStat, SchedStats } from '../../protocol/statistics.ts';
import { sched as tables } from './tables/sched.ts';

export const sched = statistic<SchedStats, SchedRequest>({
  tables,
  needs: [['switch'], ['waking', 'wakeup']],
  none: { threads: [], priorities: undefined, woken: NO_DURATION, preempted: NO_DURATION },
  count,
});

async function count(
  { hosts, range, trace }: StatisticScope,
  { withPriorities = false }: SchedRequest,
): Promise<Counted<SchedStats>> {
  const known = withPriorities
    ? await trace.onDemand?.resultOf<readonly Priorities[]>(priorities.id)
    : undefined;
  const ofPriorities: SchedPriorityStat[] = [];
  const threads: SchedStat[] = [];
  const owners: Owner[] = [];
  const woken: DurationGroup[] = [];
  const preempted: DurationGroup[] = [];
  for (const host of hosts.filter(isKernelHost)) {
    const { query, tables, clock } = host;
    const waits = known && new WaitsByPriority(host, known);
    const delays = await schedDelays(query, tables, timesOfHost(range, clock), waits?.add);
    if (waits !== undefined) append(ofPriorities, waits.stats(owners));
    const afterWakeUp = inDisplayTime(delays.woken, clock, owners, threadOwner(host));
    const afterPreemption = inDisplayTime(delays.preempted, clock, owners, threadOwner(host));
    for (let group = 0; group < tables.threads.length; group++) {
      // Idle threads do not wait.
      if (tables.threads.tid[group] === 0) continue;
      if (afterWakeUp.count[group] + afterPreemption.count[group] === 0) continue;
      woken.push({ table: afterWakeUp, group });
      preempted.push({ table: afterPreemption, group });
      threads.push({
        ...threadOf(host, group),
        woken: durationStat(afterWakeUp, group, owners),
        preempted: durationStat(afterPreemption, group, owners),
      });
    }
  }
  return {
    threads,
    priorities: known && ofPriorities,
    woken: durationStatOf(woken, owners),
    preempted: durationStatOf(preempted, owners),
  };
}

/** The longest wait of a thread for a CPU after it was woken, in the whole trace; ns. */
export async function longestWakeUp({ hosts }: Pick<OpenTrace, 'hosts'>): Promise<number> {
  let longest = 0;
  for (const { query, tables } of hosts.filter(isKernelHost))
    await eachDelay(query, tables, ALL_TIME, (thread, state, _, ns) => {
      if (state === STATE_WOKEN && ns > longest && tables.threads.tid[thread] !== 0) longest = ns;
    });
  return longest;
}

/** Waits by priority in the whole trace; none without the files. */
export async function waitsByPriority(trace: OpenTrace): Promise<SchedPriorityStat[]> {
  const { hosts, onDemand } = trace;
  const known = await onDemand?.resultOf<readonly Priorities[]>(priorities.id);
  const found: SchedPriorityStat[] = [];
  for (const host of known === undefined ? [] : hosts.filter(isKernelHost)) {
    const waits = new WaitsByPriority(host, known ?? []);
    await eachDelay(host.query, host.tables, ALL_TIME, waits.add);
    append(found, waits.stats([]));
  }
  return found;
}

const ALL_TIME = { from: -Infinity, to: Infinity };

/** Waits of a host, by the priority that the thread had when it came to the CPU. */
class WaitsByPriority {
  readonly #priorities: Priorities | undefined;
  readonly #woken = new DurationSums();
  readonly #preempted = new DurationSums();
  /** Groups by priority; NaN: not known. */
  readonly #groups = new Map<number, { readonly group: number; readonly threads: Set<number> }>();

  constructor(
    private readonly host: KernelHost,
    known: readonly Priorities[],
  ) {
    this.#priorities = known.find((one) => one.host === host.index);
  }

  readonly add: OnDelay = (thread, state, begin, ns) => {
    const tid = this.host.tables.threads.tid[thread];
    // Idle threads do not wait.
    if (tid === 0) return;
    const priority = this.#priorities?.at(tid, begin + ns) ?? NaN;
    const known = this.#groups.get(priority) ?? this.#addGroup(priority);
    known.threads.add(thread);
    const sums = state === STATE_WOKEN ? this.#woken : this.#preempted;
    sums.add(known.group, begin, ns, thread);
  };

  stats(owners: Owner[]): SchedPriorityStat[] {
    const host = this.host;
    const [woken, preempted] = [this.#woken, this.#preempted].map((sums) =>
      inDisplayTime(sums.finish(), host.clock, owners, threadOwner(host)),
    );
    const inOrder = [...this.#groups].sort(([a], [b]) => (Number.isNaN(b) ? -1 : a - b));
    return inOrder.map(([priority, { group, threads }]) => ({
      host: host.index,
      priority: Number.isNaN(priority) ? undefined : priority,
      threads: threads.size,
      woken: durationStat(woken, group, owners),
      preempted: durationStat(preempted, group, owners),
    }));
  }

  #addGroup(priority: number) {
    this.#preempted.addGroup();
    const added = { group: this.#woken.addGroup(), threads: new Set<number>() };
    this.#groups.set(priority, added);
    return added;
  }
}

export function threadOwner(host: KernelHost): (thread: number) => Owner {
  return (thread) => {
    const { row, name } = threadOf(host, thread);
    return { row, name };
  };
}

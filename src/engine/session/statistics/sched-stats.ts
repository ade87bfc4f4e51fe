/** Waits for a CPU in a range, by thread and of all. */
import { threadKey } from '../../linux/reduce/thread-table.ts';
import { schedDelays } from '../../linux/sched-delays.ts';
import { isKernelHost, type KernelHost } from '../host-history.ts';
import { durationStat, durationStatOf, inDisplayTime, NO_DURATION } from './duration-stat.ts';
import type { DurationGroup, Owner } from './duration-stat.ts';
import { timesOfHost } from './range-aggregates.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { SchedStat, SchedStats } from './statistics-api.ts';

export const sched = statistic<SchedStats>({
  essential: ['switch', 'wakeup'],
  needs: [['switch'], ['waking', 'wakeup']],
  none: { threads: [], woken: NO_DURATION, preempted: NO_DURATION },
  count,
});

async function count({ hosts, range }: StatisticScope): Promise<Counted<SchedStats>> {
  const threads: SchedStat[] = [];
  const owners: Owner[] = [];
  const woken: DurationGroup[] = [];
  const preempted: DurationGroup[] = [];
  for (const host of hosts.filter(isKernelHost)) {
    const { query, tables, clock } = host;
    const { from, to } = timesOfHost(range, clock);
    const delays = await schedDelays(query, tables, from, to);
    const afterWakeUp = inDisplayTime(delays.woken, clock, owners, threadOwner(host));
    const afterPreemption = inDisplayTime(delays.preempted, clock, owners, threadOwner(host));
    for (let group = 0; group < tables.threads.length; group++) {
      // An idle thread waits for nobody.
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
    woken: durationStatOf(woken, owners),
    preempted: durationStatOf(preempted, owners),
  };
}

/** A thread of the tables as answers have it. */
export function threadOf({ index, tables: { threads } }: KernelHost, thread: number) {
  return {
    row: `thread:${index}:${threadKey(threads, thread)}`,
    name: threads.name[thread],
    tid: threads.tid[thread],
    pid: threads.pid[thread],
    host: index,
  };
}

export function threadOwner(host: KernelHost): (thread: number) => Owner {
  return (thread) => {
    const { row, name } = threadOf(host, thread);
    return { row, name };
  };
}

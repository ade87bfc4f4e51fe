/** CPU time of threads and CPUs over a range. Only segments that it cuts are decoded, so that a drag is followed. */
import { append } from '../../base/append.ts';
import { freeBuffers } from '../../base/buffers.ts';
import { TextWriter } from '../../base/text-writer.ts';
import type { HostNs } from '../../base/units.ts';
import type { Totals } from '../../history/query-types.ts';
import { cpuTotals, threadTotals } from '../../linux/states/read/cpu-totals.ts';
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';
import { inThreadOrder, threadKey } from '../../linux/states/reduce/thread-table.ts';
import { blockedByCause } from '../../linux/states/read/wait-sums.ts';
import * as codes from '../../linux/events/values.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import { processesOf } from '../rows/process-threads.ts';
import { windowOfHost } from './range-aggregates.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type {
  CpuRequest,
  CpuStat,
  CpuStats,
  ThreadCpuStats,
  ThreadLives,
} from '../../protocol/statistics.ts';
import { cpu as tables } from './tables/cpu.ts';

export const cpu = statistic<CpuStats, CpuRequest>({
  tables,
  needs: [
    ['switch'],
    ['syscall-entry'],
    ['irq-entry', 'softirq-entry', 'hrtimer-entry', 'vector'],
    // The state dump marks kernel threads.
    ['process-dump'],
  ],
  none: { from: 0, to: 0, cpus: [], threads: threadStats([], false, false) },
  isTransferred: true,
  count,
});

/** Counts hosts with a kernel trace; idle threads and those that do not live in the range only if all are asked for. */
async function count(
  { hosts, range, trace }: StatisticScope,
  { allThreads = false, withCauses = false }: CpuRequest,
): Promise<Counted<CpuStats>> {
  const cpus: CpuStat[] = [];
  const threads: HostThreads[] = [];
  for (const host of hosts.filter(isKernelHost)) {
    const known = host.query.extent();
    const window = windowOfHost(range, host.clock) ?? known;
    const from = Math.max(known.from, window.from);
    const to = Math.min(known.to, window.to);
    append(cpus, await cpusOf(host, from, to));
    const totals = await threadTotals(host.query, host.tables, { from, to });
    const all = host.tables.threads;
    const shown = allThreads ? inThreadOrder(all, all.length) : livingThreads(host.tables, totals);
    const causes = withCauses ? await blockedByCause(host.query, host.tables, { from, to }) : undefined;
    threads.push({ host, totals, shown, causes });
  }
  const whole = { from: 0, to: trace.lengthNs() };
  const stats = { ...(range ?? whole), cpus, threads: threadStats(threads, allThreads, withCauses) };
  for (const { totals } of threads) freeBuffers(totals);
  return stats;
}

async function cpusOf({ index, query, tables }: KernelHost, from: HostNs, to: HostNs): Promise<CpuStat[]> {
  const totals = await cpuTotals(query, tables, { from, to });
  return totals.map((ns, i) => {
    const { cpu, switches } = tables.cpus[i];
    return {
      row: `cpu:${index}:${cpu}`,
      cpu,
      host: index,
      idle: ns[codes.CPU_IDLE],
      user: ns[codes.CPU_USER],
      kernel: ns[codes.CPU_KERNEL],
      guest: ns[codes.CPU_GUEST],
      running: ns[codes.CPU_RUNNING],
      hardirq: ns[codes.CPU_HARDIRQ],
      softirq: ns[codes.CPU_SOFTIRQ],
      timer: ns[codes.CPU_TIMER],
      unknown: ns[codes.CPU_UNKNOWN],
      switches,
    };
  });
}

interface HostThreads {
  readonly host: KernelHost;
  readonly totals: Totals;
  /** Rows of the host's thread table. */
  readonly shown: ArrayLike<number> & Iterable<number>;
  /** ns as in `ThreadCpuStats.causes`, by row of the host's thread table. */
  readonly causes: Float64Array | undefined;
}

/** Threads with time in a state other than dead, without idle threads. */
function livingThreads({ threads }: StateTables, { ns, states }: Totals): Int32Array {
  const living = new Int32Array(threads.length);
  let length = 0;
  for (let thread = 0; thread < threads.length; thread++) {
    if (threads.tid[thread] === 0) continue;
    let time = 0;
    for (let state = 0; state < codes.THREAD_STATES.length; state++)
      if (state !== codes.STATE_DEAD) time += ns[thread * states + state];
    if (time > 0) living[length++] = thread;
  }
  return living.slice(0, length);
}

function threadStats(hosts: readonly HostThreads[], hasLives: boolean, hasCauses: boolean): ThreadCpuStats {
  const length = hosts.reduce((sum, { shown }) => sum + shown.length, 0);
  const stats = {
    length,
    tid: new Int32Array(length),
    pid: new Int32Array(length),
    process: new Int32Array(length),
    host: new Int32Array(length),
    states: new Float64Array(length * codes.THREAD_STATES.length),
    migrations: new Float64Array(length),
    causes: hasCauses ? new Float64Array(length * codes.CAUSES.length) : undefined,
  };
  const row = new TextWriter(length);
  const name = new TextWriter(length);
  let i = 0;
  for (const { host, totals, shown, causes } of hosts) {
    const { threads } = host.tables;
    const processes = processesOf(threads);
    for (const thread of shown) {
      row.add(`thread:${host.index}:${threadKey(threads, thread)}`);
      name.add(threads.name[thread]);
      stats.tid[i] = threads.tid[thread];
      stats.pid[i] = threads.pid[thread];
      stats.process[i] = processes[thread];
      stats.host[i] = host.index;
      stats.migrations[i] = threads.migrations[thread];
      const at = thread * totals.states;
      stats.states.set(
        totals.ns.subarray(at, at + codes.THREAD_STATES.length),
        i * codes.THREAD_STATES.length,
      );
      if (causes !== undefined) {
        const own = causes.subarray(thread * codes.CAUSES.length, (thread + 1) * codes.CAUSES.length);
        stats.causes?.set(own, i * codes.CAUSES.length);
      }
      i++;
    }
  }
  return {
    ...stats,
    row: row.column(),
    name: name.column(),
    lives: hasLives ? livesOf(hosts, length) : undefined,
  };
}

function livesOf(hosts: readonly HostThreads[], length: number): ThreadLives {
  const column = (valueOf: (host: KernelHost, thread: number) => number) => {
    const values = new Float64Array(length);
    let i = 0;
    for (const { host, shown } of hosts) for (const thread of shown) values[i++] = valueOf(host, thread);
    return values;
  };
  return {
    firstNs: column(({ clock, tables }, thread) => clock.toExperiment(tables.threads.first[thread])),
    lastNs: column(({ clock, tables }, thread) => clock.toExperiment(tables.threads.last[thread])),
    runs: column(({ tables }, thread) => tables.threads.runs[thread]),
    wakeups: column(({ tables }, thread) => tables.threads.wakeups[thread]),
  };
}

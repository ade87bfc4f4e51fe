/**
 * CPU time of threads and CPUs over a range (spec 03 section 4, analysis 2), from the totals of the state history:
 * whole segments answer from their summaries, only the cut ones are decoded, so that the table follows a drag.
 */
import { cpuTotals, threadTotals } from '../kernel/cpu-totals.ts';
import { threadKey } from '../kernel/thread-table.ts';
import {
  CPU_HARDIRQ,
  CPU_IDLE,
  CPU_KERNEL,
  CPU_SOFTIRQ,
  CPU_TIMER,
  CPU_UNKNOWN,
  CPU_USER,
  STATE_DEAD,
} from '../kernel/values.ts';
import type { CpuStat, CpuStats, RangeRequest, ThreadCpuStat } from './api.ts';
import { isKernelHost, type HostHistory, type KernelHost } from './host-history.ts';
import { windowOfHost } from './range-aggregates.ts';

/**
 * Of the hosts with a kernel trace; for the whole trace where no range is given. Threads that do not live in the range
 * are left out, and so are idle ones.
 * @param whole display ns
 */
export async function cpuStats(
  hosts: readonly HostHistory[],
  range: RangeRequest | undefined,
  whole: RangeRequest,
): Promise<CpuStats> {
  const stats = hosts.filter(isKernelHost).map(async (host) => {
    const known = host.query.extent();
    const window = windowOfHost(range, host.clock) ?? known;
    const from = Math.max(known.from, window.from);
    const to = Math.min(known.to, window.to);
    return { cpus: await cpusOf(host, from, to), threads: await threadsOf(host, from, to) };
  });
  const found = await Promise.all(stats);
  return {
    ...(range ?? whole),
    cpus: found.flatMap(({ cpus }) => cpus),
    threads: found.flatMap(({ threads }) => threads),
  };
}

/** `from` and `to` in TimeNs of the host. */
async function cpusOf({ index, query, tables }: KernelHost, from: number, to: number): Promise<CpuStat[]> {
  const totals = await cpuTotals(query, tables, from, to);
  return totals.map((ns, i) => {
    const { cpu } = tables.cpus[i];
    return {
      row: `cpu:${index}:${cpu}`,
      cpu,
      host: index,
      idle: ns[CPU_IDLE],
      user: ns[CPU_USER],
      kernel: ns[CPU_KERNEL],
      hardirq: ns[CPU_HARDIRQ],
      softirq: ns[CPU_SOFTIRQ],
      timer: ns[CPU_TIMER],
      unknown: ns[CPU_UNKNOWN],
    };
  });
}

/** `from` and `to` in TimeNs of the host. */
async function threadsOf(host: KernelHost, from: number, to: number): Promise<ThreadCpuStat[]> {
  const { query, tables } = host;
  const totals = await threadTotals(query, tables, from, to);
  return totals.flatMap((ns, thread) => {
    const idle = tables.threads.tid[thread] === 0;
    const lives = ns.some((time, state) => time > 0 && state !== STATE_DEAD);
    return idle || !lives ? [] : [threadStat(host, thread, ns)];
  });
}

function threadStat({ index, tables }: KernelHost, thread: number, ns: Float64Array): ThreadCpuStat {
  const { threads } = tables;
  return {
    row: `thread:${index}:${threadKey(threads, thread)}`,
    name: threads.name[thread],
    tid: threads.tid[thread],
    pid: threads.pid[thread],
    host: index,
    states: Array.from(ns),
    runs: threads.runs[thread],
    wakeups: threads.wakeups[thread],
    migrations: threads.migrations[thread],
  };
}

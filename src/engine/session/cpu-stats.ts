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
import type { CpuStat, ThreadCpuStat } from './api.ts';
import type { KernelHost } from './host-history.ts';

/** `from` and `to` in TimeNs of the host. Threads that do not live in the range are left out, and so are idle ones. */
export async function hostCpuStats(
  host: KernelHost,
  from: number,
  to: number,
): Promise<{ readonly cpus: CpuStat[]; readonly threads: ThreadCpuStat[] }> {
  const { query, tables, index } = host;
  const cpus = (await cpuTotals(query, tables, from, to)).map((ns, i): CpuStat => {
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
  const threads = (await threadTotals(query, tables, from, to)).flatMap((ns, thread) => {
    const idle = tables.threads.tid[thread] === 0;
    const lives = ns.some((time, state) => time > 0 && state !== STATE_DEAD);
    return idle || !lives ? [] : [threadStat(host, thread, ns)];
  });
  return { cpus, threads };
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

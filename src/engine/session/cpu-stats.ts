/**
 * CPU time of threads and CPUs over a range (spec 03 section 4, analysis 2), from the totals of the state history:
 * whole segments answer from their summaries, only the cut ones are decoded, so that the table follows a drag.
 */
import type { HistoryQuery } from '../history/types.ts';
import {
  CPU_HARDIRQ,
  CPU_IDLE,
  CPU_KERNEL,
  CPU_SOFTIRQ,
  CPU_TIMER,
  CPU_UNKNOWN,
  CPU_USER,
  THREAD_STATES,
} from '../kernel/values.ts';
import type { CpuStat, ThreadCpuStat } from './api.ts';
import type { HostEntry } from './row-tree.ts';

/** `from` and `to` in TimeNs of the host. Threads without any time in the range are left out. */
export async function hostCpuStats(
  host: HostEntry,
  query: HistoryQuery,
  from: number,
  to: number,
): Promise<{ readonly cpus: CpuStat[]; readonly threads: ThreadCpuStat[] }> {
  const cpuTotals = await query.totals(
    host.cpus.map((c) => c.attribute),
    from,
    to,
  );
  const threadTotals = await query.totals(
    host.threads.map((t) => t.attribute),
    from,
    to,
  );
  const cpus = host.cpus.map((c, i): CpuStat => {
    const ns = (state: number) => cpuTotals.ns[i * cpuTotals.states + state];
    return {
      row: `cpu:${host.index}:${c.cpu}`,
      cpu: c.cpu,
      host: host.index,
      idle: ns(CPU_IDLE),
      user: ns(CPU_USER),
      kernel: ns(CPU_KERNEL),
      hardirq: ns(CPU_HARDIRQ),
      softirq: ns(CPU_SOFTIRQ),
      timer: ns(CPU_TIMER),
      unknown: ns(CPU_UNKNOWN),
    };
  });
  const threads: ThreadCpuStat[] = [];
  host.threads.forEach((t, i) => {
    const at = i * threadTotals.states;
    const states = Array.from(threadTotals.ns.subarray(at, at + THREAD_STATES.length));
    if (states.every((ns) => ns === 0)) return;
    threads.push({
      row: `thread:${host.index}:${t.key}`,
      name: t.name,
      tid: t.tid,
      pid: t.pid,
      host: host.index,
      states,
      runs: t.runs,
      wakeups: t.wakeups,
      migrations: t.migrations,
    });
  });
  return { cpus, threads };
}

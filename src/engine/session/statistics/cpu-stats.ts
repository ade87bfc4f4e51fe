/**
 * CPU time of threads and CPUs over a range, from the totals of the state history: whole segments answer from their
 * summaries, only the cut ones are decoded, so that the table follows a drag.
 */
import { append } from '../../base/append.ts';
import { freeBuffers } from '../../base/buffers.ts';
import { oncePer } from '../../base/once-per.ts';
import { TextWriter } from '../../base/text-column.ts';
import type { Totals } from '../../history/query-types.ts';
import { cpuTotals, threadTotals } from '../../kernel/cpu-totals.ts';
import type { MeaningName } from '../../kernel/meanings.ts';
import type { StateTables, ThreadRows } from '../../kernel/reduce/kernel-tables.ts';
import { threadKey } from '../../kernel/reduce/thread-table.ts';
import {
  CPU_HARDIRQ,
  CPU_IDLE,
  CPU_KERNEL,
  CPU_SOFTIRQ,
  CPU_TIMER,
  CPU_UNKNOWN,
  CPU_USER,
  STATE_DEAD,
  THREAD_STATES,
} from '../../kernel/values.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../host-history.ts';
import type { RangeRequest } from '../range.ts';
import { missingEvents } from '../recorded.ts';
import { firstsOf } from '../rows/process-threads.ts';
import { windowOfHost } from './range-aggregates.ts';
import type { CpuStat, CpuStats, ThreadCpuStats } from './statistics-api.ts';

/** The state dump tells which threads are the kernel's. */
const NEEDED: readonly (readonly MeaningName[])[] = [
  ['switch'],
  ['syscall-entry'],
  ['irq-entry', 'softirq-entry', 'hrtimer-entry', 'vector'],
  ['process-dump'],
];

/** As `CpuStats.missing`. */
export function missingForCpu(hosts: readonly HostHistory[]): string[] {
  return missingEvents(hosts, NEEDED);
}

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
  const cpus: CpuStat[] = [];
  const threads: HostThreads[] = [];
  for (const host of hosts.filter(isKernelHost)) {
    const known = host.query.extent();
    const window = windowOfHost(range, host.clock) ?? known;
    const from = Math.max(known.from, window.from);
    const to = Math.min(known.to, window.to);
    append(cpus, await cpusOf(host, from, to));
    const totals = await threadTotals(host.query, host.tables, from, to);
    threads.push({ host, totals, living: livingThreads(host.tables, totals) });
  }
  const stats = { ...(range ?? whole), cpus, threads: threadStats(threads), missing: missingForCpu(hosts) };
  for (const { totals } of threads) freeBuffers(totals);
  return stats;
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

interface HostThreads {
  readonly host: KernelHost;
  readonly totals: Totals;
  /** Rows of its tables. */
  readonly living: Int32Array;
}

/** Threads with time in a state other than dead, but for idle ones. */
function livingThreads({ threads }: StateTables, { ns, states }: Totals): Int32Array {
  const living = new Int32Array(threads.length);
  let length = 0;
  for (let thread = 0; thread < threads.length; thread++) {
    if (threads.tid[thread] === 0) continue;
    let time = 0;
    for (let state = 0; state < THREAD_STATES.length; state++)
      if (state !== STATE_DEAD) time += ns[thread * states + state];
    if (time > 0) living[length++] = thread;
  }
  return living.slice(0, length);
}

function threadStats(hosts: readonly HostThreads[]): ThreadCpuStats {
  const length = hosts.reduce((sum, { living }) => sum + living.length, 0);
  const stats = {
    length,
    tid: new Int32Array(length),
    pid: new Int32Array(length),
    process: new Int32Array(length),
    host: new Int32Array(length),
    states: new Float64Array(length * THREAD_STATES.length),
    migrations: new Float64Array(length),
  };
  const row = new TextWriter(length);
  const name = new TextWriter(length);
  let i = 0;
  for (const { host, totals, living } of hosts) {
    const { threads } = host.tables;
    const processes = processesOf(threads);
    for (const thread of living) {
      row.add(`thread:${host.index}:${threadKey(threads, thread)}`);
      name.add(threads.name[thread]);
      stats.tid[i] = threads.tid[thread];
      stats.pid[i] = threads.pid[thread];
      stats.process[i] = processes[thread];
      stats.host[i] = host.index;
      stats.migrations[i] = threads.migrations[thread];
      const at = thread * totals.states;
      stats.states.set(totals.ns.subarray(at, at + THREAD_STATES.length), i++ * THREAD_STATES.length);
    }
  }
  return { ...stats, row: row.column(), name: name.column() };
}

/** By row of the table. The table is another one whenever more is known. */
const processesOf = oncePer((threads: ThreadRows) =>
  firstsOf(threads, threads.first, [...threads.tid.keys()]),
);

export const NO_CPU_STATS: CpuStats = { from: 0, to: 0, cpus: [], threads: threadStats([]), missing: [] };

/** What the row tree needs of a host: its CPUs and threads with their sums, from the kernel's tables and the history. */
import type { HistoryQuery } from '../history/types.ts';
import { isKernelThread, type StateTables } from '../kernel/kernel-tables.ts';
import { threadKey } from '../kernel/thread-table.ts';
import { CPU_IDLE, CPU_UNKNOWN, STATE_INTERRUPTED, STATE_KERNEL, STATE_USER } from '../kernel/values.ts';
import type { ClockTransform } from '../sync/clock-transform.ts';
import type { CpuEntry, ThreadEntry } from './row-tree.ts';

/**
 * CPUs and threads (idle threads left out) known so far.
 * @param clock to display time
 */
export async function hostEntries(
  tables: StateTables,
  query: HistoryQuery,
  clock: ClockTransform,
): Promise<{ readonly cpus: CpuEntry[]; readonly threads: ThreadEntry[] }> {
  const { from, to } = query.extent();
  return {
    cpus: await cpuEntries(tables, query, from, to),
    threads: await threadEntries(tables, query, from, to, clock),
  };
}

async function cpuEntries(
  tables: StateTables,
  query: HistoryQuery,
  from: number,
  to: number,
): Promise<CpuEntry[]> {
  const totals = await query.totals(
    tables.cpus.map((c) => c.stateAttribute),
    from,
    to,
  );
  return tables.cpus.map((c, i) => {
    let busyNs = 0;
    for (let s = 0; s < totals.states; s++) {
      if (s !== CPU_IDLE && s !== CPU_UNKNOWN) busyNs += totals.ns[i * totals.states + s];
    }
    return { cpu: c.cpu, attribute: c.stateAttribute, busyNs };
  });
}

async function threadEntries(
  tables: StateTables,
  query: HistoryQuery,
  from: number,
  to: number,
  clock: ClockTransform,
): Promise<ThreadEntry[]> {
  const { threads } = tables;
  const rows: number[] = [];
  for (let i = 0; i < threads.length; i++)
    if (threads.tid[i] !== 0 && threads.stateAttribute[i] >= 0) rows.push(i);
  const totals = await query.totals(
    rows.map((i) => threads.stateAttribute[i]),
    from,
    to,
  );
  return rows.map((i, n) => {
    const ns = (state: number) => totals.ns[n * totals.states + state];
    return {
      key: threadKey(threads, i),
      tid: threads.tid[i],
      pid: threads.pid[i],
      name: threads.name[i],
      kernelThread: isKernelThread(threads, i),
      attribute: threads.stateAttribute[i],
      cpuTimeNs: ns(STATE_USER) + ns(STATE_KERNEL) + ns(STATE_INTERRUPTED),
      ran: threads.ran[i] !== 0,
      firstNs: clock.toExperiment(threads.first[i]),
      lastNs: clock.toExperiment(threads.last[i]),
    };
  });
}

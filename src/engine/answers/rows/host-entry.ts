/** Data of a host for the row tree: its CPUs and threads with their sums, from the kernel's tables and the history. */
import { freeBuffers } from '../../base/buffers.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { InsideNumbers, NamespaceThreads } from '../../linux/namespaces/namespace-threads.ts';
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';
import { busyTimes } from '../../linux/states/read/cpu-totals.ts';
import { ownTime, STATE_INTERRUPTED } from '../../linux/events/values.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { CpuEntry, HostThreads } from './row-tree.ts';

/**
 * CPUs and threads known so far, and the time up to which they are.
 * @param clock to display time
 */
export async function hostEntries(
  tables: StateTables,
  query: HistoryQuery,
  clock: ClockTransform,
  namespaces: NamespaceThreads,
): Promise<{ readonly cpus: CpuEntry[]; readonly threads: HostThreads; readonly lastNs: DisplayNs }> {
  const { from, to } = query.extent();
  return {
    cpus: await cpuEntries(tables, query, from, to),
    threads: {
      ...(await hostThreads(tables, query, from, to, clock)),
      inside: insideNumbers(tables, namespaces),
    },
    lastNs: clock.toExperiment(to),
  };
}

function insideNumbers({ threads }: StateTables, namespaces: NamespaceThreads): InsideNumbers | undefined {
  return namespaces.isNested ? namespaces.insideNumbers(threads.tid, threads.first) : undefined;
}

async function cpuEntries(
  tables: StateTables,
  query: HistoryQuery,
  from: HostNs,
  to: HostNs,
): Promise<CpuEntry[]> {
  const busy = await busyTimes(query, tables, { from, to });
  return tables.cpus.map((c, i) => ({ cpu: c.cpu, attribute: c.stateAttribute, busyNs: busy[i] }));
}

async function hostThreads(
  { threads }: StateTables,
  query: HistoryQuery,
  from: HostNs,
  to: HostNs,
  clock: ClockTransform,
): Promise<HostThreads> {
  const totals = await query.totals(threads.stateAttribute, from, to);
  const { ns, states } = totals;
  const cpuTimeNs = new Float64Array(threads.length);
  for (let thread = 0; thread < threads.length; thread++) {
    const at = thread * states;
    cpuTimeNs[thread] = ownTime(ns, at) + ns[at + STATE_INTERRUPTED];
  }
  // Of a hundred thousand threads 15 MB, for each picture.
  freeBuffers(totals);
  return {
    table: threads,
    cpuTimeNs,
    firstNs: clock.columnToExperiment(threads.first),
    lastNs: clock.columnToExperiment(threads.last),
  };
}

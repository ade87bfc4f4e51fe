/** The heap of programs in a range, by thread, process and allocation site, from the heap layer. */
import { addressText } from '../../base/wide-integer.ts';
import { type HeapLog } from '../../layers/heap/heap-log.ts';
import { HEAP_SUM_NAMES, type HeapSum, heapSums } from '../../layers/heap/heap-sums.ts';
import { type HeapTables, processName } from '../../layers/heap/layer.ts';
import { threadKey } from '../../linux/states/reduce/thread-table.ts';
import { UNKNOWN_FRAME } from '../../layers/stacks/stack-tables.ts';
import { missingEvents } from '../context/recorded.ts';
import { isKernelHost } from '../context/host.ts';
import { threadRowId } from '../rows/event-rows.ts';
import { timesOfHost } from './range-aggregates.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type * as protocol from '../../protocol/statistics.ts';
import { heap as tables } from './tables/heap.ts';

const NONE = { threads: [], processes: [], sites: [], unplaced: 0 };

export const heap = statistic<protocol.HeapStats>({
  tables,
  needs: [['heap-alloc'], ['heap-free']],
  none: NONE,
  count,
});

async function count(scope: StatisticScope): Promise<Counted<protocol.HeapStats>> {
  const { hosts, layers } = scope;
  // Without these events the layer has nothing to read.
  if (missingEvents(hosts, [['heap-alloc', 'heap-realloc', 'heap-aligned', 'heap-free']]).length > 0)
    return NONE;
  await layers?.begun;
  const wanted = new Set(hosts.map(({ index }) => index));
  const found = (layers?.info('heap')?.hosts ?? []).filter(({ index }) => wanted.has(index));
  const ofHosts = await Promise.all(found.map(({ index, tables }) => heapOfHost(scope, index, tables)));
  return {
    threads: ofHosts.flatMap(({ threads }) => threads),
    processes: ofHosts.flatMap(({ processes }) => processes),
    sites: ofHosts.flatMap(({ sites }) => sites),
    unplaced: found.reduce((sum, { tables }) => sum + tables.log.unplaced, 0),
  };
}

async function heapOfHost(
  scope: StatisticScope,
  host: number,
  tables: HeapTables,
): Promise<Omit<Counted<protocol.HeapStats>, 'unplaced'>> {
  const { log } = tables;
  const clock = scope.trace.time.of(host);
  const { from, to } = timesOfHost(scope.range, clock);
  const sums = heapSums(log, from, to);
  const processes = log.processes.map(({ pid }, row): protocol.ProcessHeapStat => {
    const { inUse, peak, peakTime } = sums.processes;
    const peakNs = clock.toExperiment(peakTime[row]);
    const threads = log.threads.filter(({ of }) => of === row).length;
    const name = processName(log, row);
    return {
      ...{ host, pid, name, threads, ...statOf(sums.processes, row) },
      ...{ inUse: inUse[row], peak: peak[row], peakNs },
    };
  });
  return {
    threads: threadStats(scope, host, log).map((thread, row) => ({
      ...thread,
      ...statOf(sums.threads, row),
    })),
    processes: processes.filter(hasActivity),
    sites: await siteStats(scope, host, tables, sums.sites),
  };
}

function statOf(sums: Readonly<Record<HeapSum, Float64Array>>, row: number): protocol.HeapStat {
  return Object.fromEntries(HEAP_SUM_NAMES.map((name) => [name, sums[name][row]])) as Record<HeapSum, number>;
}

/** Whether the allocator was used in the range. */
function hasActivity(stat: protocol.HeapStat): boolean {
  return HEAP_SUM_NAMES.some((name) => stat[name] !== 0);
}

function threadStats(
  { hosts }: StatisticScope,
  index: number,
  { threads, processes }: HeapLog,
): Omit<protocol.ThreadHeapStat, HeapSum>[] {
  const host = hosts.find((one) => one.index === index);
  const known = host !== undefined && isKernelHost(host) ? host.tables.threads : undefined;
  return threads.map(({ row, tid, ns, of, process }) => {
    const { pid } = processes[of];
    if (row < 0 || known === undefined)
      return { host: index, row: threadRowId(index, { pid, tid, ns }), name: process, tid, pid };
    return {
      ...{ host: index, row: `thread:${index}:${threadKey(known, row)}` },
      ...{ name: known.name[row] || process, tid, pid },
    };
  });
}

async function siteStats(
  { trace }: StatisticScope,
  host: number,
  { log, sites: frames }: HeapTables,
  sums: Readonly<Record<HeapSum, Float64Array>>,
): Promise<protocol.SiteHeapStat[]> {
  const { texts, symbols } = await trace.frameNames(frames);
  const stats = log.sites.map(({ process, low, high }, row): protocol.SiteHeapStat => {
    const { file, line } = symbols[row] ?? {};
    const address = addressText(low, high);
    return {
      ...{ host, pid: log.processes[process].pid, process: processName(log, process) },
      name: texts[row] === UNKNOWN_FRAME ? address : texts[row],
      line: file === undefined || line === undefined ? '' : `${file}:${line}`,
      ...statOf(sums, row),
    };
  });
  return stats.filter(
    (stat, row) => hasActivity(stat) && (log.sites[row].low !== 0 || log.sites[row].high !== 0),
  );
}

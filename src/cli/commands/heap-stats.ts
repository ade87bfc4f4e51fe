/** `stats heap`: what programs allocated and freed, by thread, process and place that called the allocator. */
import type { HeapStat, HeapStats } from '../../engine/protocol/statistics.ts';
import { print } from '../output.ts';
import type { TraceSession } from '../trace-session.ts';
import type { StatFilter } from './stat-filter.ts';
import { hostName, printMissing, type Statistic, workerOf } from './statistic.ts';
import { printTable } from './table.ts';

/** Most bytes left first. Of threads that are chosen, without processes and sites: they are of all threads. */
export function statHeap(told: HeapStats, session: TraceSession, filter: StatFilter): Statistic {
  const isOfAll = filter.threadsOf(session) === undefined;
  const listed = <Stat extends HeapStat & { readonly host: number }>(stats: readonly Stat[]) =>
    filter
      .limited([...stats].sort(byLeft))
      .map(({ host, ...stat }) => ({ ...hostName(session, host), ...stat }));
  const threads = listed(told.threads.filter((thread) => filter.isThread(thread))).map(
    ({ row, tid: _, ...thread }) => ({ worker: workerOf(session, row), ...thread }),
  );
  const processes = listed(isOfAll ? told.processes : []).map(({ peakNs, ...process }) => {
    return { ...process, peakNs: peakNs - session.firstNs };
  });
  const sites = listed(isOfAll ? told.sites : []);
  const { missing, unplaced } = told;
  return {
    json: { threads, processes, sites, unplaced, missing },
    print() {
      printMissing(missing);
      if (unplaced > 0) print(`without process or address: ${unplaced} events`);
      const ofThreads = threads.map((one) => [...cellsOf(one), one.worker, one.name || 'unknown']);
      printTable([...SUMS, 'thread', 'name'], ofThreads);
      print();
      const ofProcesses = processes.map((one) => {
        return [...cellsOf(one), cell(one.inUse), cell(one.peak), one.pid, one.name || 'unknown'];
      });
      printTable([...SUMS, 'in use', 'peak', 'pid', 'process'], ofProcesses);
      print();
      const ofSites = sites.map((one) => [...cellsOf(one), one.pid, one.name, one.line]);
      printTable([...SUMS, 'pid', 'site', 'line'], ofSites);
    },
  };
}

const SUMS = ['allocated', 'bytes', 'freed', 'bytes', 'left', 'bytes', 'unknown frees', 'failed'];

function cellsOf(stat: HeapStat): (number | string)[] {
  const { allocations, allocatedBytes, frees, freedBytes, left, leftBytes, unknownFrees, failures } = stat;
  return [allocations, allocatedBytes, frees, freedBytes, left, leftBytes, unknownFrees, failures].map(cell);
}

function cell(value: number): number | string {
  return Number.isNaN(value) ? 'unknown' : value;
}

/** What is not known comes last. */
function byLeft(a: HeapStat, b: HeapStat): number {
  const left = (stat: HeapStat) => (Number.isNaN(stat.leftBytes) ? -1 : stat.leftBytes);
  return left(b) - left(a) || b.allocatedBytes - a.allocatedBytes || b.allocations - a.allocations;
}

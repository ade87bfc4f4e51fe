/** `stats memory`: pages, objects and page faults of the kernel's memory by thread. */
import type { MemoryStats, ProgramMemoryStat } from '../../engine/protocol/statistics.ts';
import { print } from '../output.ts';
import type { TraceSession } from '../trace-session.ts';
import type { StatFilter } from './stat-filter.ts';
import { hostName, printMissing, type Statistic, workerOf } from './statistic.ts';
import { printTable } from './table.ts';

/** Most pages first. Of threads that are chosen, without programs: they are of all threads. */
export function statMemory(told: MemoryStats, session: TraceSession, filter: StatFilter): Statistic {
  const isOfAll = filter.threadsOf(session) === undefined;
  const threads = filter
    .limited(told.threads.filter((thread) => filter.isThread(thread)).sort(byPages))
    .map(({ row, tid: _, host, ...thread }) => {
      const worker = row === undefined ? undefined : workerOf(session, row);
      return { ...hostName(session, host), worker, ...thread };
    });
  const programs = filter
    .limited(isOfAll ? [...told.programs].sort(byPages) : [])
    .map(({ host, ...program }) => ({ ...hostName(session, host), ...program }));
  const { missing } = told;
  return {
    json: { threads, programs, missing },
    print() {
      printMissing(missing);
      printTable(
        [...SUMS, 'thread', 'name'],
        threads.map((one) => [...sumsOf(one), one.worker ?? 'unknown', one.name]),
      );
      print();
      printTable(
        [...SUMS, 'threads', 'program'],
        programs.map((one) => [...sumsOf(one), one.threads, one.name || 'unknown']),
      );
    },
  };
}

const SUMS = ['pages', 'freed', 'objects', 'bytes', 'freed', 'user faults', 'kernel faults'];

type Sums = Omit<ProgramMemoryStat, 'host' | 'name' | 'threads'>;

function sumsOf(sums: Sums): number[] {
  return [
    ...[sums.allocatedPages, sums.freedPages, sums.allocatedObjects, sums.objectBytes, sums.freedObjects],
    ...[sums.userFaults, sums.kernelFaults],
  ];
}

function byPages(a: Sums, b: Sums): number {
  return b.allocatedPages - a.allocatedPages || b.freedPages - a.freedPages || b.objectBytes - a.objectBytes;
}

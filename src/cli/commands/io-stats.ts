/** `stats io`: reads, writes and syncs by thread and file, and disks. */
import type { AnswerOf } from '../../engine/protocol/queries.ts';
import type {
  DiskStat,
  IoCallMark,
  IoSums,
  IoTransfer,
  TimeInCalls,
} from '../../engine/protocol/statistics.ts';
import { print } from '../output.ts';
import type { TraceSession } from '../trace-session.ts';
import type { StatFilter } from './stat-filter.ts';
import { hostName, printMissing, type Statistic, workerOf } from './statistic.ts';
import { printTable } from './table.ts';

/** Of several threads that are chosen, without files: they are of one thread or of all. */
export function statIo(told: AnswerOf<'io'>, session: TraceSession, filter: StatFilter): Statistic {
  const { errors, missing } = told;
  const ofThreads = filter.threadsOf(session);
  const ofFiles = ofThreads === undefined || ofThreads.length === 1 ? filter.limited(told.files) : [];
  const time = timeOf(session);
  const threads = filter
    .limited(told.threads.filter((one) => filter.isThread(one)))
    .map(({ row, name, pid, disk, ...sums }) => {
      const { read, write, sync } = sums;
      return { worker: workerOf(session, row), name, pid, read, write, sync, time: time(sums.time), disk };
    });
  const files = ofFiles.map(({ host, ...file }) => {
    return { ...hostName(session, host), ...file, time: time(file.time) };
  });
  const disks = told.disks.map(({ host, ...disk }) => ({ ...hostName(session, host), ...disk }));
  return {
    json: { threads, files, disks, errors, missing },
    print() {
      printMissing(missing);
      printTable(
        [...SUMS, 'thread', 'name'],
        threads.map((one) => [...sumsOf(one), one.worker, one.name]),
      );
      print();
      printTable(
        [...SUMS, 'kind', 'file'],
        ofFiles.map((file) => [...sumsOf(file), file.kind, prefixOf(session, file) + file.path]),
      );
      print();
      printDisks(session, told.disks);
    },
  };
}

const SUMS = [
  ...['in calls ns', 'mean ns', 'max ns'],
  ...['read bytes', 'ops', 'errors', 'written bytes', 'ops', 'errors', 'syncs', 'errors'],
];

type Sums = Omit<IoSums, 'time'> & { readonly time: Omit<TimeInCalls, 'longest'> };

function sumsOf({ time, read, write, sync }: Sums): number[] {
  const transfer = ({ bytes, ops, errors }: IoTransfer) => [bytes, ops, errors];
  const { totalNs, meanNs, maxNs } = time;
  return [totalNs, meanNs, maxNs, ...transfer(read), ...transfer(write), sync.ops, sync.errors];
}

/** Before the name of what is of a host, where there are several. */
function prefixOf({ hosts }: TraceSession, { host }: { readonly host: number }): string {
  return hosts.find(({ index }) => index === host)?.prefix ?? '';
}

function timeOf(session: TraceSession) {
  return ({ longest, ...time }: TimeInCalls) => ({ ...time, longest: longest && markOf(session, longest) });
}

function markOf(session: TraceSession, { row, fromNs, ns, call, path }: IoCallMark) {
  return { worker: workerOf(session, row), from: fromNs - session.firstNs, ns, call, path };
}

function printDisks(session: TraceSession, disks: readonly DiskStat[]): void {
  printTable(
    [
      ...['requests', 'writes', 'sectors', 'sequential', 'queued ns', 'mean ns', 'max ns'],
      ...['depth', 'deepest', 'disk'],
    ],
    disks.map((d) => [
      ...[d.requests, d.writes, d.sectors, d.sequential, d.meanQueuedNs, d.meanLatencyNs, d.maxLatencyNs],
      ...[d.meanDepth.toFixed(2), d.maxDepth, prefixOf(session, d) + d.dev],
    ]),
  );
}

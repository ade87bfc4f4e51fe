/** I/O of a range. Chunk results hold single calls, so that a range needs no decoding. */
import type { ChunkResults } from '../../analysis/chunk-results.ts';
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import { groupBy } from '../../base/group-by.ts';
import { addErrors } from '../../linux/sums/error-counts.ts';
import type { DiskIo } from '../../linux/sums/io/io-disks.ts';
import { type IoChunk } from '../../linux/sums/io/io-chunk.ts';
import { ioUsage, ioUsageIn, resolveIo, type ResolvedIo } from '../../linux/sums/io/io.ts';
import type { IoCall, TimeInCalls as LogTime, NameOf, OwnerOf } from '../../linux/sums/io/io-transfers.ts';
import { type HostHistory, isKernelHost } from '../context/host.ts';
import { timesOfHost } from './range-aggregates.ts';
import { callersOf } from './running-threads.ts';
import { threadOf, hostsOfRow, threadOfRow } from '../context/thread-rows.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type * as protocol from '../../protocol/statistics.ts';
import { io as tables } from './tables/io.ts';
import { HIDES_REQUESTS } from '../../trace/loss-subjects.ts';

export const io = statistic<protocol.IoStats, protocol.OfThreadRequest>({
  tables,
  needs: [
    ['switch'],
    ['syscall-entry'],
    ['syscall-exit'],
    // The state dump lists files that were open before.
    ['file-dump'],
    ['request-issue'],
    ['request-complete'],
  ],
  none: { threads: [], files: [], disks: [], errors: [] },
  count,
});

async function count(
  scope: StatisticScope,
  { thread }: protocol.OfThreadRequest,
): Promise<Counted<protocol.IoStats>> {
  const { range, trace } = scope;
  const hosts = thread === undefined ? scope.hosts : hostsOfRow(scope.hosts, thread);
  const chunkResults = await trace.chunkResults(ioUsage.id);
  const asked = hosts.map(async (host) => {
    const { from, to } = timesOfHost(range, host.clock);
    const only = thread === undefined ? undefined : threadOfRow(host, thread);
    return { host, usage: ioUsageIn(await ioOf(host, chunkResults), from, to, only) };
  });
  const answers = await Promise.all(asked);
  return {
    threads: answers.flatMap(({ host, usage }) =>
      usage.threads.map(({ owner, tid, pid, name, read, write, sync, time, disk }) => {
        const thread = ioThread(host, owner, tid, name);
        return { ...thread, pid, read, write, sync, time: timeInCalls(host, time), disk };
      }),
    ),
    files: answers.flatMap(({ host, usage }) =>
      usage.files.map((file) => ({ ...file, time: timeInCalls(host, file.time) })),
    ),
    disks: answers.flatMap(({ usage }) => usage.disks.map(diskStat)),
    errors: addErrors(answers.flatMap(({ usage }) => usage.errors)),
  };
}

/** A thread by its number in the log; `tid` and `name` describe one without a row in the tables. */
export function ioThread(host: HostHistory, owner: number, tid: number, name = '') {
  if (owner >= 0 && isKernelHost(host)) return threadOf(host, owner);
  return { row: `thread:${host.index}:${tid}`, name, tid, host: host.index };
}

function timeInCalls(host: HostHistory, { timed, total, longest }: LogTime): protocol.TimeInCalls {
  return {
    timed,
    totalNs: total,
    meanNs: timed === 0 ? 0 : Math.round(total / timed),
    maxNs: longest?.ns ?? 0,
    longest: longest && callMark(host, longest),
  };
}

function callMark(host: HostHistory, { begin, ns, call, path, owner, tid }: IoCall): protocol.IoCallMark {
  const { row, name } = ioThread(host, owner, tid);
  return { fromNs: host.clock.toExperiment(begin), ns, row, name, call, path };
}

/** Calls and requests by chunk result: a drag needs only new sums. */
const resolved = new WeakMap<
  IoChunk,
  { readonly tables: HostHistory['tables']; readonly io: Promise<ResolvedIo> }
>();

/** Calls and requests of a host over the whole trace. */
export function ioOf(host: HostHistory, chunkResults: ChunkResults): Promise<ResolvedIo> {
  const chunkResult = chunkResults.whole(ioUsage as AnyAggregate, host.index) as IoChunk;
  const { tables } = host;
  const known = resolved.get(chunkResult);
  if (known !== undefined && known.tables === tables) return known.io;
  const losses =
    tables?.losses.filter(({ hidden }) => (hidden & HIDES_REQUESTS) !== 0).map(({ from }) => from) ?? [];
  const io = callersOf(host, chunkResult).then((threadAt) =>
    resolveIo(chunkResult, { ownerOf: ownersOf(host), nameOf: namesOf(host), threadAt, losses }),
  );
  resolved.set(chunkResult, { tables, io });
  // A failed reading is tried again.
  io.catch(() => resolved.delete(chunkResult));
  return io;
}

function diskStat(disk: DiskIo): protocol.DiskStat {
  const { host, dev, name, requests, sectors, maxLatencyNs, writes, flushes, discards } = disk;
  const { notCompleted, sequential, queued, meanDepth, maxDepth } = disk;
  const mean = (total: number, count: number) => (count === 0 ? 0 : Math.round(total / count));
  return {
    ...{ host, dev: name === '' ? dev : name, device: dev, requests, sectors },
    meanLatencyNs: mean(disk.totalLatencyNs, requests),
    ...{ maxLatencyNs, writes, flushes, discards, notCompleted },
    meanAgainNs: mean(disk.totalAgainNs, requests),
    ...{ sequential, queued, meanQueuedNs: mean(disk.totalQueuedNs, queued), meanDepth, maxDepth },
  };
}

/** Finds rows of the host's threads: each life of a tid is another thread. */
function ownersOf(host: HostHistory): OwnerOf {
  if (!isKernelHost(host)) return withoutRow;
  const { tid: tids, first } = host.tables.threads;
  const lives = groupBy(tids.keys(), (thread) => tids[thread]);
  return (tid, time) => {
    const ofTid = lives.get(tid) ?? [];
    return ofTid.findLast((thread) => first[thread] <= time) ?? ofTid[0] ?? withoutRow(tid);
  };
}

/** Finds names of threads by time, as a tid may be used again. */
function namesOf(host: HostHistory): NameOf {
  if (!isKernelHost(host)) return () => undefined;
  const { name } = host.tables.threads;
  return (owner) => (owner < 0 ? undefined : name[owner] || undefined);
}

/** Negative number for a thread without a row, unique by tid; while a trace is read, tables may lag behind. */
function withoutRow(tid: number): number {
  return tid < 0 ? tid : -3 - tid;
}

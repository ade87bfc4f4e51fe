/** I/O of a range (spec 03 section 4, analysis 3). Its leaves keep single calls, so that a range needs no decoding. */
import type { AggregateLeaves } from '../../analysis/aggregate-leaves.ts';
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import { groupBy } from '../../base/group-by.ts';
import type { IoLeaf } from '../../kernel/io/io-leaf.ts';
import { addErrors } from '../../kernel/error-counts.ts';
import type { DiskIo } from '../../kernel/io/io-disks.ts';
import { ioUsage, ioUsageIn } from '../../kernel/io/io.ts';
import type { OwnerOf } from '../../kernel/io/io-transfers.ts';
import { type HostHistory, isKernelHost } from '../host-history.ts';
import type { RangeRequest } from '../range.ts';
import { windowOfHost } from './range-aggregates.ts';
import { threadOf } from './sched-stats.ts';
import type { DiskStat, IoStats } from './statistics-api.ts';

export function ioStats(
  hosts: readonly HostHistory[],
  leaves: AggregateLeaves,
  range: RangeRequest | undefined,
): IoStats {
  const answers = hosts.map((host) => {
    const leaf = leaves.whole(ioUsage as AnyAggregate, host.index) as IoLeaf;
    const { from, to } = windowOfHost(range, host.clock) ?? { from: -Infinity, to: Infinity };
    return { host, usage: ioUsageIn(leaf, from, to, ownersOf(host)) };
  });
  return {
    approximate: false,
    threads: answers.flatMap(({ host, usage }) =>
      usage.threads.map(({ owner, tid, pid, name, read, write, disk }) => {
        const { index } = host;
        const unknown = { row: `thread:${index}:${tid}`, name, tid, host: index };
        const thread = owner >= 0 && isKernelHost(host) ? threadOf(host, owner) : unknown;
        return { ...thread, pid, read, write, disk };
      }),
    ),
    files: answers.flatMap(({ usage }) => usage.files),
    disks: answers.flatMap(({ usage }) => usage.disks.map(diskStat)),
    errors: addErrors(answers.flatMap(({ usage }) => usage.errors)),
  };
}

function diskStat(disk: DiskIo): DiskStat {
  const { dev, name, requests, sectors, maxLatencyNs, writes, sequential, queued, meanDepth, maxDepth } =
    disk;
  const mean = (total: number, count: number) => (count === 0 ? 0 : Math.round(total / count));
  return {
    dev: name === '' ? dev : name,
    requests,
    sectors,
    meanLatencyNs: mean(disk.totalLatencyNs, requests),
    maxLatencyNs,
    writes,
    sequential,
    queued,
    meanQueuedNs: mean(disk.totalQueuedNs, queued),
    meanDepth,
    maxDepth,
  };
}

/** Rows of the host's threads: a tid that is used again is another thread. */
function ownersOf(host: HostHistory): OwnerOf {
  if (!isKernelHost(host)) return withoutRow;
  const { tid: tids, first } = host.tables.threads;
  const lives = groupBy(tids.keys(), (thread) => tids[thread]);
  return (tid, time) => {
    const ofTid = lives.get(tid) ?? [];
    return ofTid.findLast((thread) => first[thread] <= time) ?? ofTid[0] ?? withoutRow(tid);
  };
}

/** Negative, and of each tid another one; while a trace is read, tables may lag behind. */
function withoutRow(tid: number): number {
  return tid < 0 ? tid : -3 - tid;
}

/**
 * Time on the CPU per thread and per CPU, from switches alone (the `cpu` analysis of Reumont-Locke et al. 2019, section
 * 5.3.1): an aggregate, mergeable in any order of streams. What ran before a CPU's first switch is told by that
 * switch. A thread that migrates has its executions on each CPU apart.
 *
 * No session runs it: there the state history answers, by state and for any time range (`cpu-totals.ts`). It is a second
 * way to the same numbers for tests, and the third analysis of the paper for the bench.
 */
import type { Analysis, EventBatch } from '../../../src/engine/analysis/contract.ts';
import { readBy } from '../../../src/engine/analysis/read-packets.ts';
import { groupBy } from '../../../src/engine/base/group-by.ts';
import { rowReaders } from '../../../src/engine/analysis/compiled/chunk-reader.ts';
import { kernelKind } from '../../../src/engine/linux/events/kernel-events.ts';
import { mergeStreamParts, streamPart } from '../../../src/engine/analysis/stream-merge.ts';
import { ExecutionSums } from './execution-sums.ts';
import {
  THREAD_UNKNOWN,
  usageLayout,
  type UsageOfChunk,
  type UsageStreamPart,
  UsageChunkReader,
} from './usage-chunk-reader.ts';

export type CpuUsageChunk = readonly UsageStreamPart[];

interface CpuUse {
  readonly host: number;
  readonly cpu: number;
  /** First and last event of its streams. */
  readonly first: number;
  readonly last: number;
  readonly busyNs: number;
  readonly idleNs: number;
  readonly unknownNs: number;
}

interface ThreadUse {
  readonly host: number;
  readonly cpu: number;
  readonly tid: number;
  readonly name: string;
  readonly ns: number;
  readonly longestNs: number;
  readonly runs: number;
}

export interface CpuUsage {
  /** In order of host and CPU. */
  readonly cpus: readonly CpuUse[];
  /** One entry per thread and CPU it ran on, in order of host, tid, CPU; idle left out. */
  readonly executions: readonly ThreadUse[];
}

export const cpuUsage: Analysis<CpuUsageChunk, CpuUsage> = {
  id: 'cpu-usage',
  version: 4,
  reads: { kinds: [kernelKind('switch', 'prev_tid', 'prev_comm', 'next_tid', 'next_comm')] },
  ...readBy((plan) => rowReaders(new UsageChunkReader(usageLayout(plan)), usageStreamPart)),
  merge: (chunkResults) => mergeStreamParts(chunkResults, joinUsage),
  empty: [],
  finish: finishUsage,
};

function usageStreamPart(batch: EventBatch, made: UsageOfChunk): UsageStreamPart {
  const { packets } = batch;
  const [from, to] = [leastOf(packets.firstEvent), greatestOf(packets.lastEvent)];
  return streamPart(batch, { from, to, ...made });
}

/** Between two stream parts that tell who runs, the earlier one's last thread ran until the later one's first change. */
function joinUsage(streamParts: readonly UsageStreamPart[]): UsageStreamPart {
  const sums = new ExecutionSums();
  const texts: string[] = [];
  for (const { executions } of streamParts) sums.addAll(executions, texts);
  const joined = streamParts.reduce((earlier, later) => {
    if (Number.isNaN(later.firstChange)) return earlier;
    if (Number.isNaN(earlier.lastChange)) return { ...earlier, ...changesOf(later) };
    if (earlier.endTid !== THREAD_UNKNOWN)
      sums.addRun(sums.entryOf(earlier.endTid), later.firstChange - earlier.lastChange);
    return { ...earlier, lastChange: later.lastChange, endTid: later.endTid };
  });
  return {
    ...joined,
    last: streamParts[streamParts.length - 1].last,
    from: leastOf(streamParts.map(({ from }) => from)),
    to: greatestOf(streamParts.map(({ to }) => to)),
    executions: sums.finish(texts),
  };
}

function changesOf({ firstChange, beginTid, lastChange, endTid }: UsageStreamPart) {
  return { firstChange, beginTid, lastChange, endTid };
}

function finishUsage(chunkResult: CpuUsageChunk): CpuUsage {
  const groups = groupBy(chunkResult, ({ host, cpu }) => `${host} ${cpu}`);
  const cpus: CpuUse[] = [];
  const executions: ThreadUse[] = [];
  for (const streamParts of groups.values()) {
    const { host, cpu } = streamParts[0];
    const first = leastOf(streamParts.map((part) => part.from));
    const last = greatestOf(streamParts.map((part) => part.to));
    const sums = new ExecutionSums();
    const texts: string[] = [];
    for (const part of streamParts) {
      sums.addAll(part.executions, texts);
      if (Number.isNaN(part.firstChange)) continue;
      if (part.beginTid !== THREAD_UNKNOWN)
        sums.addRun(sums.entryOf(part.beginTid), part.firstChange - first);
      if (part.endTid !== THREAD_UNKNOWN) sums.addRun(sums.entryOf(part.endTid), last - part.lastChange);
    }
    const all = sums.finish(texts);
    const idleNs = all.tid[0] === 0 ? all.ns[0] : 0;
    const busyNs = all.ns.reduce((sum, ns) => sum + ns, 0) - idleNs;
    cpus.push({ host, cpu, first, last, busyNs, idleNs, unknownNs: last - first - busyNs - idleNs });
    all.tid.forEach((tid, i) => {
      if (tid === 0) return;
      const { name, ns, longest, runs } = all;
      executions.push({ host, cpu, tid, name: name[i], ns: ns[i], longestNs: longest[i], runs: runs[i] });
    });
  }
  return {
    cpus: cpus.sort((a, b) => a.host - b.host || a.cpu - b.cpu),
    executions: executions.sort((a, b) => a.host - b.host || a.tid - b.tid || a.cpu - b.cpu),
  };
}

/** Without those that are NaN; NaN when none is left. */
function leastOf(values: Iterable<number>): number {
  let least = NaN;
  for (const value of values) if (!(value >= least) && !Number.isNaN(value)) least = value;
  return least;
}

function greatestOf(values: Iterable<number>): number {
  let greatest = NaN;
  for (const value of values) if (!(value <= greatest) && !Number.isNaN(value)) greatest = value;
  return greatest;
}

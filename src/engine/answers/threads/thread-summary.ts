/** One thread: its parent, its states in a range, who woke it and whom it woke. */
import type { DisplayNs, HostNs } from '../../base/units.ts';
import { threadTotals } from '../../linux/states/read/cpu-totals.ts';
import { Parents } from '../../linux/states/read/parents.ts';
import { CPU_NOT_KNOWN, THREAD_STATES } from '../../linux/events/values.ts';
import { threadWaits } from '../../linux/states/read/wait-sums.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import { timesOfHost } from '../statistics/range-aggregates.ts';
import { hostsOfRow, threadOf, threadOfRow } from '../context/thread-rows.ts';
import type * as protocol from '../../protocol/threads.ts';
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import type { IoChunk } from '../../linux/sums/io/io-chunk.ts';
import { ioUsage, pathOfDescriptor } from '../../linux/sums/io/io.ts';
import type { OpenTrace } from '../context/open-trace.ts';
import type { AnswerTo } from '../context/query.ts';
import { callersOf } from '../statistics/running-threads.ts';

/** Summary; undefined: the row is no thread of a kernel trace. */
export const threadSummary: AnswerTo<'threadSummary'> = async ({ trace }, { row, range }) => {
  const [host, thread] = threadAsked(trace, row);
  if (host === undefined || thread < 0) return undefined;
  const { query, tables, clock } = host;
  const { threads } = tables;
  const known = query.extent();
  const asked = timesOfHost(range, clock);
  const from = Math.max(known.from, asked.from);
  const to = Math.min(known.to, asked.to);
  const totals = await threadTotals(query, tables, { from, to });
  const waits = await threadWaits(query, tables, thread, from, to);
  const at = thread * totals.states;
  const display = (time: number): DisplayNs => clock.toExperiment(time);
  return {
    pid: numberOf(threads.pid[thread]),
    ppid: numberOf(threads.ppid[thread]),
    parent: parentOf(host, thread),
    isForkSeen: threads.parent[thread] >= 0,
    firstNs: display(threads.first[thread]),
    endedNs: Number.isNaN(threads.ended[thread]) ? undefined : display(threads.ended[thread]),
    statesNs: [...totals.ns.subarray(at, at + THREAD_STATES.length)],
    blockedNs: [...waits.blockedNs],
    wakers: linesOf(host, waits.wakerCount, waits.wakerNs).sort((a, b) => b.ns - a.ns || b.count - a.count),
    woken: linesOf(host, waits.wokenCount).sort((a, b) => b.count - a.count),
    lastSwitchIn: await switchIn(host, thread, waits.lastSwitchIn),
  };
};

/** The host of a row and the thread in its table; undefined or negative: none. */
function threadAsked({ hosts }: OpenTrace, row: string): readonly [KernelHost | undefined, number] {
  const host = hostsOfRow(hosts, row).find(isKernelHost);
  return [host, host === undefined ? -1 : threadOfRow(host, row)];
}

function numberOf(id: number): number | undefined {
  return id < 0 ? undefined : id;
}

function parentOf(host: KernelHost, thread: number): protocol.ThreadLink | undefined {
  const { threads } = host.tables;
  const forkedBy = threads.parent[thread];
  const parent = forkedBy >= 0 ? forkedBy : new Parents(threads, threads.first).lifeOf(thread);
  return parent < 0 ? undefined : linkOf(host, parent);
}

function linkOf(host: KernelHost, thread: number): protocol.ThreadLink {
  const { row, name, tid } = threadOf(host, thread);
  return { row, name, tid };
}

/** Lines for the threads that have any count or time. */
function linesOf(host: KernelHost, count: Float64Array, ns?: Float64Array): protocol.WakingLine[] {
  const lines: protocol.WakingLine[] = [];
  for (let thread = 0; thread < count.length; thread++)
    if (count[thread] > 0 || (ns !== undefined && ns[thread] > 0))
      lines.push({ ...linkOf(host, thread), count: count[thread], ns: ns?.[thread] ?? 0 });
  return lines;
}

async function switchIn({ query, tables, clock }: KernelHost, thread: number, time: number) {
  const attribute = tables.threads.cpuAttribute[thread];
  if (Number.isNaN(time) || attribute < 0) return undefined;
  const cpu = (await query.at(attribute, time))?.value;
  if (cpu === undefined || cpu === CPU_NOT_KNOWN) return undefined;
  return { timeNs: clock.toExperiment(time), cpu };
}

/**
 * Path of a descriptor when the call began, or when it ended if a state dump named it only later; undefined: not known.
 */
export const descriptorPath: AnswerTo<'descriptorPath'> = async ({ trace }, { row, fd, from, to }) => {
  const [host, thread] = threadAsked(trace, row);
  if (host === undefined || thread < 0) return undefined;
  const chunkResults = await trace.chunkResults(ioUsage.id);
  const chunkResult = chunkResults.whole(ioUsage as AnyAggregate, host.index) as IoChunk;
  const callers = await callersOf(host, chunkResult);
  const tid = host.tables.threads.tid[thread];
  const at = (time: HostNs) => pathOfDescriptor(chunkResult, host.index, { tid, fd, time }, callers);
  return at(host.clock.toHost(from)) ?? at(host.clock.toHost(to));
};

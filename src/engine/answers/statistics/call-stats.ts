/** System calls of a range: by call, by thread, by both. */
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import { append } from '../../base/append.ts';
import { groupBy } from '../../base/group-by.ts';
import { type CallFailure, callFailures } from '../../linux/sums/calls/call-failures.ts';
import { callTimes, type CallTimes } from '../../linux/states/read/call-times.ts';
import { addErrors } from '../../linux/sums/error-counts.ts';
import { CAUSES } from '../../linux/events/values.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import { type DurationGroup, durationStatOf, inDisplayTime, type Owner } from './duration-stat.ts';
import { aggregateOf, timesOfHost, windowOfHost } from './range-aggregates.ts';
import { threadOwner } from './sched-stats.ts';
import { threadOf, hostsOfRow, threadOfRow } from '../context/thread-rows.ts';
import { lifeSums } from './life-sums.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { CallStat, CallStats, OfThreadRequest } from '../../protocol/statistics.ts';
import { calls as tables } from './tables/calls.ts';
import type { HostNs } from '../../base/units.ts';
import { runningThread } from './running-thread.ts';

export const calls = statistic<CallStats, OfThreadRequest>({
  tables,
  needs: [['syscall-entry'], ['syscall-exit'], ['switch']],
  none: { approximate: false, calls: [], threads: [], pairs: [] },
  count,
});

async function count(scope: StatisticScope, { thread }: OfThreadRequest): Promise<Counted<CallStats>> {
  const { range, trace } = scope;
  const hosts = thread === undefined ? scope.hosts : hostsOfRow(scope.hosts, thread);
  const owners: Owner[] = [];
  const pairs: Pair[] = [];
  let approximate = false;
  for (const host of hosts.filter(isKernelHost)) {
    const window = windowOfHost(range, host.clock);
    const failuresIn = async (part: TimeWindow | undefined) => {
      const answer = await aggregateOf<readonly CallFailure[]>(callFailures.id, scope, host, part);
      approximate ||= answer.approximate;
      return threadFailures(host, answer.result, part?.from);
    };
    const { from, to } = timesOfHost(range, host.clock);
    const only = thread === undefined ? undefined : threadOfRow(host, thread);
    const times = await callTimes(host.query, host.tables, from, to, only);
    const failures = await failuresIn(window);
    const countLife = (life: TimeWindow) =>
      failuresIn({ from: Math.max(from, life.from), to: Math.min(to, life.to) });
    const ofLives = trace.files && (await lifeSums(host.tables, times.thread, failures, countLife));
    const own = ownFailures(host, times, failures, ofLives, { from, to });
    const ofHost = pairsOf(host, times, own, owners);
    append(pairs, thread === undefined ? ofHost : ofHost.filter(({ row }) => row === thread));
  }
  const stats = (rowOf: (pair: Pair) => Partial<Pair>) => statsOf(pairs, rowOf, owners);
  return {
    approximate,
    calls: stats(() => NO_THREAD),
    threads: stats(() => ({ call: '' })),
    pairs: stats(() => ({})),
  };
}

type Place = Pick<CallStat, 'call' | 'row' | 'name' | 'tid' | 'pid' | 'host'>;

interface Pair extends Place {
  /** None where no call began and ended in sight. */
  readonly parts: readonly DurationGroup[];
  readonly failures: readonly CallFailure[];
  readonly blockedNs: Float64Array;
}

const NO_THREAD = { row: undefined, name: '', tid: -1, pid: -1, host: -1 };

/** A failure with the row of its thread. */
interface OwnFailure extends CallFailure {
  readonly thread: number;
}

function pairsOf(
  host: KernelHost,
  times: CallTimes,
  failures: readonly OwnFailure[],
  owners: Owner[],
): Pair[] {
  const table = inDisplayTime(times.durations, host.clock, owners, threadOwner(host));
  const failed = groupBy(failures, ({ thread, call }) => `${thread} ${call}`);
  const ended = times.name.map((call, group): Pair => {
    const thread = times.thread[group];
    const key = `${thread} ${call}`;
    const own = failed.get(key) ?? [];
    failed.delete(key);
    const blockedNs = times.blocked.subarray(group * CAUSES.length, (group + 1) * CAUSES.length);
    return { call, ...threadOf(host, thread), parts: [{ table, group }], failures: own, blockedNs };
  });
  const others = Array.from(failed.values(), (own): Pair => {
    const [{ thread, call }] = own;
    const blockedNs = new Float64Array(CAUSES.length);
    return { call, ...threadOf(host, thread), parts: [], failures: own, blockedNs };
  });
  return [...ended, ...others];
}

/**
 * Failures with their threads: those of a tid's lives where these are distinguished, else the first one that made the call,
 * or was there in the range: a call that began before the trace has no length.
 */
function ownFailures(
  { tables: { threads } }: KernelHost,
  times: CallTimes,
  failures: readonly CallFailure[],
  ofLives: ReadonlyMap<number, readonly CallFailure[]> = new Map(),
  { from, to }: TimeWindow,
): OwnFailure[] {
  const { tid: tids, first, last } = threads;
  const groups = groupBy(times.thread.keys(), (group) => `${tids[times.thread[group]]} ${times.name[group]}`);
  const firstOf = ({ tid, call }: CallFailure) => {
    const group = groups.get(`${tid} ${call}`)?.[0];
    if (group !== undefined) return times.thread[group];
    return tids.findIndex((own, thread) => own === tid && first[thread] < to && last[thread] >= from);
  };
  const told = new Set(Array.from(ofLives.keys(), (thread) => tids[thread]));
  const untold = failures.filter(({ tid }) => !told.has(tid));
  return [
    ...[...ofLives].flatMap(([thread, own]) => own.map((failure) => ({ ...failure, thread }))),
    ...untold.map((failure) => ({ ...failure, thread: firstOf(failure) })),
  ].filter(({ thread, call }) => thread >= 0 && call !== '');
}

/** Pairs added up that are alike after `rowOf` took away what shall not distinguish them. */
function statsOf(
  pairs: readonly Pair[],
  rowOf: (pair: Pair) => Partial<Pair>,
  owners: readonly Owner[],
): CallStat[] {
  const rows = pairs.map((pair) => ({ ...pair, ...rowOf(pair) }));
  const groups = groupBy(rows, ({ host, row, call }) => `${host} ${row} ${call}`);
  return Array.from(groups.values(), (parts) => {
    const [{ call, row, name, tid, pid, host }] = parts;
    return {
      call,
      row,
      name,
      tid,
      pid,
      host,
      durations: durationStatOf(
        parts.flatMap((pair) => pair.parts),
        owners,
      ),
      errors: addErrors(parts.flatMap(({ failures }) => failures)),
      blockedNs: CAUSES.map((_, cause) => parts.reduce((sum, { blockedNs }) => sum + blockedNs[cause], 0)),
    };
  });
}

/**
 * Failures of known threads, with those that `call-failures.ts` cannot give a thread, and whose call it may not know either.
 * @param from as in `runningThread`
 */
async function threadFailures(
  host: KernelHost,
  failures: readonly CallFailure[],
  from: HostNs | undefined,
): Promise<readonly CallFailure[]> {
  const told = failures.filter(({ tid }) => tid >= 0);
  const others = failures.filter(({ tid }) => tid < 0);
  const rows = await runningThread(host, others, from);
  for (const [place, failure] of others.entries()) {
    const tid = rows[place] < 0 ? 0 : host.tables.threads.tid[rows[place]];
    if (tid === 0) continue;
    // A call has ended when it returns.
    const time = failure.time === undefined ? (from ?? NaN) : failure.time - 1;
    told.push({ ...failure, tid, call: failure.call || (await callAt(host, rows[place], time)) });
  }
  return told;
}

/** The call that is pending, '' none. */
async function callAt({ query, tables }: KernelHost, thread: number, time: HostNs): Promise<string> {
  const attribute = tables.threads.callAttribute[thread];
  const call = attribute < 0 ? undefined : await query.at(attribute, time);
  return call === undefined ? '' : query.text(call.value);
}

/** System calls of a range: by call, by thread, by both. */
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import { groupBy, addNumber } from '../../base/group-by.ts';
import { type CallFailure, callFailures } from '../../linux/sums/calls/call-failures.ts';
import { type CallGroups, callTimes, type CallTimes } from '../../linux/states/read/call-times.ts';
import { addErrors } from '../../linux/sums/error-counts.ts';
import { CAUSES } from '../../linux/events/values.ts';
import { isKernelHost, type KernelHost } from '../context/host.ts';
import type { QueryContext } from '../context/query.ts';
import { type DurationGroup, durationStatOf, inDisplayTime, type Owner } from './duration-stat.ts';
import { aggregateOf, timesOfHost, windowOfHost, lifeSums } from './range-aggregates.ts';
import { threadOwner } from './sched-stats.ts';
import { threadOf, hostsOfRow, threadOfRow } from '../context/thread-rows.ts';
import { type Counted, statistic, type StatisticScope } from './statistic.ts';
import type { CallsRequest, CallStat, CallStats } from '../../protocol/statistics.ts';
import { calls as tables } from './tables/calls.ts';
import type { HostNs } from '../../base/units.ts';
import { runningThread } from './running-threads.ts';

export const calls = statistic<CallStats, CallsRequest>({
  tables,
  needs: [['syscall-entry'], ['syscall-exit'], ['switch']],
  none: { approximate: false, calls: [], threads: [], pairs: undefined },
  count,
});

async function count(
  scope: StatisticScope,
  { thread, withPairs = false }: CallsRequest,
): Promise<Counted<CallStats>> {
  const owners: Owner[] = [];
  const lists = { names: new CallRows(), threads: new CallRows(), pairs: new CallRows() };
  const groups = withPairs ? (['names', 'threads', 'pairs'] as const) : (['names', 'threads'] as const);
  let approximate = false;
  for (const found of await callsOf(scope, thread, groups)) {
    const { host, times, failures } = found;
    approximate ||= found.approximate;
    const threads = (row: number) => ({ ...threadOf(host, row), call: '' });
    const tellers: Readonly<Record<CallGroups, (group: number) => Place>> = {
      names: (group) => ({ ...NO_THREAD, call: times.names[group] }),
      threads: (group) => threads(times.threads[group]),
      pairs: (group) => ({
        ...threadOf(host, times.pairs.thread[group]),
        call: times.names[times.pairs.name[group]],
      }),
    };
    for (const of of groups) {
      const { durations, blocked } = times.sums[of];
      const table = inDisplayTime(durations, host.clock, owners, threadOwner(host));
      for (let group = 0; group < table.length; group++) {
        const row = lists[of].row(tellers[of](group));
        row.parts.push({ table, group });
        row.blocked.push(blocked.subarray(group * CAUSES.length, (group + 1) * CAUSES.length));
      }
    }
    for (const failure of failures) {
      const { call } = failure;
      lists.names.row({ ...NO_THREAD, call }).failures.push(failure);
      lists.threads.row(threads(failure.thread)).failures.push(failure);
      if (withPairs) lists.pairs.row({ ...threadOf(host, failure.thread), call }).failures.push(failure);
    }
  }
  return {
    approximate,
    calls: lists.names.stats(owners),
    threads: lists.threads.stats(owners),
    pairs: withPairs ? lists.pairs.stats(owners) : undefined,
  };
}

interface HostCalls<Wanted extends CallGroups> {
  readonly host: KernelHost;
  readonly times: CallTimes<Wanted>;
  readonly failures: readonly OwnFailure[];
  readonly approximate: boolean;
}

/** @param thread row of the only thread to count */
async function callsOf<Wanted extends CallGroups>(
  scope: StatisticScope,
  thread: string | undefined,
  wanted: readonly Wanted[],
): Promise<HostCalls<Wanted>[]> {
  const { range, trace } = scope;
  const hosts = thread === undefined ? scope.hosts : hostsOfRow(scope.hosts, thread);
  const found: HostCalls<Wanted>[] = [];
  for (const host of hosts.filter(isKernelHost)) {
    const window = windowOfHost(range, host.clock);
    let approximate = false;
    const failuresIn = async (part: TimeWindow | undefined) => {
      const answer = await aggregateOf<readonly CallFailure[]>(callFailures.id, scope, host, part);
      approximate ||= answer.approximate;
      return threadFailures(host, answer.result, part?.from);
    };
    const time = timesOfHost(range, host.clock);
    const only = thread === undefined ? undefined : threadOfRow(host, thread);
    const times = await callTimes(host.query, host.tables, time, wanted, only);
    const failures = await failuresIn(window);
    const countLife = (life: TimeWindow) =>
      failuresIn({ from: Math.max(time.from, life.from), to: Math.min(time.to, life.to) });
    const ofLives = trace.files && (await lifeSums(host.tables, times.threads, failures, countLife));
    const own = ownFailures(host, times, failures, ofLives, time);
    found.push({
      ...{ host, times, approximate },
      failures: only === undefined ? own : own.filter((failure) => failure.thread === only),
    });
  }
  return found;
}

/** Number of times a thread made a call, as far as both entry and exit were recorded. */
export interface CallCount extends Place {
  readonly count: number;
  readonly failures: readonly CallFailure[];
  /** Number of calls of the thread, of all names. */
  readonly ofThread: number;
}

/** Pairs of thread and call that were made, or failed, at least `least` times in the whole trace. */
export async function frequentCalls(context: QueryContext, least: number): Promise<readonly CallCount[]> {
  const scope = { ...context, hosts: context.trace.hosts, range: undefined };
  return (await callsOf(scope, undefined, [])).flatMap(({ host, times: { pairs, names }, failures }) => {
    const ofThread = new Map<number, number>();
    for (const [pair, thread] of pairs.thread.entries()) addNumber(ofThread, thread, pairs.count[pair]);
    const failed = groupBy(failures, ({ thread, call }) => `${thread} ${call}`);
    const countOf = (thread: number, call: string, count: number): CallCount[] => {
      const own = failed.get(`${thread} ${call}`) ?? [];
      failed.delete(`${thread} ${call}`);
      if (count < least && own.reduce((sum, failure) => sum + failure.count, 0) < least) return [];
      return [{ ...threadOf(host, thread), call, count, failures: own, ofThread: ofThread.get(thread) ?? 0 }];
    };
    const ended = Array.from(pairs.count).flatMap((count, pair) =>
      countOf(pairs.thread[pair], names[pairs.name[pair]], count),
    );
    const others = [...failed.values()].flatMap(([{ thread, call }]) => countOf(thread, call, 0));
    return [...ended, ...others];
  });
}

type Place = Pick<CallStat, 'call' | 'row' | 'name' | 'tid' | 'pid' | 'host'>;

const NO_THREAD = { row: undefined, name: '', tid: -1, pid: -1, host: -1 };

interface CallRow {
  readonly place: Place;
  /** Empty where no call was recorded with entry and exit. */
  readonly parts: DurationGroup[];
  readonly blocked: Float64Array[];
  readonly failures: CallFailure[];
}

/** Rows of a list, in order of first use. */
class CallRows {
  readonly #rows = new Map<string, CallRow>();

  row(place: Place): CallRow {
    const key = `${place.host} ${place.row} ${place.call}`;
    let row = this.#rows.get(key);
    if (row === undefined) this.#rows.set(key, (row = { place, parts: [], blocked: [], failures: [] }));
    return row;
  }

  stats(owners: readonly Owner[]): CallStat[] {
    return Array.from(this.#rows.values(), ({ place, parts, blocked, failures }) => {
      const blockedNs = new Array<number>(CAUSES.length).fill(0);
      for (const part of blocked)
        for (let cause = 0; cause < part.length; cause++) blockedNs[cause] += part[cause];
      return { ...place, durations: durationStatOf(parts, owners), errors: addErrors(failures), blockedNs };
    });
  }
}

/** A failed call with the row of its thread. */
interface OwnFailure extends CallFailure {
  readonly thread: number;
}

/**
 * Failures with threads: of a tid's life if known, else of the first that made the call, or that lived in the range.
 */
function ownFailures(
  { tables: { threads } }: KernelHost,
  { pairs, names }: CallTimes<never>,
  failures: readonly CallFailure[],
  ofLives: ReadonlyMap<number, readonly CallFailure[]> = new Map(),
  { from, to }: TimeWindow,
): OwnFailure[] {
  const { tid: tids, first, last } = threads;
  const firstOfCall = new Map(failures.map(({ tid }) => [tid, new Map<string, number>()]));
  for (let pair = 0; pair < pairs.thread.length; pair++) {
    const thread = pairs.thread[pair];
    const ofTid = firstOfCall.get(tids[thread]);
    const call = names[pairs.name[pair]];
    if (ofTid?.has(call) === false) ofTid.set(call, thread);
  }
  const firstOf = ({ tid, call }: CallFailure) =>
    firstOfCall.get(tid)?.get(call) ??
    tids.findIndex((own, thread) => own === tid && first[thread] < to && last[thread] >= from);
  const threadsOfLives = new Set(Array.from(ofLives.keys(), (thread) => tids[thread]));
  const untold = failures.filter(({ tid }) => !threadsOfLives.has(tid));
  return [
    ...[...ofLives].flatMap(([thread, own]) => own.map((failure) => ({ ...failure, thread }))),
    ...untold.map((failure) => ({ ...failure, thread: firstOf(failure) })),
  ].filter(({ thread, call }) => thread >= 0 && call !== '');
}

/** Failures of known threads, and those whose thread `call-failures.ts` cannot tell (`from`: as in `runningThread`). */
async function threadFailures(
  host: KernelHost,
  failures: readonly CallFailure[],
  from: HostNs | undefined,
): Promise<readonly CallFailure[]> {
  const ofThreads = failures.filter(({ tid }) => tid >= 0);
  const others = failures.filter(({ tid }) => tid < 0);
  const rows = await runningThread(host, others, from);
  for (const [place, failure] of others.entries()) {
    const tid = rows[place] < 0 ? 0 : host.tables.threads.tid[rows[place]];
    if (tid === 0) continue;
    // A call has ended when it returns.
    const time = failure.time === undefined ? (from ?? NaN) : failure.time - 1;
    ofThreads.push({ ...failure, tid, call: failure.call || (await callAt(host, rows[place], time)) });
  }
  return ofThreads;
}

/** The pending call; '' none. */
async function callAt({ query, tables }: KernelHost, thread: number, time: HostNs): Promise<string> {
  const attribute = tables.threads.callAttribute[thread];
  const call = attribute < 0 ? undefined : await query.at(attribute, time);
  return call === undefined ? '' : query.text(call.value);
}

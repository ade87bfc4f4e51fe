/** System calls of a range (spec 03 section 4, analysis 6): by call, by thread, by both. */
import type { AggregateLeaves } from '../../analysis/aggregate-leaves.ts';
import type { ChunkMapper } from '../../analysis/chunk-mapper.ts';
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import { append } from '../../base/append.ts';
import { groupBy } from '../../base/group-by.ts';
import { callFailures } from '../../kernel/calls/call-failures.ts';
import type { CallFailure } from '../../kernel/calls/call-failures.ts';
import { type CallTimes, callTimes } from '../../kernel/calls/call-times.ts';
import { addErrors } from '../../kernel/error-counts.ts';
import { CAUSES } from '../../kernel/values.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../host-history.ts';
import type { RangeRequest } from '../range.ts';
import { missingEvents } from '../recorded.ts';
import { durationStatOf, inDisplayTime } from './duration-stat.ts';
import type { DurationGroup, Owner } from './duration-stat.ts';
import { failuresOfLives } from './failures-of-lives.ts';
import { failuresOfThreads } from './failures-of-threads.ts';
import { aggregateOf, windowOfHost } from './range-aggregates.ts';
import { threadOf, threadOwner } from './sched-stats.ts';
import type { CallStat, CallStats } from './statistics-api.ts';

/** @param mapper decodes the chunks that a range cuts; undefined without the files */
export async function callStats(
  hosts: readonly HostHistory[],
  leaves: AggregateLeaves,
  range: RangeRequest | undefined,
  mapper: ChunkMapper | undefined,
): Promise<CallStats> {
  const owners: Owner[] = [];
  const pairs: Pair[] = [];
  let approximate = false;
  for (const host of hosts.filter(isKernelHost)) {
    const window = windowOfHost(range, host.clock);
    const count = async (part: TimeWindow | undefined) => {
      const { id } = callFailures;
      const answer = await aggregateOf<readonly CallFailure[]>(id, leaves, host.index, part, mapper);
      approximate ||= answer.approximate;
      return failuresOfThreads(host, answer.result, part?.from);
    };
    const { from, to } = window ?? { from: -Infinity, to: Infinity };
    const times = await callTimes(host.query, host.tables, from, to);
    const failures = await count(window);
    const countLife = (life: TimeWindow) =>
      count({ from: Math.max(from, life.from), to: Math.min(to, life.to) });
    const ofLives = mapper && (await failuresOfLives(host.tables, times.thread, failures, countLife));
    append(pairs, pairsOf(host, times, new FailedCalls(failures, ofLives), owners));
  }
  const stats = (rowOf: (pair: Pair) => Partial<Pair>) => statsOf(pairs, rowOf, owners);
  return {
    approximate,
    calls: stats(() => NO_THREAD),
    threads: stats(() => ({ call: '' })),
    pairs: stats(() => ({})),
    missing: missingEvents(hosts, leaves, [['syscall-entry'], ['syscall-exit'], ['switch']]),
  };
}

type Place = Pick<CallStat, 'call' | 'row' | 'name' | 'tid' | 'pid' | 'host'>;

interface Pair extends Place {
  readonly part: DurationGroup;
  readonly failures: readonly CallFailure[];
  readonly blockedNs: Float64Array;
}

const NO_THREAD = { row: undefined, name: '', tid: -1, pid: -1, host: -1 };

function pairsOf(host: KernelHost, times: CallTimes, failed: FailedCalls, owners: Owner[]): Pair[] {
  const table = inDisplayTime(times.durations, host.clock, owners, threadOwner(host));
  return times.name.map((call, group) => {
    const thread = threadOf(host, times.thread[group]);
    return {
      call,
      ...thread,
      part: { table, group },
      failures: failed.take(times.thread[group], thread.tid, call),
      blockedNs: times.blocked.subarray(group * CAUSES.length, (group + 1) * CAUSES.length),
    };
  });
}

/** Failures by thread and call: of a tid's lives where they are told apart, else of the first one that is asked for. */
class FailedCalls {
  readonly #ofLives: ReadonlyMap<number, readonly CallFailure[]>;
  readonly #ofTids: Map<string, readonly CallFailure[]>;

  constructor(
    failures: readonly CallFailure[],
    ofLives: ReadonlyMap<number, readonly CallFailure[]> = new Map(),
  ) {
    this.#ofLives = ofLives;
    this.#ofTids = groupBy(failures, ({ tid, call }) => `${tid} ${call}`);
  }

  /** @param thread its row */
  take(thread: number, tid: number, call: string): readonly CallFailure[] {
    const ofLife = this.#ofLives.get(thread);
    if (ofLife !== undefined) return ofLife.filter((failure) => failure.call === call);
    const key = `${tid} ${call}`;
    const failures = this.#ofTids.get(key) ?? [];
    this.#ofTids.delete(key);
    return failures;
  }
}

/** Pairs added up that are alike after `rowOf` took away what is not to tell them apart. */
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
        parts.map(({ part }) => part),
        owners,
      ),
      errors: addErrors(parts.flatMap(({ failures }) => failures)),
      blockedNs: CAUSES.map((_, cause) => parts.reduce((sum, { blockedNs }) => sum + blockedNs[cause], 0)),
    };
  });
}

/** Answers of an open trace, the same while it is read, after, and from the store. */
import type { AggregateLeaves } from '../analysis/aggregate-leaves.ts';
import type { ChunkMapper } from '../analysis/chunk-mapper.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { callFailures } from '../kernel/call-failures.ts';
import { counts, type Counts } from '../kernel/counts.ts';
import { interrupts } from '../kernel/interrupts.ts';
import { ioUsage } from '../kernel/io.ts';
import type { ClockTransform } from '../sync/clock-transform.ts';
import type { Experiment } from '../trace/types.ts';
import type { CountStat, CountStats } from './api.ts';
import { callStats } from './call-stats.ts';
import type { DisplayTime } from './display-time.ts';
import { eventsAround } from './events-around.ts';
import type { HostHistory } from './host-history.ts';
import { syncInfo, type HostSync } from './host-sync.ts';
import { ioStats } from './io-stats.ts';
import { irqStats } from './irq-stats.ts';
import type { OpenTrace } from './open-trace.ts';
import { PathAnswers } from './path-answer.ts';
import { PathFinder } from './path-finder.ts';
import { aggregateOf, windowOfHost } from './range-aggregates.ts';
import type { Grid } from './resample.ts';
import { schedStats } from './sched-stats.ts';

export interface AnswerSource {
  readonly hosts: readonly HostHistory[];
  readonly time: DisplayTime;
  /** undefined: packets are still being read. */
  readonly sync: () => HostSync | undefined;
  readonly lengthNs: () => number;
  readonly density: (row: string, grid: Grid) => Promise<Float32Array | undefined>;
  /** With those of these analyses. */
  readonly leaves: (...analyses: readonly string[]) => Promise<AggregateLeaves>;
  /** undefined: opened from the store without its files. */
  readonly files: { readonly experiment: Experiment; readonly mapper: ChunkMapper } | undefined;
  readonly openSource: SourceOpener;
}

export function createOpenTrace(source: AnswerSource): OpenTrace {
  const { hosts, files } = source;
  const paths = new PathFinder(hosts, source.sync, source.time);
  const pathAnswers = new PathAnswers(paths);
  const chosen = (only: readonly number[] | undefined) =>
    only === undefined ? hosts : hosts.filter(({ index }) => only.includes(index));
  return {
    hosts,
    paths,
    time: source.time,
    async syncInfo(guests) {
      const sync = source.sync();
      return sync && syncInfo(source.time.hosts, hosts, sync, source.time.clock, guests);
    },
    extent: () => ({ from: 0, to: source.lengthNs() }),
    density: source.density,
    async counts(range, only): Promise<CountStats> {
      const leaves = await source.leaves(counts.id);
      const events = new Map<string, CountStat>();
      let approximate = false;
      for (const { index, clock } of chosen(only)) {
        const window = windowOfHost(range, clock);
        const answer = await aggregateOf<Counts>(counts.id, leaves, index, window, files?.mapper);
        approximate ||= answer.approximate;
        for (const count of answer.result.events) addCount(events, count, clock);
      }
      return { approximate, events: [...events.values()].sort((a, b) => b.count - a.count) };
    },
    path: (request) => pathAnswers.answer(request),
    pathParts: (request) => pathAnswers.parts(request),
    io: async (range, only) => ioStats(chosen(only), await source.leaves(ioUsage.id), range),
    sched: async (range, only) => schedStats(chosen(only), await source.leaves(counts.id), range),
    irq: async (range, only) => {
      const leaves = await source.leaves(counts.id, interrupts.id);
      return irqStats(chosen(only), leaves, range, files?.mapper);
    },
    calls: async (range, only) => {
      const leaves = await source.leaves(counts.id, callFailures.id);
      return callStats(chosen(only), leaves, range, files?.mapper);
    },
    eventsAround: (timeNs, limit) =>
      files === undefined
        ? Promise.resolve([])
        : eventsAround(files.experiment, source.time, source.openSource, timeNs, limit),
  };
}

function addCount(
  events: Map<string, CountStat>,
  count: Counts['events'][number],
  clock: ClockTransform,
): void {
  const key = `${count.domain} ${count.name}`;
  const known = events.get(key);
  const firstNs = clock.toExperiment(count.first);
  const lastNs = clock.toExperiment(count.last);
  events.set(key, {
    name: count.name,
    domain: count.domain,
    count: count.events + (known?.count ?? 0),
    bytes: count.bytes + (known?.bytes ?? 0),
    firstNs: Math.min(firstNs, known?.firstNs ?? firstNs),
    lastNs: Math.max(lastNs, known?.lastNs ?? lastNs),
  });
}

/** Answers of an open trace, the same while it is read, after, and from the store. */
import type { AggregateLeaves } from '../analysis/aggregate-leaves.ts';
import type { ChunkMapper } from '../analysis/chunk-mapper.ts';
import type { HostEvents } from '../density/thread-events.ts';
import type { SourceOpener } from '../io/byte-source.ts';
import { callFailures } from '../kernel/calls/call-failures.ts';
import { counts } from '../kernel/counts.ts';
import { interrupts } from '../kernel/interrupts/interrupts.ts';
import { ioUsage } from '../kernel/io/io.ts';
import { namespaces } from '../kernel/namespaces/namespaces.ts';
import type { Experiment } from '../trace/types.ts';
import type { DisplayTime } from './display-time.ts';
import { eventsAround } from './events-around.ts';
import type { HostHistory } from './host-history.ts';
import { namespacesOfHost } from './host-namespaces.ts';
import { type HostSync, syncInfo } from './host-sync.ts';
import type { OpenTrace } from './open-trace.ts';
import { PathAnswers } from './paths/path-answer.ts';
import { PathFinder } from './paths/path-finder.ts';
import type { Grid } from './rows/resample.ts';
import { RowDensity } from './rows/row-density.ts';
import { eventsOfRow } from './rows/row-events.ts';
import { callStats } from './statistics/call-stats.ts';
import { countStats } from './statistics/count-stats.ts';
import { cpuStats } from './statistics/cpu-stats.ts';
import { ioStats } from './statistics/io-stats.ts';
import { irqStats } from './statistics/irq-stats.ts';
import { schedStats } from './statistics/sched-stats.ts';

export interface AnswerSource {
  readonly hosts: readonly HostHistory[];
  readonly time: DisplayTime;
  /** undefined: packets are still being read. */
  readonly sync: () => HostSync | undefined;
  readonly lengthNs: () => number;
  /** Events by thread of a host without a kernel's trace; undefined: none tells its thread. */
  readonly threadEvents: (host: number) => Promise<HostEvents | undefined>;
  /** Events per bucket of a stream's row, as its packets tell; undefined: no such row. */
  readonly packetDensity: (row: string, grid: Grid) => Float32Array | undefined;
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
  const events = files && { experiment: files.experiment, time: source.time, open: source.openSource };
  const areFilesRead = () => source.sync() !== undefined;
  const density = new RowDensity({ ...source, areFilesRead }, events);
  const eventsBehind = (row: string) => source.threadEvents(Number(row.split(':')[1]));
  return {
    hosts,
    paths,
    time: source.time,
    async syncInfo(guests) {
      const sync = source.sync();
      return sync && syncInfo(source.time.hosts, hosts, sync, source.time.clock, guests);
    },
    namespaces: async (host) => namespacesOfHost(await source.leaves(namespaces.id), host),
    extent: () => ({ from: 0, to: source.lengthNs() }),
    density: (rows, grid) => density.of(rows, grid),
    cpu: (range) => cpuStats(hosts, range, { from: 0, to: source.lengthNs() }),
    counts: async (range, only) =>
      countStats(chosen(only), await source.leaves(counts.id), range, files?.mapper),
    path: (request) => pathAnswers.answer(request),
    pathParts: (request) => pathAnswers.parts(request),
    io: async (range, only) => ioStats(chosen(only), await source.leaves(ioUsage.id), range),
    sched: (range, only) => schedStats(chosen(only), range),
    irq: async (range, only) => {
      const leaves = await source.leaves(interrupts.id);
      return irqStats(chosen(only), leaves, range, files?.mapper);
    },
    calls: async (range, only) => {
      const leaves = await source.leaves(callFailures.id);
      return callStats(chosen(only), leaves, range, files?.mapper);
    },
    async eventsAround(timeNs, limit, row) {
      if (events === undefined) return [];
      const only =
        row === undefined ? undefined : eventsOfRow(events.experiment, await eventsBehind(row), row);
      return eventsAround(events, timeNs, limit, only);
    },
  };
}

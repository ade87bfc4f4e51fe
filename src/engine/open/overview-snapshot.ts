/** Picture of a whole experiment for the page, as it is now: facts, rows, overview. */
import { type Fault, isWarning } from '../base/fault.ts';
import type { DisplayNs, HostNs } from '../base/units.ts';
import { findKey, type Lanes, noLanes } from '../density/lanes.ts';
import { type HostEvents, tellsThreads } from '../density/thread-events.ts';
import type { NamespaceThreads } from '../linux/namespaces/namespace-threads.ts';
import { countedRecorders } from '../answers/context/recorded.ts';
import { recordingLacks } from '../answers/context/recording-lacks.ts';
import { samplingOf } from '../trace/read-trace.ts';
import { splitPath } from '../trace/find-traces.ts';
import { isLeftOut } from '../trace/left-out.ts';
import type { Experiment, Stream, Trace } from '../trace/types.ts';
import type { ExperimentInfo, HostInfo, Overview, StreamInfo } from '../protocol/session.ts';
import type { DisplayTime } from '../answers/context/display-time.ts';
import type { HostHistory } from '../answers/context/host.ts';
import { hostEntries, type HostEntry, rowTree, type StreamEntry } from '../answers/rows/row-tree.ts';
import { hostLoad } from '../answers/rows/tiles.ts';
import type { PacketDensity } from '../answers/rows/packet-density.ts';
import type { Grid } from '../answers/rows/resample.ts';
import { hostDensity } from '../answers/rows/row-density.ts';
import type { RowColumns } from '../protocol/rows.ts';

export interface SnapshotSource {
  readonly key: string;
  readonly experiment: Experiment;
  readonly time: DisplayTime;
  readonly hosts: readonly HostHistory[];
  readonly density: PacketDensity;
  /** Events by thread of a host without a kernel trace; undefined: no event names its thread. */
  readonly threadEvents: (host: number) => Promise<HostEvents | undefined>;
  /** Numbers of a host's threads in nested pid namespaces. */
  readonly namespaces: (host: number) => Promise<NamespaceThreads>;
  readonly faults: readonly Fault[];
  readonly discardedEvents: number;
  readonly discardedPackets: number;
  readonly stopped: boolean;
}

/** Number of buckets of the overview. */
const OVERVIEW_BUCKETS = 1024;

export function experimentInfo(source: SnapshotSource): ExperimentInfo {
  const { experiment, time, key } = source;
  const streams = experiment.traces.flatMap((trace) =>
    trace.streams.map((stream, i) => streamInfo(source, trace, stream, i)),
  );
  const hosts = experiment.hosts.map((_, i) => hostInfo(source, i, streams));
  const sideBySide = experiment.sideBySide === true;
  const absolute = experiment.traces.some((trace) => trace.model.clocks.some((clock) => clock.absolute));
  return {
    key,
    name: experiment.name,
    originNs: absolute && !sideBySide ? String(time.originNs) : '',
    lengthNs: Math.max(1, ...hosts.map((host) => host.lastNs)),
    events: streams.reduce((sum, stream) => sum + stream.events, 0),
    bytes: streams.reduce((sum, stream) => sum + stream.bytes, 0),
    hosts,
    hasKernel: experiment.traces.some((trace) => trace.domain === 'kernel'),
    streams,
    faults: [...experiment.faults, ...experiment.traces.flatMap((trace) => trace.faults), ...source.faults],
    discardedEvents: source.discardedEvents,
    discardedPackets: source.discardedPackets,
    sideBySide,
    fromStore: false,
  };
}

export async function experimentRows(source: SnapshotSource): Promise<RowColumns> {
  const entries: HostEntry[] = [];
  for (const host of source.hosts) {
    const { name } = source.experiment.hosts[host.index];
    const [firstNs, lastNs] = hostSpan(source, host.index);
    const entry = { index: host.index, name, firstNs, lastNs };
    if (host.tables === undefined) entries.push({ ...entry, ...(await entriesOfEvents(source, host)) });
    else {
      const namespaces = await source.namespaces(host.index);
      const known = await hostEntries(host.tables, host.query, host.clock, namespaces);
      entries.push({ ...entry, ...known, streams: [] });
    }
  }
  return rowTree(entries);
}

export async function experimentOverview(source: SnapshotSource, lengthNs: number): Promise<Overview> {
  const bucketNs = Math.max(1, Math.ceil(lengthNs / OVERVIEW_BUCKETS));
  const grid = { from: 0, bucketNs, length: OVERVIEW_BUCKETS };
  const hosts = [];
  for (const host of source.hosts) {
    const estimated = source.density.estimated(host.index);
    // An estimate spreads events evenly over a packet, and a program's recording may be one packet: stored counts are
    // finer.
    const events = estimated || host.tables !== undefined ? undefined : await source.threadEvents(host.index);
    const density = events ? hostDensity(events, host.clock, grid) : packetDensityOf(source, host, grid);
    hosts.push({ host: host.index, load: await hostLoad(host, grid), density, estimated });
  }
  return { bucketNs, hosts };
}

function packetDensityOf(
  { experiment, density }: SnapshotSource,
  host: HostHistory,
  grid: Grid,
): Float32Array {
  const sums = new Float32Array(grid.length);
  eachStream({ experiment }, host.index, (trace, i) => {
    density.buckets(trace, i, host.clock, grid).forEach((events, bucket) => (sums[bucket] += events));
  });
  return sums;
}

function hostInfo(source: SnapshotSource, index: number, streams: readonly StreamInfo[]): HostInfo {
  const host = source.experiment.hosts[index];
  const traces = host.traces.map((trace) => source.experiment.traces[trace]);
  const { tables, clock, recorder } = source.hosts[index];
  const [firstNs, lastNs] = hostSpan(source, index);
  const shown = ({ from, to }: { readonly from: HostNs; readonly to: HostNs }) => {
    return { from: clock.toExperiment(from), to: clock.toExperiment(to) };
  };
  return {
    index,
    name: host.name,
    hostname: host.hostname,
    recordings: host.recordings,
    events: streams.reduce((sum, stream) => sum + (stream.host === index ? stream.events : 0), 0),
    cpus: tables?.cpus.length ?? 0,
    shiftNs: host.shiftNs ?? 0,
    firstNs,
    lastNs,
    lost: (tables?.losses ?? [])
      .filter(({ from, to }) => !isLeftOut(host, from, to))
      .map((loss) => ({ cpu: loss.cpu, ...shown(loss) })),
    notRecorded: (tables?.gaps ?? []).map(shown),
    recorder,
    counted: countedRecorders(traces),
    lacks: recordingLacks(traces),
    sampling: samplingOf(traces.map(({ model }) => model)) || undefined,
  };
}

function streamInfo(source: SnapshotSource, trace: Trace, stream: Stream, index: number): StreamInfo {
  const names = [...new Set(stream.files.map(({ source }) => splitPath(source.path).name))];
  const { read, packets } = source.density.progress(trace.index, index);
  const damaged = source.faults.some(
    (fault) => !isWarning(fault) && stream.files.some((file) => file.source.path === fault.place.file),
  );
  const complete = read === packets;
  return {
    name: names.length > 1 ? `${names[0]} … ${names[names.length - 1]}` : (names[0] ?? ''),
    host: trace.host,
    trace: trace.path,
    bytes: stream.bytes,
    readBytes: packets === 0 ? stream.bytes : (stream.bytes * read) / packets,
    packets,
    events: source.density.events(trace.index, index),
    state: damaged
      ? 'damaged'
      : complete
        ? 'complete'
        : source.stopped
          ? 'stopped'
          : read === 0
            ? 'waiting'
            : 'reading',
  };
}

/** Entries of a host without kernel events. */
async function entriesOfEvents(
  source: SnapshotSource,
  { index, clock }: HostHistory,
): Promise<Pick<HostEntry, 'cpus' | 'threads' | 'eventThreads' | 'streams'>> {
  const events = await source.threadEvents(index);
  return {
    cpus: [],
    threads: undefined,
    eventThreads: events && { events, clock },
    streams: streamEntries(source, index, events?.streams ?? noLanes()),
  };
}

/** Entries of streams, except those in which every event gives its thread. */
function streamEntries(source: SnapshotSource, host: number, withoutThread: Lanes): StreamEntry[] {
  const entries: StreamEntry[] = [];
  const { experiment, density } = source;
  eachStream(source, host, (trace, index, stream) => {
    const lane = findKey(withoutThread.keys, index, trace, 0);
    if (lane < 0 && tellsThreads(experiment, experiment.traces[trace], stream.streamClass)) return;
    const name = stream.files[0]?.source.path.split('/').at(-1) ?? `stream ${index}`;
    const [firstNs, lastNs] = streamSpan(source, trace, stream);
    entries.push({
      key: `${trace}.${index}`,
      name,
      cpu: stream.cpu < 0 ? undefined : stream.cpu,
      events: lane < 0 ? density.events(trace, index) : withoutThread.events[lane],
      firstNs,
      lastNs,
    });
  });
  return entries;
}

function eachStream(
  source: Pick<SnapshotSource, 'experiment'>,
  host: number,
  visit: (trace: number, index: number, stream: Stream) => void,
): void {
  for (const trace of source.experiment.traces) {
    if (trace.host === host) trace.streams.forEach((stream, index) => visit(trace.index, index, stream));
  }
}

/** Display times of the host's first and last event so far. */
function hostSpan(source: SnapshotSource, host: number): [DisplayNs, DisplayNs] {
  let first = Infinity;
  let last = -Infinity;
  eachStream(source, host, (trace, _, stream) => {
    const [from, to] = streamSpan(source, trace, stream);
    first = Math.min(first, from);
    last = Math.max(last, to);
  });
  return first <= last ? [first, last] : [0, 1];
}

/** Span of a stream, by its events once they are read, before that by its packets. */
function streamSpan(source: SnapshotSource, trace: number, stream: Stream): [DisplayNs, DisplayNs] {
  const { host, streams } = source.experiment.traces[trace];
  const { from, to } = source.density.span(trace, streams.indexOf(stream));
  const shown = (time: HostNs) => source.time.of(host).toExperiment(Number.isNaN(time) ? 0 : time);
  return [Math.max(0, shown(from)), shown(to)];
}

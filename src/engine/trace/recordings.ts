/** Recordings of one host: what was traced at one time; those of one boot that were opened together do not overlap. */
import { groupBy } from '../base/group-by.ts';
import { commonFolder, distinctNames, sessionFolder } from './folders.ts';
import { beginOf, clockOf, endOf } from './trace-clocks.ts';
import type { Experiment, Host, Stream, Trace } from './types.ts';

/** Recordings that one host can be called by. */
const MOST_NAMED = 3;

interface Span {
  /** HostNs of the first packet's begin. */
  readonly from: number;
  /** HostNs of the last packet's end; of its begin where the end is not known. */
  readonly to: number;
}

/** Infinite where its packets have no times. */
export function spanOf(trace: Trace): Span {
  const spans = trace.streams.map((stream) => streamSpan(trace, stream));
  return {
    from: spans.reduce((least, { from }) => Math.min(least, from), Infinity),
    to: spans.reduce((greatest, { to }) => Math.max(greatest, to), -Infinity),
  };
}

function streamSpan(trace: Trace, { streamClass, files }: Stream): Span {
  const map = clockOf(trace, streamClass);
  const { packets } = files[files.length - 1];
  const from = beginOf(files[0].packets, 0, map);
  const begin = beginOf(packets, packets.length - 1, map);
  const end = endOf(packets, packets.length - 1, map);
  if (Number.isNaN(from)) return { from: Infinity, to: -Infinity };
  return { from, to: Number.isNaN(end) ? begin : end };
}

/** HostNs at which recordings begin that overlap none before, but for the first. */
export function laterBegins(spans: readonly Span[]): number[] {
  const begins: number[] = [];
  let end = Infinity;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    if (from > end) begins.push(from);
    end = end === Infinity ? to : Math.max(end, to);
  }
  return begins;
}

/** The hosts with the names of their recordings; one whose recordings have no folder in common is called by all of them. */
export function withRecordingNames(experiment: Experiment): readonly Host[] {
  return experiment.hosts.map((host) => {
    const folders = tracesByRecording(experiment, host).map((traces) =>
      traces.map((index) => sessionFolder(experiment.traces[index].path)),
    );
    if (folders.length < 2) return host;
    const recordings = distinctNames(folders.map((sessions) => commonFolder(sessions) ?? sessions[0]));
    const isApart = commonFolder(folders.flat()) === undefined;
    const name = isApart && recordings.length <= MOST_NAMED ? recordings.join(' + ') : host.name;
    return { ...host, name, recordings };
  });
}

/** Number of the host's recordings before each trace's own. */
export function recordingsOf(experiment: Experiment, host: Host): number[] {
  const spans = host.traces.map((index) => spanOf(experiment.traces[index]));
  const kernel = host.traces.map((index) => experiment.traces[index].domain === 'kernel');
  const begins = laterBegins(spans.filter(({ from }, i) => kernel[i] && Number.isFinite(from)));
  return spans.map(({ from }) => begins.filter((begin) => begin <= from).length);
}

/**
 * Indices of the traces of each recording, in order of time. Those of user space are with the kernel's trace of their
 * session: they may begin a little before it.
 */
export function tracesByRecording(experiment: Experiment, host: Host): number[][] {
  const byTime = recordingsOf(experiment, host);
  const traces = host.traces.map((index) => experiment.traces[index]);
  const recordingOf = ({ path }: Trace, at: number): number => {
    const session = sessionFolder(path);
    const known = byTime.filter((_, i) => {
      return traces[i].domain === 'kernel' && sessionFolder(traces[i].path) === session;
    });
    return known.every((recording) => recording === known[0]) ? (known[0] ?? byTime[at]) : byTime[at];
  };
  const placed = traces.map((trace, at) => ({ index: trace.index, recording: recordingOf(trace, at) }));
  return [...groupBy(placed, ({ recording }) => recording)]
    .sort(([a], [b]) => a - b)
    .map(([, members]) => members.map(({ index }) => index));
}

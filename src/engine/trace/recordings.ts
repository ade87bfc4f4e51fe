/**
 * Recordings: those of one host, what was traced at one time, which do not overlap where they are of one boot and were opened
 * together; and the names of recordings and hosts by their folders.
 */
import { groupBy } from '../base/group-by.ts';
import { beginOf, clockOf, endOf } from './trace-clocks.ts';
import type { Experiment, Host, Stream, Trace } from './types.ts';

/** Recordings that one host can be called by. */
const MOST_NAMED = 3;

/** HostNs, both ends within. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Begin of the first packet to the end of the last one, its begin where the end is not known; infinite where packets have no times. */
export function spanOf(trace: Trace): Span {
  return wholeSpan(trace.streams.map((stream) => streamSpan(trace, stream)));
}

/** Infinite where there are none. */
export function wholeSpan(spans: readonly Span[]): Span {
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

/** Folders that LTTng makes in that of a recording; of those of user space the last ones may be given alone. */
const LAYOUT =
  /^(?:(.*?)\/)??(?:archives\/[^/]+\/)?(?:kernel|ust(?:\/(?:uid|pid)\/.+)?|(?:(?:uid\/)?\d+\/)?(?:32|64)-bit)$/;

/** A host without a folder of its own. */
const NAMELESS = 'host';

/**
 * The folder of the recording that a trace's folder belongs to: what stands before LTTng's `kernel`, `ust/uid/…`,
 * `ust/pid/…`, and before `archives/CHUNK` of a rotated session; '' when nothing does. Other traces are a session of
 * their own.
 */
export function sessionFolder(folder: string): string {
  const match = LAYOUT.exec(folder);
  return match === null ? folder : (match[1] ?? '');
}

/**
 * Names that distinguish folders: the last segment in which all differ, alone; else as many trailing segments as it
 * takes. Equal folders (one recording of several hosts) get a number.
 */
export function distinctNames(folders: readonly string[]): string[] {
  const segments = folders.map((folder) => folder.split('/').filter((segment) => segment !== ''));
  const depth = Math.max(1, ...segments.map((parts) => parts.length));
  for (let back = 1; back <= depth; back++) {
    const names = segments.map((parts) => parts.at(-back) ?? NAMELESS);
    if (allDistinct(names)) return names;
  }
  for (let count = 2; count <= depth; count++) {
    const names = segments.map((parts) => parts.slice(-count).join('/') || NAMELESS);
    if (allDistinct(names)) return names;
  }
  return segments.map((parts, index) => `${parts.at(-1) ?? NAMELESS}#${index + 1}`);
}

function allDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length;
}

/** The folder that all others lie in or are; undefined when there is none. */
export function commonFolder(folders: readonly string[]): string | undefined {
  let common = folders[0]?.split('/') ?? [];
  for (const folder of folders) {
    const segments = folder.split('/');
    const differs = common.findIndex((segment, i) => segment !== segments[i]);
    if (differs >= 0) common = common.slice(0, differs);
  }
  const joined = common.join('/');
  return joined === '' ? undefined : joined;
}

/**
 * Names several folders as one: `*` stands for what differs between what they begin and end with in common, as in
 * `session/*`. A single folder is itself.
 */
export function patternOf(folders: readonly string[]): string {
  const all = folders.map((folder) => folder.split('/'));
  const [first] = all;
  const shortest = Math.min(...all.map((segments) => segments.length));
  let head = 0;
  while (head < shortest && all.every((segments) => segments[head] === first[head])) head++;
  if (all.every((segments) => segments.length === head)) return first.join('/');
  let tail = 0;
  while (tail < shortest - head && all.every((segments) => segments.at(-1 - tail) === first.at(-1 - tail)))
    tail++;
  return [...first.slice(0, head), '*', ...first.slice(first.length - tail)].join('/');
}

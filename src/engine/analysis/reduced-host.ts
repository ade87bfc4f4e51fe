/** What the reducers of a host know from the start: from metadata and packet headers alone. */
import { createMeaningFinder } from '../ctf/decode/meanings.ts';
import { beginOf, clockOf, endOf } from '../trace/trace-clocks.ts';
import type { Experiment, Host, Stream, Trace } from '../trace/types.ts';
import type { ProjectionPlan, RecordingGap, ReducedHost } from './contract.ts';

export function reducedHost(experiment: Experiment, host: Host, plan: ProjectionPlan): ReducedHost {
  const traces = host.traces.map((index) => experiment.traces[index]);
  const kernel = traces.filter(({ domain }) => domain === 'kernel');
  const spans = (kernel.length > 0 ? kernel : traces).map(spanOf).filter(({ from }) => Number.isFinite(from));
  const release = kernel
    .flatMap(({ model }) => model.environment)
    .find(({ name }) => name === 'kernel_release');
  return {
    index: host.index,
    name: host.name,
    kernelRelease: String(release?.value ?? ''),
    cpus: cpusOf(kernel),
    hasWaking: kernel.some((trace) => declares(trace, plan, 'waking')),
    tellsQueues: kernel.some((trace) => declares(trace, plan, 'wakeup') || declares(trace, plan, 'migrate')),
    begin: spans.reduce((least, { from }) => Math.min(least, from), spans.length > 0 ? Infinity : 0),
    gaps: gapsBetween(spans),
  };
}

/** ns from the host's first event to the end of its last packet; 0 where its packets have no times. */
export function hostLength(experiment: Experiment, host: Host): number {
  const ends = host.traces.map((index) => spanOf(experiment.traces[index]).to).filter(Number.isFinite);
  return Math.max(0, ...ends.map((end) => end - host.firstEvent));
}

function cpusOf(traces: readonly Trace[]): number[] {
  const cpus = new Set<number>();
  for (const { packets } of traces.flatMap(({ streams }) => streams).flatMap(({ files }) => files)) {
    for (const cpu of packets.cpu) if (cpu >= 0) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

function declares(trace: Trace, plan: ProjectionPlan, meaning: string): boolean {
  const number = plan.meaning(meaning);
  const meaningOf = createMeaningFinder(plan.request);
  return (
    number >= 0 &&
    trace.model.streams.some(({ events }) => events.some(({ name }) => meaningOf(name) === number))
  );
}

interface Span {
  /** TimeNs of the first packet's begin. */
  readonly from: number;
  /** TimeNs of the last packet's end; of its begin where the end is not told. */
  readonly to: number;
  /** Whether `to` is the end: the last packets of a tracer that crashed have none. */
  readonly ends: boolean;
}

function spanOf(trace: Trace): Span {
  const spans = trace.streams.map((stream) => streamSpan(trace, stream));
  return {
    from: spans.reduce((least, { from }) => Math.min(least, from), Infinity),
    to: spans.reduce((greatest, { to }) => Math.max(greatest, to), -Infinity),
    ends: spans.every(({ ends }) => ends),
  };
}

function streamSpan(trace: Trace, { streamClass, files }: Stream): Span {
  const map = clockOf(trace, streamClass);
  const { packets } = files[files.length - 1];
  const from = beginOf(files[0].packets, 0, map);
  const begin = beginOf(packets, packets.length - 1, map);
  const end = endOf(packets, packets.length - 1, map);
  if (Number.isNaN(from)) return { from: Infinity, to: -Infinity, ends: true };
  return { from, to: Number.isNaN(end) ? begin : end, ends: !Number.isNaN(end) };
}

/** The times that no recording covers; `from` is NaN where the recording before does not tell its end. */
function gapsBetween(spans: readonly Span[]): RecordingGap[] {
  const gaps: RecordingGap[] = [];
  let latest: Span | undefined;
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    if (latest !== undefined && span.from > latest.to)
      gaps.push({ from: latest.ends ? latest.to : Number.NaN, to: span.from });
    if (latest === undefined || span.to > latest.to) latest = span;
  }
  return gaps;
}

/** Of each trace of a host: how many gaps between recordings end before or where it begins. */
export function recordingsOf(experiment: Experiment, host: Host): number[] {
  const spans = host.traces.map((index) => spanOf(experiment.traces[index]));
  const kernel = host.traces.map((index) => experiment.traces[index].domain === 'kernel');
  const gaps = gapsBetween(spans.filter(({ from }, i) => kernel[i] && Number.isFinite(from)));
  return spans.map(({ from }) => gaps.filter(({ to }) => to <= from).length);
}

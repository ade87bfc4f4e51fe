/** What the reducers of a host know from the start: from metadata and packet headers alone. */
import { createMeaningFinder } from '../ctf/decode/meanings.ts';
import { beginOf, clockOf, endOf } from '../trace/trace-clocks.ts';
import type { Experiment, Host, Stream, Trace } from '../trace/types.ts';
import type { ProjectionPlan, ReducedHost } from './contract.ts';

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
    recordings: laterBegins(spans),
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
    trace.model.streams.some(({ events }) => events.some(({ name }) => meaningOf(name).includes(number)))
  );
}

interface Span {
  /** TimeNs of the first packet's begin. */
  readonly from: number;
  /** TimeNs of the last packet's end; of its begin where the end is not told. */
  readonly to: number;
}

function spanOf(trace: Trace): Span {
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

/** TimeNs at which recordings begin that overlap none before, but for the first. */
function laterBegins(spans: readonly Span[]): number[] {
  const begins: number[] = [];
  let end = Infinity;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    if (from > end) begins.push(from);
    end = end === Infinity ? to : Math.max(end, to);
  }
  return begins;
}

/** Of each trace of a host: how many of the host's recordings are before its own. */
export function recordingsOf(experiment: Experiment, host: Host): number[] {
  const spans = host.traces.map((index) => spanOf(experiment.traces[index]));
  const kernel = host.traces.map((index) => experiment.traces[index].domain === 'kernel');
  const begins = laterBegins(spans.filter(({ from }, i) => kernel[i] && Number.isFinite(from)));
  return spans.map(({ from }) => begins.filter((begin) => begin <= from).length);
}

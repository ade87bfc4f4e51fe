/** What the reducers of a host know from the start: from metadata and packet headers alone. */
import { meaningOf } from '../ctf/decode/meanings.ts';
import { beginOf, endOf } from '../trace/trace-clocks.ts';
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
    name: host.name,
    kernelRelease: String(release?.value ?? ''),
    cpus: cpusOf(kernel),
    hasWaking: kernel.some((trace) => declares(trace, plan, 'waking')),
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
  const names = trace.model.streams.flatMap(({ events }) => events.map(({ name }) => name));
  return number >= 0 && names.some((name) => meaningOf(plan.request, name) === number);
}

interface Span {
  /** TimeNs of the first packet's begin and the last packet's end. */
  readonly from: number;
  readonly to: number;
}

function spanOf(trace: Trace): Span {
  let from = Infinity;
  let to = -Infinity;
  for (const stream of trace.streams) {
    const span = streamSpan(trace, stream);
    from = Math.min(from, span.from);
    to = Math.max(to, span.to);
  }
  return { from, to };
}

function streamSpan(trace: Trace, { streamClass, files }: Stream): Span {
  const clock = trace.model.streams[streamClass].clock;
  const map = clock === undefined ? undefined : trace.clocks[clock];
  const first = files[0].packets;
  const last = files[files.length - 1].packets;
  const from = beginOf(first, 0, map);
  const to = endOf(last, last.length - 1, map);
  return { from: Number.isNaN(from) ? Infinity : from, to: Number.isNaN(to) ? -Infinity : to };
}

/** The times that no recording covers. */
function gapsBetween(spans: readonly Span[]): Span[] {
  const gaps: Span[] = [];
  let covered = Infinity;
  for (const { from, to } of [...spans].sort((a, b) => a.from - b.from)) {
    if (from > covered) gaps.push({ from: covered, to: from });
    covered = covered === Infinity ? to : Math.max(covered, to);
  }
  return gaps;
}

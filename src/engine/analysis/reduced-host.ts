/** Facts that the reducers of a host have from the start, from metadata and packet headers alone. */
import { createKindFinder } from '../ctf/decode/event-projection.ts';
import { missingHalf } from '../trace/untold.ts';
import { losesSwitches } from '../trace/loss-subjects.ts';
import { recordedProgram } from '../trace/read-trace.ts';
import { laterBegins, spanOf } from '../trace/recordings.ts';
import type { Experiment, Host, Trace } from '../trace/types.ts';
import type { ProjectionPlan, ReducedHost } from './contract.ts';

export function reducedHost(experiment: Experiment, host: Host, plan: ProjectionPlan): ReducedHost {
  const traces = host.traces.map((index) => experiment.traces[index]);
  const kernel = traces.filter(({ domain }) => domain === 'kernel');
  const spans = (kernel.length > 0 ? kernel : traces).map(spanOf).filter(({ from }) => Number.isFinite(from));
  const environment = kernel.flatMap(({ model }) => model.environment);
  const valueOf = (wanted: string) => String(environment.find(({ name }) => name === wanted)?.value ?? '');
  const kernelRelease = valueOf('kernel_release');
  return {
    index: host.index,
    name: host.name,
    kernelRelease,
    isRealTime: /-rt(?:\d|\b)/.test(kernelRelease) || /PREEMPT[ _]RT/.test(valueOf('kernel_version')),
    program: programOf(kernel),
    cpus: cpusOf(kernel),
    hasGuestExits: kernel.some((trace) => declares(trace, plan, 'guest-exit')),
    hasWaking: kernel.some((trace) => declares(trace, plan, 'waking')),
    tellsQueues: kernel.some((trace) => declares(trace, plan, 'wakeup') || declares(trace, plan, 'migrate')),
    recordsCalls: kernel.some(({ model }) => missingHalf(model) === 'none'),
    losesSwitches: kernel.some(losesSwitches),
    begin: spans.reduce((least, { from }) => Math.min(least, from), spans.length > 0 ? Infinity : 0),
    recordings: [...laterBegins(spans), ...leftOut(host)].sort((a, b) => a - b),
  };
}

/** The only recorded program; undefined where some trace has events of others. */
function programOf(kernel: readonly Trace[]): string | undefined {
  const programs = new Set(kernel.map(({ model }) => recordedProgram(model)));
  return programs.has(undefined) || programs.size === 0 ? undefined : [...programs].join(', ');
}

/** HostNs at which states begin anew: where packets were left out of the trace, and where they resume. */
function leftOut({ leftOut: pieces = [] }: Host): number[] {
  return pieces.flatMap(({ from, to }) => [from, to]);
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

function declares(trace: Trace, plan: ProjectionPlan, kind: string): boolean {
  const number = plan.kind(kind);
  const kindOf = createKindFinder(plan.request);
  return (
    number >= 0 &&
    trace.model.streams.some(({ events }) => events.some(({ name }) => kindOf(name).includes(number)))
  );
}

/** `info PATH…`: traces, hosts, streams, clocks; events and losses; which analyses can be served. */
import { append } from '../../engine/base/append.ts';
import type { ChunkSpan } from '../../engine/analysis/chunk-results.ts';
import type { ChunkReport } from '../../engine/analysis/driver.ts';
import { type Fault, isWarning } from '../../engine/base/fault.ts';
import type { HostNs } from '../../engine/base/units.ts';
import { cyclesToNs, offsetNsOf } from '../../engine/ctf/decode/run/clock-map.ts';
import { DisplayTime } from '../../engine/answers/context/display-time.ts';
import { STATISTIC_NAMES, STATISTICS } from '../../engine/answers/statistics/statistics.ts';
import { STATE_KINDS } from '../../engine/words/machine-text.ts';
import { eventNamesOf, missingEvents } from '../../engine/answers/context/recorded.ts';
import { recordingLacks } from '../../engine/answers/context/recording-lacks.ts';
import { mainClock } from '../../engine/trace/trace-clocks.ts';
import type { Experiment, Trace } from '../../engine/trace/types.ts';
import { reportFaults } from '../messages.ts';
import { openPaths, scanExperiment, shifted } from '../experiment.ts';
import { print, printJson } from '../output.ts';
import type { Command } from '../options.ts';

interface TraceTotals {
  events: number;
  /** NaN without timed events. */
  first: HostNs;
  last: HostNs;
  discardedEvents: number;
  discardedPackets: number;
  readonly faults: Fault[];
}

export const info: Command = async (paths, options) => {
  const { experiment: opened, faults } = await openPaths(paths, options.offsets);
  const experiment = shifted(opened, options.offsets);
  if (experiment.traces.length === 0) return reportFaults(faults, options.strict);
  const totals = experiment.traces.map(({ faults }): TraceTotals => {
    const none = { events: 0, first: Number.NaN, last: Number.NaN, discardedEvents: 0, discardedPackets: 0 };
    return { ...none, faults: [...faults] };
  });
  const outcome = await scanExperiment(experiment, options, (report) => {
    addChunk(totals[report.chunk.trace], report);
  });
  for (const fault of outcome.faults.filter(isWarning)) {
    const of = experiment.traces.findIndex((trace) => hasFile(trace, fault.place.file));
    if (of >= 0) totals[of].faults.push(fault);
  }
  const description = describe(experiment, totals, timeOf(experiment, outcome.spans));
  if (options.json) printJson(description);
  else printInfo(experiment, description);
  return reportFaults([...faults, ...outcome.faults], options.strict);
};

function hasFile({ streams }: Trace, path: string | undefined): boolean {
  return streams.some(({ files }) => files.some(({ source }) => source.path === path));
}

/** Display time counted from the first event, which may lie before the first one that opening found. */
interface CountedTime {
  readonly originNs: bigint;
  of(host: number, timeNs: HostNs): number;
}

function timeOf(experiment: Experiment, spans: readonly ChunkSpan[]): CountedTime {
  // No packet is read here: every host by its own clock.
  const time = new DisplayTime(experiment.hosts, {
    offsets: new Map(experiment.hosts.map(({ index }) => [index, 0n])),
  });
  const firsts = spans
    .map(({ first }, host) => time.of(host).toExperiment(first))
    .filter((first) => !Number.isNaN(first));
  const first = firsts.reduce((least, one) => Math.min(least, one), firsts[0] ?? 0);
  return {
    originNs: time.originNs + BigInt(first),
    of: (host, timeNs) => time.of(host).toExperiment(timeNs) - first,
  };
}

function addChunk(totals: TraceTotals, { span, answer }: ChunkReport): void {
  totals.events += answer.events;
  if (!(totals.first <= span.first)) totals.first = Number.isNaN(span.first) ? totals.first : span.first;
  if (!(totals.last >= span.last)) totals.last = Number.isNaN(span.last) ? totals.last : span.last;
  for (let packet = 0; packet < answer.packets.length; packet++) {
    totals.discardedEvents += answer.packets.discardedEvents[packet];
    totals.discardedPackets += answer.packets.lostPackets[packet];
  }
  append(totals.faults, answer.faults);
}

function describe(experiment: Experiment, totals: readonly TraceTotals[], time: CountedTime) {
  return {
    originNs: String(time.originNs),
    hosts: experiment.hosts.map(({ name, hostname, clockUuid, traces }) => {
      const own = traces.map((index) => experiment.traces[index]);
      return { name, hostname, clockUuid, traces: own.map(({ path }) => path), lacks: recordingLacks(own) };
    }),
    traces: experiment.traces.map((trace, index) => traceInfo(experiment, trace, totals[index], time)),
    analyses: readiness(experiment),
  };
}

type TraceInfo = ReturnType<typeof traceInfo>;

function traceInfo(experiment: Experiment, trace: Trace, totals: TraceTotals, time: CountedTime) {
  const host = experiment.hosts[trace.host];
  const clock = mainClock(trace.model);
  const used = trace.clocks[trace.model.clocks.findIndex((each) => each === clock)];
  const shown = (ns: number): number | undefined => (Number.isNaN(ns) ? undefined : time.of(trace.host, ns));
  return {
    path: trace.path,
    host: host.name,
    domain: trace.domain,
    clock: clock && {
      name: clock.name,
      uuid: clock.uuid ?? '',
      frequency: String(clock.frequency),
      offsetNs: String(offsetNsOf(clock)),
      usedOffsetNs: String(host.offsetNs + cyclesToNs(0n, used.frequency, used.ticksOffset)),
    },
    streams: trace.streams.length,
    events: totals.events,
    firstNs: shown(totals.first),
    lastNs: shown(totals.last),
    discardedEvents: totals.discardedEvents,
    discardedPackets: totals.discardedPackets,
    warnings: totals.faults.map(({ code, place }) => ({ code, place })),
  };
}

function printInfo(
  experiment: Experiment,
  { originNs, hosts, traces, analyses }: ReturnType<typeof describe>,
): void {
  print(`${experiment.name}: first event at ${originNs} ns`);
  for (const host of hosts) {
    print(`host ${host.name}: ${host.hostname || 'name unknown'}, clock ${host.clockUuid || 'without uuid'}`);
    for (const trace of traces.filter((other) => other.host === host.name)) printTrace(experiment, trace);
    for (const { what, without, command } of host.lacks) {
      print(`  lacks ${what}: ${without}`);
      print(`    ${command}`);
    }
  }
  for (const { id, ready, missing } of analyses) {
    print(`${id}: ${ready ? 'ready' : `not possible, missing ${missing.join(', ')}`}`);
  }
}

function printTrace(experiment: Experiment, trace: TraceInfo): void {
  const { path, domain, clock, streams, events, firstNs, lastNs, discardedEvents, discardedPackets } = trace;
  print(`  ${path}: ${domain}, ${streams} streams, ${events} events`);
  if (firstNs !== undefined && lastNs !== undefined) print(`    from ${firstNs} to ${lastNs} ns`);
  if (clock !== undefined) {
    const { name, frequency, offsetNs, usedOffsetNs } = clock;
    const used = usedOffsetNs === offsetNs ? '' : `, read as ${usedOffsetNs} ns`;
    print(`    clock ${name}: ${frequency} Hz, offset ${offsetNs} ns${used}`);
  }
  if (discardedEvents + discardedPackets > 0) {
    print(`    lost: ${discardedEvents} events, ${discardedPackets} packets`);
  }
  const model = experiment.traces.find((other) => other.path === path)?.model;
  for (const { name, value } of model?.environment ?? []) print(`    ${name}: ${value}`);
}

/** Tells for each analysis whether the metadata declare the events that it needs, and which are missing, by their first names. */
function readiness({ traces }: Experiment) {
  const recorded = { eventNames: eventNamesOf(traces) };
  const [first, ...others] = STATISTIC_NAMES;
  return [first, 'states' as const, ...others].map((id) => {
    const essential = id === 'states' ? STATE_KINDS : STATISTICS[id].tables.essential;
    const missing = missingEvents(
      [recorded],
      // Where wakings were recorded without wake-ups, as perf does, they say the same.
      essential.map((kind) => (kind === 'wakeup' ? [kind, 'waking'] : [kind])),
    );
    return { id, ready: missing.length === 0, missing };
  });
}

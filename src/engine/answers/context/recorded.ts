/** Events that a trace may have, by the event classes of its metadata: tracers list what they were asked to record. */
import type { RecordedEvents, RecordedRequest } from '../../protocol/events.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { EVENT_KINDS, type EventKind, isKind } from '../../trace/event-kinds.ts';
import { environmentText } from '../../trace/read-trace.ts';
import type { CountedRecorders, Recorder } from '../../protocol/session.ts';
import type { Trace } from '../../trace/types.ts';
import type { HostHistory } from './host.ts';

/** Names of the event classes of traces, each once. */
export function eventNamesOf(traces: readonly Pick<Trace, 'model'>[]): readonly string[] {
  const names = new Set<string>();
  for (const { model } of traces)
    for (const { events } of model.streams)
      for (const { name } of events) if (name !== undefined) names.add(name);
  return [...names];
}

/** Tracer that recorded the kernel: LTTng where there are several, or where none is known. */
export function recorderOf(traces: readonly Pick<Trace, 'model' | 'domain'>[]): Recorder {
  const names = traces
    .filter(({ domain }) => domain !== 'ust')
    .map(({ model }) => environmentText(model, 'tracer_name'));
  if (names.some((name) => name.startsWith('lttng'))) return 'lttng';
  const found = (['perf', 'trace-cmd', 'perfetto'] as const).find((recorder) => names.includes(recorder));
  return found ?? (names.some((name) => name.startsWith('ftrace')) ? 'trace-cmd' : 'lttng');
}

/**
 * Recorders of a host's kernel by statistic: the first one, then those that add events which it did not record;
 * undefined: there is one recorder.
 */
export function countedRecorders(
  traces: readonly Pick<Trace, 'model' | 'domain' | 'repeats'>[],
): CountedRecorders | undefined {
  const nameOf = ({ model }: Pick<Trace, 'model'>): string => environmentText(model, 'tracer_name');
  const kernels = traces.filter(({ domain }) => domain === 'kernel');
  const ordered = kernels.sort((a, b) => Number(a.repeats !== undefined) - Number(b.repeats !== undefined));
  if (new Set(ordered.map(nameOf)).size < 2) return undefined;
  return ordered.map((trace) => {
    const events = eventNamesOf([trace]);
    return { name: nameOf(trace), kinds: ALL_KINDS.filter((kind) => isRecorded(events, kind)) };
  });
}

const ALL_KINDS = Object.keys(EVENT_KINDS) as EventKind[];

/** First event name of each group of kinds of which no event was to be recorded. */
export function missingEvents(
  hosts: readonly Pick<HostHistory, 'eventNames'>[],
  groups: readonly (readonly EventKind[])[],
): string[] {
  const isThere = (kind: EventKind): boolean => hosts.some(({ eventNames }) => isRecorded(eventNames, kind));
  return groups.filter((group) => !group.some(isThere)).map(([first]) => EVENT_KINDS[first].events[0]);
}

/** Whether entries and exits of system calls were to be recorded on a host. */
export function hasCalls(host: Pick<HostHistory, 'eventNames'>): boolean {
  return missingEvents([host], [['syscall-entry'], ['syscall-exit']]).length === 0;
}

export function recordedEvents(
  hosts: readonly Pick<HostHistory, 'index' | 'eventNames'>[],
  { needs }: RecordedRequest,
): readonly RecordedEvents[] {
  return hosts.map((host) => ({
    host: host.index,
    missing: needs.map((groups) => missingEvents([host], groups)),
    names: host.eventNames,
  }));
}

function isRecorded(names: readonly string[], kind: EventKind): boolean {
  const found = foundOf(names);
  const known =
    found.get(kind) ?? [kind, ...(ALSO[kind] ?? [])].some((one) => names.some((name) => isKind(one, name)));
  found.set(kind, known);
  return known;
}

/** Kinds of events that can replace others: a system call known by number alone replaces a named one. */
const ALSO: Partial<Record<EventKind, readonly EventKind[]>> = {
  'syscall-entry': ['raw-call'],
  switch: ['switched-out'],
};

/** Cache of whether kinds are among a host's event names: statistics are asked for with each move of a drag. */
const foundOf = cachedByKey((_: readonly string[]) => new Map<EventKind, boolean>());

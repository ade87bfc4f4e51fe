/** Events that a trace may have, by the event classes of its metadata: tracers list what they were asked to record. */
import type { RecordedEvents, RecordedRequest } from '../../protocol/events.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { EVENT_KINDS, type EventKind, isKind } from '../../trace/event-kinds.ts';
import { environmentText } from '../../trace/read-trace.ts';
import type { Recorder } from '../../protocol/session.ts';
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

/** Tracer of the kernel that recorded them: LTTng, where that is one of several, and where none is known. */
export function recorderOf(traces: readonly Pick<Trace, 'model' | 'domain'>[]): Recorder {
  const names = traces
    .filter(({ domain }) => domain !== 'ust')
    .map(({ model }) => environmentText(model, 'tracer_name'));
  if (names.some((name) => name.startsWith('lttng'))) return 'lttng';
  const found = (['perf', 'trace-cmd', 'perfetto'] as const).find((recorder) => names.includes(recorder));
  return found ?? (names.some((name) => name.startsWith('ftrace')) ? 'trace-cmd' : 'lttng');
}

/** First events of those groups of kinds of which nothing was to be recorded: each group needs one of its own. */
export function missingEvents(
  hosts: readonly Pick<HostHistory, 'eventNames'>[],
  groups: readonly (readonly EventKind[])[],
): string[] {
  const isThere = (kind: EventKind): boolean => hosts.some(({ eventNames }) => kindsOf(eventNames).has(kind));
  return groups.filter((group) => !group.some(isThere)).map(([first]) => EVENT_KINDS[first].events[0]);
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

/** Found once for a host: statistics follow a drag. */
const kindsOf = cachedByKey((names: readonly string[]): ReadonlySet<EventKind> => {
  const kinds = Object.keys(EVENT_KINDS) as EventKind[];
  const found = new Set(kinds.filter((kind) => names.some((name) => isKind(kind, name))));
  // A call that is known by its number alone is one.
  if (found.has('raw-call')) found.add('syscall-entry');
  if (found.has('switched-out')) found.add('switch');
  return found;
});

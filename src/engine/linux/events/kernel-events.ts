/** Requests of analyses for kernel events: kinds with some of their fields; and properties of event classes. */
import type { KindRequest } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { FieldWant } from '../../ctf/decode/rows/rows.ts';
import type { EventClass } from '../../ctf/model.ts';
import { callOf, EVENT_KINDS, type EventKind, packetStep, vectorOf } from '../../trace/event-kinds.ts';

/** The request for one kind with some of its fields. */
export function kernelKind<M extends EventKind>(
  kind: M,
  ...fields: (keyof (typeof EVENT_KINDS)[M]['fields'] & string)[]
): KindRequest {
  const all: Readonly<Record<string, FieldWant>> = EVENT_KINDS[kind].fields;
  return {
    kind,
    table: 'linux',
    events: EVENT_KINDS[kind].events,
    fields: Object.fromEntries(fields.map((name) => [name, all[name]])),
  };
}

/** Calls or vectors that events are about, by event class; '': none. No event is about both. */
export const subjectsOf = cachedByKey((eventClasses: readonly EventClass[]): readonly string[] =>
  eventClasses.map(({ name = '' }) => callOf(name) || (vectorOf(name)?.vector ?? '')),
);

/** Facts that the events of a stream reveal. */
export const toldBy = cachedByKey((eventClasses: readonly EventClass[]) => {
  const has = (kind: keyof typeof EVENT_KINDS) => {
    const names: readonly string[] = EVENT_KINDS[kind].events;
    return eventClasses.some(({ name = '' }) => names.includes(name));
  };
  return {
    /** Whether they tell who runs on its CPU. If channels divide a CPU's events, another stream may tell it. */
    switches: has('switch'),
    /** Whether calls return in events without the call's name (`exit_syscall`). */
    unnamedExits: has('syscall-exit'),
  };
});

/** Steps of interrupt vectors, by event class; 1: entry, -1: exit, 0: neither. */
export const vectorStepsOf = cachedByKey((eventClasses: readonly EventClass[]) =>
  Int8Array.from(eventClasses, ({ name = '' }) => {
    const vector = vectorOf(name);
    return vector === undefined ? 0 : vector.entry ? 1 : -1;
  }),
);

/** Marks by event class; 1: its events only queue packets that other recorded events show as received. */
export const isReceivedLater = cachedByKey((eventClasses: readonly EventClass[]) => {
  const steps = eventClasses.map(({ name = '' }) => packetStep(name));
  const received = steps.includes('received');
  return Uint8Array.from(steps, (step) => (step === 'queued' && received ? 1 : 0));
});

/** Directions of packets by event class; 1: an interface sends it, -1: receives it, 0: neither, or another event shows it. */
export const packetStepsOf = cachedByKey((eventClasses: readonly EventClass[]) => {
  const later = isReceivedLater(eventClasses);
  const steps = eventClasses.map(({ name = '' }) => packetStep(name));
  const isQueued = steps.includes('queued to send');
  return Int8Array.from(steps, (step, index) => {
    if (step === 'queued to send' || (step === 'transmitted' && !isQueued)) return 1;
    return (step === 'received' || step === 'queued') && later[index] === 0 ? -1 : 0;
  });
});

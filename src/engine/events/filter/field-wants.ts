/** Fields of events that a filter reads, as requested of a decoder. */
import type { KindRequest, ProjectionPlan } from '../../analysis/contract.ts';
import { findMembers } from '../../ctf/decode/program/members.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import type { HostNs } from '../../base/units.ts';
import type { FieldPlace, FieldWant } from '../../ctf/decode/rows/rows.ts';
import type { EventClass, StreamClass, StructClass } from '../../ctf/model.ts';
import { comparesNumber, type FieldNode, type HostThreads, type ResolvedFilter } from './filter.ts';

export type FieldName = Pick<FieldNode, 'name' | 'only'>;

/** Kinds as which fields are compared. */
export const FIELD_KINDS = ['wide', 'string'] as const;
export type ComparedKind = (typeof FIELD_KINDS)[number];

/** An event class of a trace, with its stream class. */
export interface EventOfStream {
  readonly event: EventClass;
  readonly stream: Pick<StreamClass, 'eventContext'>;
}

/** Number of the thread, of its process, and of the pid namespace of both, in traces of programs. */
export const VTID: FieldName = { name: 'vtid', only: 'context' };
export const VPID: FieldName = { name: 'vpid', only: 'context' };
export const PID_NS: FieldName = { name: 'pid_ns', only: 'context' };

export function wantOf({ name, only }: FieldName, kind: ComparedKind): FieldWant {
  return { names: [name], kind, ...(only !== undefined && { only }) };
}

/** Whether events of a class have a field that can be compared as `kind`. */
export function hasField({ event, stream }: EventOfStream, field: FieldName, kind: ComparedKind): boolean {
  return findMembers(wantOf(field, kind), stream, event).length > 0;
}

/** All text fields of an event class, contexts included. */
export function textFieldsOf({ event, stream }: EventOfStream): FieldName[] {
  return [
    ...textsIn(event.payload).map((name) => ({ name, only: 'payload' }) as const),
    ...textsIn(event.context).map((name) => ({ name, only: 'context' }) as const),
    ...textsIn(stream.eventContext).map((name) => ({ name, only: 'context' }) as const),
  ];
}

function textsIn(type: StructClass | undefined): string[] {
  const members = type?.members ?? [];
  return members
    .filter((member) => member.type.kind === 'string' || member.type.kind === 'text')
    .map(({ name }) => name);
}

/**
 * A kind for each event name that the filter may accept.
 * @param events all event classes of the experiment
 */
export function kindsOf(filter: ResolvedFilter, events: readonly EventOfStream[]): KindRequest[] {
  const kinds = new Map<string, Record<string, FieldWant>>();
  for (const of of events) {
    const { name } = of.event;
    if (name === undefined || verdict(filter, of) === false) continue;
    const wants = kinds.get(name) ?? {};
    kinds.set(name, wants);
    for (const field of fieldsRead(filter, of))
      for (const kind of FIELD_KINDS)
        if (hasField(of, field, kind)) wants[keyOf(field, kind)] = wantOf(field, kind);
  }
  return [...kinds].map(([name, wants]) => ({
    kind: kindName(name),
    events: [name],
    fields: wants,
    table: TABLE,
  }));
}

/** Table of the filter's kinds: an event leaves at most one row. */
export const TABLE = 'events of a filter';

function kindName(event: string): string {
  return `event ${event}`;
}

function keyOf({ name, only }: FieldName, kind: ComparedKind): string {
  return `${kind} ${only ?? 'anywhere'} ${name}`;
}

/** Where a field of an event is in its rows; undefined: its class has no such field. */
export function fieldPlace(
  plan: ProjectionPlan,
  of: EventOfStream,
  field: FieldName,
  kind: ComparedKind,
): FieldPlace | undefined {
  const { name } = of.event;
  // Fields are not read of events that the filter never accepts.
  if (name === undefined || plan.kind(kindName(name)) < 0) return undefined;
  if (!hasField(of, field, kind)) return undefined;
  return plan.field(kindName(name), keyOf(field, kind));
}

/** Fields that a filter reads of events of a class. */
function fieldsRead(filter: ResolvedFilter, of: EventOfStream): FieldName[] {
  if (verdict(filter, of) !== undefined) return [];
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap((part) => fieldsRead(part, of));
    case 'not':
      return fieldsRead(filter.part, of);
    case 'field':
      return [filter];
    case 'text':
      return textFieldsOf(of);
    case 'threads':
      return [VTID, filter.otherwise];
    case 'lanes':
      return [VTID, VPID, PID_NS];
    default:
      return [];
  }
}

/** Place and time of some events of one stream. */
export interface EventsPlace {
  /** Index in `Experiment.hosts`. */
  readonly host: number;
  /** -1: not known, or several. */
  readonly cpu: number;
  /** Whether a program's tracer wrote them. */
  readonly isOfProgram: boolean;
  /** Bounds of their times, HostNs. */
  readonly from: HostNs;
  readonly to: HostNs;
}

/**
 * Result of the filter for all events of a class: true or false; undefined: it depends on the event.
 * @param of undefined: all classes
 * @param place of the events; default: any
 */
export function verdict(
  filter: ResolvedFilter,
  of: EventOfStream | undefined,
  place?: EventsPlace,
): boolean | undefined {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const decisive = filter.kind === 'or';
      const found = filter.parts.map((part) => verdict(part, of, place));
      if (found.includes(decisive)) return decisive;
      return found.includes(undefined) ? undefined : !decisive;
    }
    case 'not': {
      const found = verdict(filter.part, of, place);
      return found === undefined ? undefined : !found;
    }
    case 'names':
      return of && filter.names.includes(of.event.name ?? '');
    case 'hosts':
      return place && filter.hosts.includes(place.host);
    case 'cpus':
      return place === undefined || place.cpu < 0
        ? undefined
        : comparesNumber(place.cpu, filter.compare, filter.values);
    case 'times': {
      if (place === undefined) return undefined;
      const [from, to] = filter.hosts[place.host];
      if (place.to < from || place.from >= to) return false;
      return place.from >= from && place.to < to ? true : undefined;
    }
    case 'threads': {
      const threads = place && filter.hosts[place.host];
      if (place === undefined || threads === undefined) return undefined;
      if (threads === null) return verdict(filter.otherwise, of, place);
      // Programs' events name their threads.
      return place.cpu < 0 || place.isOfProgram || hasRun(threads, place) ? undefined : false;
    }
    case 'field':
      return of === undefined || FIELD_KINDS.some((kind) => hasField(of, filter, kind)) ? undefined : false;
    case 'text':
      if (of === undefined) return undefined;
      if (of.event.name?.toLowerCase().includes(filter.text.toLowerCase()) === true) return true;
      return textFieldsOf(of).length > 0 ? undefined : false;
    default:
      return undefined;
  }
}

/** Whether one of the threads was on the CPU within a time. */
function hasRun({ cpus }: HostThreads, { cpu, from, to }: EventsPlace): boolean {
  const { times = [] } = cpus.find((one) => one.cpu === cpu) ?? {};
  const edge = firstWhere(0, times.length, (at) => times[at] >= from);
  // After an odd number of edges an interval is still open.
  return edge % 2 === 1 || times[edge] <= to;
}

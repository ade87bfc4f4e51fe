/** Fields of events that a filter reads, as a decoder is asked for them. */
import type { KindRequest, ProjectionPlan } from '../../analysis/contract.ts';
import { findMembers } from '../../ctf/decode/program/members.ts';
import type { FieldPlace, FieldWant } from '../../ctf/decode/rows/rows.ts';
import type { EventClass, StreamClass, StructClass } from '../../ctf/model.ts';
import type { FieldNode, ResolvedFilter } from './resolved.ts';

export type FieldName = Pick<FieldNode, 'name' | 'only'>;

/** Kinds that fields are compared as. */
export const FIELD_KINDS = ['wide', 'string'] as const;
export type ComparedKind = (typeof FIELD_KINDS)[number];

/** An event class of a trace, with what its stream class adds to it. */
export interface EventOfStream {
  readonly event: EventClass;
  readonly stream: Pick<StreamClass, 'eventContext'>;
}

/** The thread's number, its process's, and the pid namespace of both, as programs' traces have them. */
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

/** All text fields of an event class, those of contexts too. */
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

/** A kind for each event name that the filter may accept. @param events all event classes of the experiment */
export function kindsOf(filter: ResolvedFilter, events: readonly EventOfStream[]): KindRequest[] {
  const fields = fieldsOf(filter);
  const readsTexts = someNode(filter, ({ kind }) => kind === 'text');
  const kinds = new Map<string, Record<string, FieldWant>>();
  for (const of of events) {
    const { name } = of.event;
    if (name === undefined || !mayAccept(filter, of)) continue;
    const wants = kinds.get(name) ?? {};
    kinds.set(name, wants);
    const read = readsTexts ? [...fields, ...textFieldsOf(of)] : fields;
    for (const field of read)
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

/** An event leaves at most one row. */
export const TABLE = 'events of a filter';

function kindName(event: string): string {
  return `event ${event}`;
}

function keyOf({ name, only }: FieldName, kind: ComparedKind): string {
  return `${kind} ${only ?? 'anywhere'} ${name}`;
}

/** Where a field of an event is in its rows; undefined: its class has none. */
export function fieldPlace(
  plan: ProjectionPlan,
  of: EventOfStream,
  field: FieldName,
  kind: ComparedKind,
): FieldPlace | undefined {
  const { name } = of.event;
  // Where the filter accepts no event of this name, its fields are not read.
  if (name === undefined || plan.kind(kindName(name)) < 0) return undefined;
  if (!hasField(of, field, kind)) return undefined;
  return plan.field(kindName(name), keyOf(field, kind));
}

function fieldsOf(filter: ResolvedFilter): FieldName[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(fieldsOf);
    case 'not':
      return fieldsOf(filter.part);
    case 'field':
      return [filter];
    case 'threads':
      return [VTID, filter.otherwise];
    case 'lanes':
      return [VTID, VPID, PID_NS];
    default:
      return [];
  }
}

function someNode(filter: ResolvedFilter, is: (node: ResolvedFilter) => boolean): boolean {
  if (is(filter)) return true;
  if (filter.kind === 'not') return someNode(filter.part, is);
  return (filter.kind === 'and' || filter.kind === 'or') && filter.parts.some((part) => someNode(part, is));
}

/** False: no event of the class fulfils the filter. */
function mayAccept(filter: ResolvedFilter, of: EventOfStream): boolean {
  return verdict(filter, of) !== false;
}

/** Verdict on all events of a class: they fulfil the filter, or none does; undefined: nothing is known. */
function verdict(filter: ResolvedFilter, of: EventOfStream): boolean | undefined {
  switch (filter.kind) {
    case 'and':
    case 'or': {
      const decisive = filter.kind === 'or';
      const found = filter.parts.map((part) => verdict(part, of));
      if (found.includes(decisive)) return decisive;
      return found.includes(undefined) ? undefined : !decisive;
    }
    case 'not': {
      const found = verdict(filter.part, of);
      return found === undefined ? undefined : !found;
    }
    case 'names':
      return filter.names.includes(of.event.name ?? '');
    case 'field':
      return FIELD_KINDS.some((kind) => hasField(of, filter, kind)) ? undefined : false;
    default:
      return undefined;
  }
}

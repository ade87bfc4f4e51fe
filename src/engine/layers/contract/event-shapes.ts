/** Events that a trace declares, with the fields that can identify pairs or be shown. */
import { compare } from '../../base/compare.ts';
import { isContextMember } from '../../ctf/decode/program/members.ts';
import type { EventClass, IntegerClass, StructClass } from '../../ctf/model.ts';
import type { Domain, Experiment } from '../../trace/types.ts';

export interface EventShape {
  readonly name: string;
  readonly domain: Domain;
  /** Integers and texts of the payload, in its order. */
  readonly fields: readonly string[];
}

/** Each name once, in order of name; the first of several events with that name. */
export function eventShapes({ traces }: Experiment): EventShape[] {
  const shapes = new Map<string, EventShape>();
  for (const { domain, model } of traces) {
    for (const { name, payload } of model.streams.flatMap(({ events }) => events)) {
      if (name !== undefined && !shapes.has(name))
        shapes.set(name, { name, domain, fields: fieldsOf(payload) });
    }
  }
  return [...shapes.values()].sort((a, b) => compare(a.name, b.name));
}

function fieldsOf(payload: StructClass | undefined): string[] {
  return (payload?.members ?? [])
    .filter(({ type }) => type.kind === 'integer' || type.kind === 'string' || type.kind === 'text')
    .map(({ name }) => name)
    .filter((name) => !isContextMember(name));
}

/** Class of an integer field, looked up in the payload before the context, as the decoder does. */
export function integerClass({ payload, context }: EventClass, field: string): IntegerClass | undefined {
  for (const scope of [payload, context]) {
    const type = scope?.members.find(({ name }) => name === field)?.type;
    if (type !== undefined) return type.kind === 'integer' ? type : undefined;
  }
  return undefined;
}

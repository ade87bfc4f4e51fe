/** From names to event classes and members: which meaning an event class has, and where its wanted fields are. */
import type { EventClass, FieldClass, Scope, StreamClass, StructClass } from '../model.ts';
import type { RowField, Sink } from './compile.ts';
import { pathOf } from './registers.ts';
import { layoutOf, type DecodeRequest, type FieldWant, type MeaningWant } from './rows.ts';

/** Index of the meaning of an event name, or -1. Exact names win over prefixes, longer prefixes over shorter. */
export function meaningOf(request: DecodeRequest, name: string | undefined): number {
  if (name === undefined) return -1;
  let best = -1;
  let bestLength = -1;
  request.meanings.forEach((want, index) => {
    for (const pattern of want.names) {
      const length = matchLength(pattern, name);
      if (length > bestLength) {
        best = index;
        bestLength = length;
      }
    }
  });
  return best;
}

/** How much of the name a pattern fixes; -1 when it does not match. */
function matchLength(pattern: string, name: string): number {
  if (pattern === name) return Infinity;
  return pattern.endsWith('*') && name.startsWith(pattern.slice(0, -1)) ? pattern.length - 1 : -1;
}

/** The sink that puts the wanted fields of an event class into a row. */
export function rowSink(want: MeaningWant, stream: StreamClass, event: EventClass): Sink {
  const { offsets } = layoutOf(want);
  const fields = new Map<string, RowField>();
  let presence = 0;
  want.fields.forEach((field, index) => {
    const path = findMember(field, stream, event);
    if (path === undefined || fields.has(path)) return;
    fields.set(path, { kind: field.kind, to: offsets[index] });
    presence |= 1 << index;
  });
  return { kind: 'row', presence, fields };
}

/** Payload before specific context before common context; the first of the names that exists with a fitting class. */
function findMember(want: FieldWant, stream: StreamClass, event: EventClass): string | undefined {
  const scopes: readonly (readonly [Scope, StructClass | undefined])[] = [
    ['event-payload', event.payload],
    ['event-context', event.context],
    ['event-common-context', stream.eventContext],
  ];
  for (const name of want.names) {
    for (const [scope, root] of scopes) {
      const index =
        root?.members.findIndex((member) => member.name === name && fits(want, member.type)) ?? -1;
      if (index >= 0) return pathOf(scope, [index]);
    }
  }
  return undefined;
}

function fits(want: FieldWant, type: FieldClass): boolean {
  if (want.kind === 'string') return type.kind === 'string' || type.kind === 'text';
  return type.kind === 'integer';
}

/** Names that an event filter can use, from the metadata: events, and their comparable fields. */
import { compare } from '../base/compare.ts';
import type { FieldClass, StructClass } from '../ctf/model.ts';
import { typeName } from '../export/event-fields.ts';
import type { EventOfStream } from './filter/field-wants.ts';

export interface EventNames {
  /** Names of events in alphabetical order, each once. */
  readonly events: readonly string[];
  /** Fields in alphabetical order. */
  readonly fields: readonly NamedField[];
}

/** All fields of one name. */
interface NamedField {
  /** Name, with dots for a member of a structure. */
  readonly name: string;
  /** Type of the first such field: "u32", "enum u8", "text". */
  readonly type: string;
  /** Labels of the values of enumerations. */
  readonly labels: readonly string[];
  /** Events with the field in their payload or context, as indices in `EventNames.events`. */
  readonly events: readonly number[];
}

/** Limits on the names of fields, the labels of a field, and nested structures: metadata may have any number. */
const MOST_FIELDS = 20_000;
const MOST_LABELS = 500;
const DEEPEST = 8;

/** @param all event classes of the experiment */
export function eventNames(all: readonly EventOfStream[]): EventNames {
  const events = [...new Set(all.flatMap(({ event }) => event.name ?? []))].sort();
  const numbers = new Map(events.map((name, number) => [name, number]));
  const fields = new Map<string, FoundField>();
  const add = (root: StructClass | undefined, event: number | undefined): void => {
    if (root === undefined) return;
    eachComparable(root, '', 0, (name, type) => {
      let found = fields.get(name);
      if (found === undefined) {
        if (fields.size === MOST_FIELDS) return;
        found = { type: typeName(type), labels: new Set(), events: new Set() };
        fields.set(name, found);
      }
      const labels = type.kind === 'integer' ? (type.labels ?? []) : [];
      for (const { label } of labels) if (found.labels.size < MOST_LABELS) found.labels.add(label);
      if (event !== undefined) found.events.add(event);
    });
  };
  const contexts = new Set(all.map(({ stream }) => stream.eventContext));
  for (const context of contexts) add(context, undefined);
  for (const { event } of all) {
    const number = numbers.get(event.name ?? '');
    add(event.context, number);
    add(event.payload, number);
  }
  const named = [...fields].map(([name, { type, labels, events: having }]) => ({
    name,
    type,
    labels: [...labels],
    events: [...having],
  }));
  return { events, fields: named.sort((a, b) => compare(a.name, b.name)) };
}

interface FoundField {
  readonly type: string;
  readonly labels: Set<string>;
  readonly events: Set<number>;
}

/**
 * Calls back with each comparable field, a whole number or text; members of structures and variants with their path.
 */
function eachComparable(
  type: FieldClass,
  name: string,
  depth: number,
  take: (name: string, type: FieldClass) => void,
): void {
  if (depth > DEEPEST) return;
  const within = (part: string | undefined) => (name === '' ? (part ?? '') : `${name}.${part ?? ''}`);
  if (type.kind === 'struct')
    for (const member of type.members) eachComparable(member.type, within(member.name), depth + 1, take);
  else if (type.kind === 'variant')
    for (const option of type.options) eachComparable(option.type, within(option.name), depth + 1, take);
  else if (type.kind === 'integer' || type.kind === 'string' || type.kind === 'text') take(name, type);
}

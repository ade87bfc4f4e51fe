/** Finds the wanted fields of an event class: names with dots lead into structures, variants and arrays. */
import type { EventClass, FieldClass, IntegerClass, Scope, StreamClass, StructClass } from '../../model.ts';
import { constantSize } from './field-classes.ts';
import { classAt } from './registers.ts';
import type { FieldWant } from '../rows/rows.ts';

export interface MemberPlace {
  readonly scope: Scope;
  /** Steps as in `FieldRef`. */
  readonly steps: readonly number[];
  /** Number of steps that lead to each option of a variant on the way. */
  readonly choices: readonly number[];
}

/** Whether the name of a payload's member is that of a context: perf adds contexts to the fields of each event. */
export function isContextMember(name: string): boolean {
  return name.startsWith('perf_');
}

/**
 * Looks in the payload, then the specific context, then the common context. Gives all places of the first name that
 * leads to a fitting class: several where `*` or equal names lead into several options of a variant.
 */
export function findMembers(
  want: FieldWant,
  stream: Pick<StreamClass, 'eventContext'>,
  event: EventClass,
): readonly MemberPlace[] {
  const scopes: readonly (readonly [Scope, StructClass | undefined])[] = [
    ['event-payload', event.payload],
    ['event-context', event.context],
    ['event-common-context', stream.eventContext],
  ];
  for (const name of want.names) {
    for (const [scope, root] of scopes) {
      const part = scope === 'event-payload' && !isContextMember(name) ? 'payload' : 'context';
      if (root === undefined || (want.only ?? part) !== part) continue;
      const places: MemberPlace[] = [];
      follow(want, root, name.split('.'), { scope, steps: [], choices: [] }, places);
      if (places.length > 0) return places;
    }
  }
  return [];
}

/** Integer class of the elements of a wanted sequence; undefined: no event of the class has one. */
export function sequenceElement(
  want: FieldWant,
  stream: Pick<StreamClass, 'eventContext'>,
  event: EventClass,
): IntegerClass | undefined {
  const place = findMembers(want, stream, event).at(0);
  if (place === undefined) return undefined;
  const type = memberClass(place, stream, event);
  return type?.kind === 'array' && type.element.kind === 'integer' ? type.element : undefined;
}

/** The class of a member. @param place one of the event's own */
export function memberClass(
  place: Pick<MemberPlace, 'scope' | 'steps'>,
  { eventContext }: Pick<StreamClass, 'eventContext'>,
  { payload, context }: EventClass,
): FieldClass | undefined {
  const roots = { 'event-payload': payload, 'event-context': context, 'event-common-context': eventContext };
  return classAt(roots, place);
}

/** Collects the places below `place`, whose class is `type`, to which the rest of a name leads. */
function follow(
  want: FieldWant,
  type: FieldClass,
  names: readonly string[],
  place: MemberPlace,
  places: MemberPlace[],
): void {
  const [name, ...rest] = names;
  if (name === undefined) {
    if (fits(want, type)) places.push(place);
  } else if (type.kind === 'struct') {
    const index = type.members.findIndex(
      (member) => member.name === name && (rest.length > 0 || fits(want, member.type)),
    );
    if (index >= 0) {
      follow(want, type.members[index].type, rest, { ...place, steps: [...place.steps, index] }, places);
    }
  } else if (type.kind === 'variant') {
    type.options.forEach((option, index) => {
      if (name !== '*' && option.name !== name) return;
      const steps = [...place.steps, index];
      follow(want, option.type, rest, { ...place, steps, choices: [...place.choices, steps.length] }, places);
    });
  } else if (type.kind === 'array' && name === '*' && type.element.kind === 'integer') {
    follow(want, type.element, rest, { ...place, steps: [...place.steps, -1] }, places);
  }
}

function fits(want: FieldWant, type: FieldClass): boolean {
  switch (want.kind) {
    case 'string':
      return type.kind === 'string' || type.kind === 'text';
    case 'bytes':
      return type.kind === 'array' && isWholeBytes(type.element) && constantSize(type) >= 0;
    case 'sequence':
      // Elements have no space between them.
      return (
        type.kind === 'array' && isWholeBytes(type.element) && type.element.size % type.element.align === 0
      );
    default:
      return type.kind === 'integer';
  }
}

/** Integers that begin and end at bytes wherever they stand. */
function isWholeBytes(type: FieldClass): type is IntegerClass {
  return type.kind === 'integer' && type.align % 8 === 0 && type.size % 8 === 0;
}

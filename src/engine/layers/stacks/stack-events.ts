/**
 * Table of program events that hold a call stack, with the field. A row names events by a pattern; users' rows come
 * first. Stacks in contexts, which any event may have, are not in it.
 */
import { compare } from '../../base/compare.ts';
import type { EventClass, StructClass } from '../../ctf/model.ts';
import { matcherOf } from '../../base/glob.ts';
import type { Experiment } from '../../trace/types.ts';

export interface StackProvider {
  /** Name of the events. One `*` stands for any text. */
  readonly event: string;
  /** The field with the stack; '': the first sequence of addresses. */
  readonly field: string;
}

/** `addresses`: a sequence, innermost first, then return addresses. `functions`: names of interpreted code, joined by `;`. */
type StackKind = 'addresses' | 'functions';

/** Events that are read, by name. */
export interface StackEvent {
  readonly event: string;
  readonly field: string;
  readonly kind: StackKind;
  /** Whether the event ends a call whose duration is in the field `duration`, so that its stack was in force all that time. */
  readonly isCall: boolean;
}

/** Events of one trace that are read at most. */
const MOST_EVENTS = 256;

/** Names of functions of interpreted code. */
const FUNCTIONS = 'functions';

/** Field with the duration of a call that ends with an event with its stack, ns. */
export const DURATION = 'duration';

/** Shipped rows. */
export const STACK_PROVIDERS: readonly StackProvider[] = [
  { event: '*:cpu_stack', field: '' },
  { event: '*:syscall_stack', field: '' },
  { event: 'lttng_profile:*', field: '' },
  { event: '*', field: FUNCTIONS },
];

/** Program events with a stack, by name, each by the first row that matches. @param isRecorded whether there are any */
export function stackEvents(
  own: readonly StackProvider[],
  experiment: Experiment,
  isRecorded: (event: string) => boolean,
): StackEvent[] {
  const rows = [...own, ...STACK_PROVIDERS].map(({ event, field }) => ({ matches: matcherOf(event), field }));
  const found: StackEvent[] = [];
  for (const [event, fields] of stackFields(experiment)) {
    if (found.length === MOST_EVENTS || !isRecorded(event)) continue;
    const known = rows
      .filter(({ matches }) => matches(event))
      .flatMap(
        ({ field }) => fields.find((other) => (field === '' ? other.isAddress : other.field === field)) ?? [],
      )
      .at(0);
    if (known !== undefined)
      found.push({ event, field: known.field, kind: known.kind, isCall: known.isCall });
  }
  return found;
}

interface StackField {
  readonly field: string;
  readonly kind: StackKind;
  /** Whether its numbers are displayed as addresses. */
  readonly isAddress: boolean;
  readonly isCall: boolean;
}

/** Fields that may be stacks, by event of a program, in order of name. */
function stackFields({ traces }: Experiment): [string, readonly StackField[]][] {
  const fields = new Map<string, readonly StackField[]>();
  const programs = traces.filter(({ domain }) => domain !== 'kernel');
  for (const { name, payload } of programs.flatMap(({ model }) => model.streams).flatMap(eventsOf)) {
    if (name === undefined || (fields.get(name)?.length ?? 0) > 0) continue;
    fields.set(name, fieldsOf(payload));
  }
  return [...fields].sort(([a], [b]) => compare(a, b));
}

function eventsOf({ events }: { readonly events: readonly EventClass[] }): readonly EventClass[] {
  return events;
}

function fieldsOf(payload: StructClass | undefined): StackField[] {
  const isCall =
    payload?.members.some(({ name, type }) => name === DURATION && type.kind === 'integer') ?? false;
  return (payload?.members ?? []).flatMap(({ name: field, type }): StackField[] => {
    if (field === FUNCTIONS && (type.kind === 'string' || type.kind === 'text'))
      return [{ field, kind: 'functions', isAddress: false, isCall: false }];
    if (type.kind !== 'array' || type.element.kind !== 'integer') return [];
    const { size, base, variable = false } = type.element;
    if (variable || (size !== 32 && size !== 64)) return [];
    return [{ field, kind: 'addresses', isAddress: base === 16, isCall }];
  });
}

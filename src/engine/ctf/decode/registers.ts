/**
 * Which fields are remembered while decoding: those that give the length of an array or choose an option. Each
 * distinct target of a `FieldRef` in a stream class has one register.
 */
import type {
  EventClass,
  FieldClass,
  FieldRef,
  Scope,
  StreamClass,
  StructClass,
  TraceModel,
} from '../model.ts';
import { FIRST_FREE_REGISTER } from './program.ts';

export interface Registers {
  /** Register of the field that a reference leads to. */
  of(ref: FieldRef): number;
  /** Register of the field at this place, or undefined when nothing refers to it. */
  at(path: string): number | undefined;
  /** Whether a field at or below this place has a register. */
  within(path: string): boolean;
  readonly count: number;
  /** Whether contexts or payloads refer to fields of the event header. */
  readonly bodyRefersToHeader: boolean;
}

/** The place of a field as text: scope and steps as in `FieldRef`. */
export function pathOf(scope: Scope, steps: readonly number[]): string {
  return [scope, ...steps].join('/');
}

/** Registers for everything that the classes of one stream refer to. */
export function assignRegisters(model: TraceModel, stream: StreamClass): Registers {
  const registers = new Map<string, number>();
  const prefixes = new Set<string>();
  const add = (ref: FieldRef): void => {
    const path = pathOf(ref.scope, ref.steps);
    if (registers.has(path)) return;
    registers.set(path, FIRST_FREE_REGISTER + registers.size);
    for (let steps = 0; steps <= ref.steps.length; steps++) {
      prefixes.add(pathOf(ref.scope, ref.steps.slice(0, steps)));
    }
  };
  let bodyRefersToHeader = false;
  for (const root of [model.packetHeader, stream.packetContext, stream.eventHeader]) {
    if (root !== undefined) visitRefs(root, add);
  }
  for (const root of [
    stream.eventContext,
    ...stream.events.flatMap((event) => [event.context, event.payload]),
  ]) {
    if (root === undefined) continue;
    visitRefs(root, (ref) => {
      bodyRefersToHeader ||= ref.scope === 'event-header';
      add(ref);
    });
  }
  return {
    bodyRefersToHeader,
    of: (ref) => registers.get(pathOf(ref.scope, ref.steps)) ?? -1,
    at: (path) => registers.get(path),
    within: (path) => prefixes.has(path),
    count: FIRST_FREE_REGISTER + registers.size,
  };
}

function visitRefs(type: FieldClass, add: (ref: FieldRef) => void): void {
  switch (type.kind) {
    case 'struct':
      for (const member of type.members) visitRefs(member.type, add);
      break;
    case 'variant':
      add(type.tag);
      for (const option of type.options) visitRefs(option.type, add);
      break;
    case 'optional':
      add(type.selector);
      visitRefs(type.content, add);
      break;
    case 'array':
      if (typeof type.length !== 'number') add(type.length);
      visitRefs(type.element, add);
      break;
    case 'text':
    case 'blob':
      if (typeof type.length !== 'number') add(type.length);
  }
}

/** The root classes that an event's references can lead into. */
export type Roots = Readonly<Partial<Record<Scope, StructClass>>>;

export function rootsOf(model: TraceModel, stream: StreamClass, event?: EventClass): Roots {
  return {
    'packet-header': model.packetHeader,
    'packet-context': stream.packetContext,
    'event-header': stream.eventHeader,
    'event-common-context': stream.eventContext,
    'event-context': event?.context,
    'event-payload': event?.payload,
  };
}

/** The class of the field that a reference leads to; undefined when it leads nowhere. */
export function classAt(roots: Roots, ref: FieldRef): FieldClass | undefined {
  let type: FieldClass | undefined = roots[ref.scope];
  for (const step of ref.steps) {
    if (type === undefined) return undefined;
    if (type.kind === 'struct') type = type.members[step]?.type;
    else if (type.kind === 'variant') type = type.options[step]?.type;
    else if (type.kind === 'array') type = type.element;
    else if (type.kind === 'optional') type = type.content;
    else return undefined;
  }
  return type;
}

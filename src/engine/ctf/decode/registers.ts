/**
 * Which fields are remembered while decoding: those that give the length of an array or choose an option. Each
 * distinct target of a `FieldRef` in a stream class has one register, filled wherever the reference leads.
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
  /** Registers that the field at this place fills. */
  at(path: string): readonly number[];
  /** Whether a field at or below this place has a register. */
  within(path: string): boolean;
}

export interface RegisterPlan {
  readonly count: number;
  /** For the programs of headers (no event) or of one event class: places in other events do not count. */
  for(event?: EventClass): Registers;
  /** Whether contexts or payloads refer to fields of the event header. */
  readonly bodyRefersToHeader: boolean;
}

/** The place of a field as text: scope and steps as in `FieldRef`. */
export function pathOf(scope: Scope, steps: readonly number[]): string {
  return [scope, ...steps].join('/');
}

/** Registers for everything that the classes of one stream refer to. */
export function assignRegisters(model: TraceModel, stream: StreamClass): RegisterPlan {
  const numbers = new Map<string, number>();
  const refsOf = (...roots: readonly (StructClass | undefined)[]): FieldRef[] => {
    const refs: FieldRef[] = [];
    for (const root of roots) if (root !== undefined) collectRefs(root, refs);
    for (const ref of refs) {
      const key = keyOf(ref);
      if (!numbers.has(key)) numbers.set(key, FIRST_FREE_REGISTER + numbers.size);
    }
    return refs;
  };
  const inHeaders = refsOf(model.packetHeader, stream.packetContext, stream.eventHeader);
  const inCommonContext = refsOf(stream.eventContext);
  const inEvents = new Map(stream.events.map((event) => [event, refsOf(event.context, event.payload)]));
  const inBodies = [...inCommonContext, ...[...inEvents.values()].flat()];
  const shared = unique([...inHeaders, ...inBodies].filter(({ scope }) => !EVENT_SCOPES.includes(scope)));
  const registerOf = (ref: FieldRef): number => numbers.get(keyOf(ref)) ?? -1;
  return {
    count: FIRST_FREE_REGISTER + numbers.size,
    bodyRefersToHeader: inBodies.some(({ scope }) => scope === 'event-header'),
    for(event) {
      const own = event === undefined ? [] : [...inCommonContext, ...(inEvents.get(event) ?? [])];
      const refs = [...shared, ...unique(own.filter(({ scope }) => EVENT_SCOPES.includes(scope)))];
      const filled = new Map<string, number[]>();
      for (const ref of refs) {
        for (const path of pathsOf(ref)) filled.set(path, [...(filled.get(path) ?? []), registerOf(ref)]);
      }
      const above = allPrefixes(refs);
      return {
        of: registerOf,
        at: (path) => filled.get(path) ?? NONE,
        within: (path) => above.has(path),
      };
    },
  };
}

const NONE: readonly number[] = [];

/** All places that a reference leads to. */
function pathsOf({ scope, steps, alternatives = [] }: FieldRef): string[] {
  return [steps, ...alternatives].map((each) => pathOf(scope, each));
}

/** Equal for references that lead to the same places. */
function keyOf(ref: FieldRef): string {
  return pathsOf(ref).join(' ');
}

function unique(refs: readonly FieldRef[]): FieldRef[] {
  return [...new Map(refs.map((ref) => [keyOf(ref), ref])).values()];
}

/** Scopes whose class differs from event to event. */
const EVENT_SCOPES: readonly Scope[] = ['event-context', 'event-payload'];

/** The places of the targets and everything above them. */
function allPrefixes(refs: readonly FieldRef[]): ReadonlySet<string> {
  const prefixes = new Set<string>();
  for (const { scope, steps, alternatives = [] } of refs) {
    for (const each of [steps, ...alternatives]) {
      for (let count = 0; count <= each.length; count++) prefixes.add(pathOf(scope, each.slice(0, count)));
    }
  }
  return prefixes;
}

function collectRefs(type: FieldClass, refs: FieldRef[]): void {
  switch (type.kind) {
    case 'struct':
      for (const member of type.members) collectRefs(member.type, refs);
      break;
    case 'variant':
      refs.push(type.tag);
      for (const option of type.options) collectRefs(option.type, refs);
      break;
    case 'optional':
      refs.push(type.selector);
      collectRefs(type.content, refs);
      break;
    case 'array':
      if (typeof type.length !== 'number') refs.push(type.length);
      collectRefs(type.element, refs);
      break;
    case 'text':
    case 'blob':
      if (typeof type.length !== 'number') refs.push(type.length);
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

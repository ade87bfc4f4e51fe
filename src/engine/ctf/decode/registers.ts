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
    for (const { scope, steps } of refs) {
      const path = pathOf(scope, steps);
      if (!numbers.has(path)) numbers.set(path, FIRST_FREE_REGISTER + numbers.size);
    }
    return refs;
  };
  const inHeaders = refsOf(model.packetHeader, stream.packetContext, stream.eventHeader);
  const inCommonContext = refsOf(stream.eventContext);
  const inEvents = new Map(stream.events.map((event) => [event, refsOf(event.context, event.payload)]));
  const inBodies = [...inCommonContext, ...[...inEvents.values()].flat()];
  const shared = [...inHeaders, ...inBodies].filter(({ scope }) => !EVENT_SCOPES.includes(scope));
  const sharedPaths = allPrefixes(shared);
  return {
    count: FIRST_FREE_REGISTER + numbers.size,
    bodyRefersToHeader: inBodies.some(({ scope }) => scope === 'event-header'),
    for(event) {
      const own = event === undefined ? [] : [...inCommonContext, ...(inEvents.get(event) ?? [])];
      const ownPaths = allPrefixes(own.filter(({ scope }) => EVENT_SCOPES.includes(scope)));
      const within = (path: string): boolean => ownPaths.has(path) || sharedPaths.has(path);
      return {
        of: (ref) => numbers.get(pathOf(ref.scope, ref.steps)) ?? -1,
        at: (path) => (within(path) ? numbers.get(path) : undefined),
        within,
      };
    },
  };
}

/** Scopes whose class differs from event to event. */
const EVENT_SCOPES: readonly Scope[] = ['event-context', 'event-payload'];

/** The places of the targets and everything above them. */
function allPrefixes(refs: readonly FieldRef[]): ReadonlySet<string> {
  const prefixes = new Set<string>();
  for (const { scope, steps } of refs) {
    for (let count = 0; count <= steps.length; count++) prefixes.add(pathOf(scope, steps.slice(0, count)));
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

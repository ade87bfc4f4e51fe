/**
 * Fields kept in registers while decoding: those that give the length of an array or choose an option. Each distinct
 * target of a `FieldRef` in a stream class has one register, filled at every place that the reference leads to.
 */
import { addTo } from '../../../base/group-by.ts';
import {
  partsOf,
  type EventClass,
  type FieldClass,
  type FieldRef,
  type Scope,
  type StreamClass,
  type StructClass,
  type TraceModel,
} from '../../model.ts';
import { FIRST_FREE_REGISTER } from './program.ts';

export interface Registers {
  /** Register of the field that a reference leads to. */
  of(ref: FieldRef): number;
  /** Registers that the field at this place fills. */
  at(path: string): readonly number[];
  /** Whether a field at or below this place has a register. */
  within(path: string): boolean;
}

interface RegisterPlan {
  readonly count: number;
  /** Registers for the programs of headers (no event) or of one event class, without places in other events. */
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
  const registerOf = (ref: FieldRef): number => numbers.get(keyOf(ref)) ?? -1;
  const shared = placesOf(
    [...inHeaders, ...inBodies].filter((ref) => !isOfEvent(ref)),
    registerOf,
  );
  return {
    count: FIRST_FREE_REGISTER + numbers.size,
    bodyRefersToHeader: inBodies.some(({ scope }) => scope === 'event-header'),
    for(event) {
      const refs = event === undefined ? [] : [...inCommonContext, ...(inEvents.get(event) ?? [])];
      const own = placesOf(refs.filter(isOfEvent), registerOf);
      return {
        of: registerOf,
        at: (path) => own.registers.get(path) ?? shared.registers.get(path) ?? NONE,
        within: (path) => own.above.has(path) || shared.above.has(path),
      };
    },
  };
}

const NONE: readonly number[] = [];

function stepsOf({ steps, alternatives = [] }: FieldRef): readonly (readonly number[])[] {
  return [steps, ...alternatives];
}

/** All places that a reference leads to. */
function pathsOf(ref: FieldRef): string[] {
  return stepsOf(ref).map((steps) => pathOf(ref.scope, steps));
}

/** Key that is equal for references to the same places. */
function keyOf(ref: FieldRef): string {
  return pathsOf(ref).join(' ');
}

/** Whether a reference leads into a scope whose class differs from event to event. */
function isOfEvent({ scope }: FieldRef): boolean {
  return scope === 'event-context' || scope === 'event-payload';
}

interface Places {
  /** Registers of each place. */
  readonly registers: ReadonlyMap<string, readonly number[]>;
  /** The places and everything above them. */
  readonly above: ReadonlySet<string>;
}

/** Where references lead. */
function placesOf(refs: readonly FieldRef[], registerOf: (ref: FieldRef) => number): Places {
  const registers = new Map<string, number[]>();
  const above = new Set<string>();
  for (const ref of new Map(refs.map((each) => [keyOf(each), each])).values()) {
    for (const path of pathsOf(ref)) addTo(registers, path, registerOf(ref));
    for (const steps of stepsOf(ref)) {
      for (let count = 0; count <= steps.length; count++) above.add(pathOf(ref.scope, steps.slice(0, count)));
    }
  }
  return { registers, above };
}

function collectRefs(type: FieldClass, refs: FieldRef[]): void {
  if (type.kind === 'variant') refs.push(type.tag);
  else if (type.kind === 'optional') refs.push(type.selector);
  else if ('length' in type && typeof type.length !== 'number') refs.push(type.length);
  for (const part of partsOf(type)) collectRefs(part, refs);
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
export function classAt(
  roots: Roots,
  { scope, steps }: Pick<FieldRef, 'scope' | 'steps'>,
): FieldClass | undefined {
  return steps.reduce<FieldClass | undefined>((type, step) => type && partsOf(type).at(step), roots[scope]);
}

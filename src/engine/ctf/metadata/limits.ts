/** Bounds for what names of types can multiply; the largest real event class has some hundred fields. */
import type { Scope } from '../model.ts';
import { refuse, type Source } from './source.ts';

/** Levels of types in each other. */
export const MAX_DEPTH = 128;
/** Fields of one type, those of the types in it included. */
const MAX_SIZE = 1 << 16;
/** All classes of a trace together, shared ones counted for each use: a common context in each event that has it. */
export const MAX_CLASSES = 1 << 22;
/**
 * Characters of a name that count as a further field. Types are shared, their names are not: decode workers get the text
 * anew with each use. Names of programs are shorter.
 */
const NAME_PIECE = 64;
/** Event classes of a data stream: rows have 16 bits for them. */
export const MAX_EVENTS = 1 << 16;
/** Places that all field locations of a trace lead to, one in each option of a variant on their way. */
export const MAX_PLACES = 1 << 18;

/** Name in faults of the things that the limits on fields count. */
export const FIELDS = 'fields (a long name counts as several)';

/** Measures of a class before it is bound to the places where it is used. */
export interface Measured {
  /** Bits; `alignmentOf` the class that will be made of it. */
  readonly align: number;
  /** Classes in the tree below, itself included, as if nothing were shared; long names count too. */
  readonly size: number;
  /** Levels below, itself included. */
  readonly depth: number;
  /** The same wherever it is used: it has no reference to other fields, and no role. */
  readonly closed: boolean;
}

/** Measures of a compound class by those of the classes in it. */
export function measure(
  parts: readonly { readonly name?: string; readonly type: Measured }[],
  minimumAlign = 1,
): Measured {
  let [align, size, depth, closed] = [minimumAlign, 1, 1, true];
  for (const { name = '', type } of parts) {
    align = Math.max(align, type.align);
    size += type.size + Math.floor(name.length / NAME_PIECE);
    depth = Math.max(depth, type.depth + 1);
    closed &&= type.closed;
  }
  return { align, size, depth, closed };
}

/** Refuses what names of types multiplied too far. @param names of one and of many of what is measured */
export function checkMeasures(
  source: Source,
  at: number,
  { size, depth }: Measured,
  [one, many]: readonly [string, string],
): void {
  if (size > MAX_SIZE)
    refuse(source, at, 'over-limit', `at most ${MAX_SIZE} ${FIELDS} in one ${one}`, String(size));
  if (depth > MAX_DEPTH)
    refuse(source, at, 'over-limit', `${many} nested at most ${MAX_DEPTH} deep`, String(depth));
}

/** Classes that the root of a scope counts for; the body of an event has those of the common context too. */
export function classesOf(scope: Scope, roots: Partial<Record<Scope, { readonly size: number }>>): number {
  const isOfEvent = scope === 'event-context' || scope === 'event-payload';
  const common = isOfEvent ? (roots['event-common-context']?.size ?? 0) : 0;
  return (roots[scope]?.size ?? 0) + common;
}

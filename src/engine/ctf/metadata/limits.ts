/** Bounds for what names of types can multiply; the largest real event class has some hundred fields. */
import type { Scope } from '../model.ts';

/** Levels of types in each other. */
export const MAX_DEPTH = 128;
/** Fields of one type, those of the types in it included. */
export const MAX_SIZE = 1 << 16;
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

/** Fields that a member's name counts for, beside those of its type. */
export function sizeOfName(name: string): number {
  return Math.floor(name.length / NAME_PIECE);
}

/** Classes that the root of a scope counts for; the body of an event has those of the common context too. */
export function classesOf(scope: Scope, roots: Partial<Record<Scope, { readonly size: number }>>): number {
  const isOfEvent = scope === 'event-context' || scope === 'event-payload';
  const common = isOfEvent ? (roots['event-common-context']?.size ?? 0) : 0;
  return (roots[scope]?.size ?? 0) + common;
}

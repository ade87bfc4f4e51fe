/** Bounds on the size of types, which names of types can multiply; the largest real event class has some hundred fields. */
import type { Scope } from '../model.ts';
import { refuse, type Source } from './source.ts';

/** Greatest nesting depth of types. */
export const MAX_DEPTH = 128;
/** Fields of one type, including those of nested types. */
const MAX_SIZE = 1 << 16;
/** All classes of a trace together; shared ones count for each use, as a common context does for each event. */
export const MAX_CLASSES = 1 << 22;
/**
 * Characters of a name that count as a further field. Types are shared, but decode workers get the text of a name for
 * each use. Names of programs are shorter.
 */
const NAME_PIECE = 64;
/** Event classes of a data stream: rows have 16 bits for them. */
export const MAX_EVENTS = 1 << 16;
/** Places that all field locations of a trace lead to, one in each option of a variant on their way. */
export const MAX_PLACES = 1 << 18;

/** Text in faults for what the limits on fields count. */
export const FIELDS = 'fields (a long name counts as several)';

/** Measures of a class before it is bound where it is used. */
export interface Measured {
  /** Bits; `alignmentOf` the class that will be made of it. */
  readonly align: number;
  /** Classes in the tree below, itself included, as if nothing were shared; long names add to it. */
  readonly size: number;
  /** Levels below, itself included. */
  readonly depth: number;
  /** Whether it is the same wherever it is used: it has no reference to other fields, and no role. */
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

/** Refuses sizes beyond the limits. @param names of one and of many of what is measured */
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

/** Classes that a scope's root counts for; an event's body includes those of the common context. */
export function classesOf(scope: Scope, roots: Partial<Record<Scope, { readonly size: number }>>): number {
  const isOfEvent = scope === 'event-context' || scope === 'event-payload';
  const common = isOfEvent ? (roots['event-common-context']?.size ?? 0) : 0;
  return (roots[scope]?.size ?? 0) + common;
}

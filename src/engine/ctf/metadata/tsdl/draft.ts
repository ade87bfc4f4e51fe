/**
 * Types with names resolved, but with the paths of lengths and tags as written: their targets depend on where the
 * type is used. All uses share a draft; `bind.ts` makes the model's classes from drafts.
 */
import { alignmentOf, type FloatClass, type IntegerClass, type StringClass } from '../../model.ts';
import { measure, type Measured } from '../limits.ts';
import type { Path } from './ast.ts';

export type Draft = LeafDraft | ArrayDraft | StructDraft | VariantDraft;

export interface LeafDraft extends Measured {
  readonly kind: 'leaf';
  readonly type: IntegerClass | FloatClass | StringClass;
  /** Whether it is an integer whose `encoding` makes arrays of it text. */
  readonly text: boolean;
}

export interface ArrayDraft extends Measured {
  readonly kind: 'array';
  readonly length: number | Path;
  readonly element: Draft;
}

export interface MemberDraft {
  /** Name as written, with its underscores. */
  readonly name: string;
  readonly type: Draft;
  readonly at: number;
}

/** Members of a structure or options of a variant, and the index of each name. */
export interface Members {
  readonly members: readonly MemberDraft[];
  readonly indexes: ReadonlyMap<string, number>;
}

export interface StructDraft extends Measured, Members {
  readonly kind: 'struct';
}

export interface VariantDraft extends Measured, Members {
  readonly kind: 'variant';
  /** Undefined: each use gives it. */
  readonly tag?: Path;
  readonly at: number;
}

export function leafDraft(type: LeafDraft['type'], text = false): LeafDraft {
  return { kind: 'leaf', type, text, align: alignmentOf(type), size: 1, depth: 1, closed: true };
}

export function arrayDraft(length: number | Path, element: Draft): ArrayDraft {
  const closed = element.closed && typeof length === 'number';
  return { kind: 'array', length, element, ...measure([{ type: element }]), closed };
}

export function structDraft({ members, indexes }: Members, minimumAlign: number): StructDraft {
  return { kind: 'struct', members, indexes, ...measure(members, minimumAlign) };
}

/** Variants have no alignment of their own: the option taken has. */
export function variantDraft({ members, indexes }: Members, at: number, tag: Path | undefined): VariantDraft {
  return { kind: 'variant', members, indexes, tag, at, ...measure(members), align: 1, closed: false };
}

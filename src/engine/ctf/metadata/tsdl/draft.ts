/**
 * Types with their names looked up, but the paths of lengths and tags still as written: what they lead to depends on
 * where the type is used. Drafts are shared by all uses; `bind.ts` makes the model's classes from them.
 */
import { alignmentOf, type FloatClass, type IntegerClass, type StringClass } from '../../model.ts';
import { measure, type Measured } from '../limits.ts';
import type { Path } from './ast.ts';

export type Draft = LeafDraft | ArrayDraft | StructDraft | VariantDraft;

export interface LeafDraft extends Measured {
  readonly kind: 'leaf';
  readonly type: IntegerClass | FloatClass | StringClass;
  /** An integer whose `encoding` makes arrays of it text. */
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

/** The members of a structure or the options of a variant, and where each name stands among them. */
export interface Members {
  readonly members: readonly MemberDraft[];
  readonly indexes: ReadonlyMap<string, number>;
}

export interface StructDraft extends Measured, Members {
  readonly kind: 'struct';
}

export interface VariantDraft extends Measured, Members {
  readonly kind: 'variant';
  /** undefined: to be given where it is used. */
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

/** Variants are aligned by the option taken, so not by themselves. */
export function variantDraft({ members, indexes }: Members, at: number, tag: Path | undefined): VariantDraft {
  return { kind: 'variant', members, indexes, tag, at, ...measure(members), align: 1, closed: false };
}

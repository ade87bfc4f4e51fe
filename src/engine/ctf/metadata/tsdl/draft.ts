/**
 * Types with their names looked up, but the paths of lengths and tags still as written: what they lead to depends on
 * where the type is used. Drafts are shared by all uses; `bind.ts` makes the model's classes from them.
 */
import { alignmentOf, type FloatClass, type IntegerClass, type StringClass } from '../../model.ts';
import { sizeOfName } from '../limits.ts';
import type { Path } from './ast.ts';

export type Draft = LeafDraft | ArrayDraft | StructDraft | VariantDraft;

interface Measured {
  /** Bits; `alignmentOf` the class that will be made of it. */
  readonly align: number;
  /** Classes in the tree below, itself included, as if nothing were shared; long names count too. */
  readonly size: number;
  /** Levels below, itself included. */
  readonly depth: number;
  /** It has no path, so that all its uses can be one object. */
  readonly closed: boolean;
}

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
  const { align, size, depth } = element;
  const closed = element.closed && typeof length === 'number';
  return { kind: 'array', length, element, align, size: size + 1, depth: depth + 1, closed };
}

export function structDraft({ members, indexes }: Members, minimumAlign: number): StructDraft {
  const { align, size, depth, closed } = measure(members);
  return { kind: 'struct', members, indexes, align: Math.max(align, minimumAlign), size, depth, closed };
}

/** Variants are aligned by the option taken, so not by themselves. */
export function variantDraft({ members, indexes }: Members, at: number, tag: Path | undefined): VariantDraft {
  const { size, depth } = measure(members);
  return { kind: 'variant', members, indexes, tag, at, align: 1, size, depth, closed: false };
}

function measure(members: readonly MemberDraft[]): Measured {
  let align = 1;
  let size = 1;
  let depth = 1;
  let closed = true;
  for (const { name, type } of members) {
    align = Math.max(align, type.align);
    size += type.size + sizeOfName(name);
    depth = Math.max(depth, type.depth + 1);
    closed &&= type.closed;
  }
  return { align, size, depth, closed };
}

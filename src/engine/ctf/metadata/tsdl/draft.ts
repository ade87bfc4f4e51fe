/**
 * Types with their names looked up, but the paths of lengths and tags still as written: what they lead to depends on
 * where the type is used. Drafts are shared by all uses; `bind.ts` makes the model's classes from them.
 */
import { alignmentOf } from '../../model.ts';
import type { FloatClass, IntegerClass, StringClass } from '../../model.ts';
import type { Path } from './ast.ts';

export type Draft = LeafDraft | ArrayDraft | StructDraft | VariantDraft;

interface Measured {
  /** Classes in the tree below, itself included, as if nothing were shared. */
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
  readonly align: number;
}

export interface MemberDraft {
  /** As written, with its underscores. */
  readonly name: string;
  readonly type: Draft;
  readonly at: number;
}

export interface StructDraft extends Measured {
  readonly kind: 'struct';
  readonly members: readonly MemberDraft[];
  readonly indexes: ReadonlyMap<string, number>;
  readonly align: number;
}

export interface VariantDraft extends Measured {
  readonly kind: 'variant';
  /** undefined: to be given where it is used. */
  readonly tag?: Path;
  readonly members: readonly MemberDraft[];
  readonly indexes: ReadonlyMap<string, number>;
  readonly at: number;
}

export function leafDraft(type: LeafDraft['type'], text = false): LeafDraft {
  return { kind: 'leaf', type, text, size: 1, depth: 1, closed: true };
}

export function arrayDraft(length: number | Path, element: Draft): ArrayDraft {
  return {
    kind: 'array',
    length,
    element,
    align: alignmentOfDraft(element),
    size: element.size + 1,
    depth: element.depth + 1,
    closed: element.closed && typeof length === 'number',
  };
}

export function structDraft(
  members: readonly MemberDraft[],
  indexes: ReadonlyMap<string, number>,
  minimumAlign: number,
): StructDraft {
  const align = members.reduce((most, member) => Math.max(most, alignmentOfDraft(member.type)), minimumAlign);
  const closed = members.every((member) => member.type.closed);
  return { kind: 'struct', members, indexes, align, ...measure(members), closed };
}

export function variantDraft(
  members: readonly MemberDraft[],
  indexes: ReadonlyMap<string, number>,
  at: number,
  tag: Path | undefined,
): VariantDraft {
  return { kind: 'variant', members, indexes, tag, at, ...measure(members), closed: false };
}

function measure(members: readonly MemberDraft[]): { size: number; depth: number } {
  let size = 1;
  let depth = 1;
  for (const { type } of members) {
    size += type.size;
    depth = Math.max(depth, type.depth + 1);
  }
  return { size, depth };
}

/** Bits, as `alignmentOf` of the class that will be made of it. */
export function alignmentOfDraft(draft: Draft): number {
  switch (draft.kind) {
    case 'leaf':
      return alignmentOf(draft.type);
    case 'variant':
      return 1;
    default:
      return draft.align;
  }
}

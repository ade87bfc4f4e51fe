/**
 * Field classes as their JSON says, with aliases resolved. The target of a field location and the meaning of a role
 * depend on where a class is used, so `bind.ts` makes the model's classes from drafts, which all uses of an alias
 * share.
 */
import {
  alignmentOf,
  type BitsClass,
  type BlobClass,
  type FloatClass,
  type IntegerClass,
  type Range,
  type Scope,
  type StringClass,
  type TextArrayClass,
} from '../../model.ts';
import type { Measured } from '../limits.ts';
import type { JsonString } from './json.ts';

export type Draft = LeafDraft | BytesDraft | ArrayDraft | StructDraft | OptionalDraft | VariantDraft;
export type CompoundDraft = Exclude<Draft, LeafDraft | BytesDraft>;

interface PlacedDraft extends Measured {
  /** Offset of its JSON. */
  readonly at: number;
}

/** Location of a field as written (CTF2-SPEC-2.0, "Field location"). */
export interface FieldLocation {
  /** Offset of the field class that has this location. */
  readonly at: number;
  /** undefined: `path` begins at the structure around the field. */
  readonly origin?: Scope;
  /** Names of members; null leads to the parent structure. */
  readonly path: readonly (string | null)[];
}

/** Bytes or elements. */
export type Length = number | FieldLocation;

export interface LeafDraft extends PlacedDraft {
  readonly kind: 'leaf';
  readonly type: IntegerClass | FloatClass | BitsClass | StringClass;
  readonly roles: readonly JsonString[];
}

export interface BytesDraft extends PlacedDraft {
  readonly kind: 'bytes';
  readonly type: Omit<TextArrayClass, 'length'> | Omit<BlobClass, 'length'>;
  readonly length: Length;
  readonly roles: readonly JsonString[];
}

export interface ArrayDraft extends PlacedDraft {
  readonly kind: 'array';
  readonly length: Length;
  readonly element: Draft;
}

export interface StructDraft extends PlacedDraft {
  readonly kind: 'struct';
  readonly members: readonly { readonly name: string; readonly type: Draft }[];
  readonly indexes: ReadonlyMap<string, number>;
}

export interface OptionalDraft extends PlacedDraft {
  readonly kind: 'optional';
  readonly selector: FieldLocation;
  /** undefined: a boolean selector. */
  readonly ranges?: readonly Range[];
  readonly content: Draft;
}

export interface VariantDraft extends PlacedDraft {
  readonly kind: 'variant';
  readonly selector: FieldLocation;
  readonly options: readonly {
    readonly name?: string;
    readonly type: Draft;
    readonly ranges: readonly Range[];
  }[];
}

export function leafDraft(at: number, type: LeafDraft['type'], roles: readonly JsonString[] = []): LeafDraft {
  const measured = { align: alignmentOf(type), size: 1, depth: 1, closed: roles.length === 0 };
  return { kind: 'leaf', at, type, roles, ...measured };
}

export function bytesDraft(
  at: number,
  type: BytesDraft['type'],
  length: Length,
  roles: readonly JsonString[] = [],
): BytesDraft {
  const closed = typeof length === 'number' && roles.length === 0;
  return { kind: 'bytes', at, type, length, roles, align: type.align, size: 1, depth: 1, closed };
}

/**
 * Syntax tree of TSDL: blocks, types and attributes as written, with no name looked up.
 * Offsets `at` and `end` are those of the text; `end` is behind the last character.
 */

interface Placed {
  readonly at: number;
}

interface Span extends Placed {
  readonly end: number;
}

export type Value =
  | (Placed & { readonly kind: 'integer'; readonly value: number | bigint; readonly signed: boolean })
  | (Placed & { readonly kind: 'string'; readonly text: string })
  | Path;

/** Names joined by dots: `clock.monotonic.value`, `stream.event.header.id`; also a single word. */
export interface Path extends Placed {
  readonly kind: 'path';
  readonly names: readonly string[];
}

/** `name = value;` Names of several words are joined by dots: `model.emf.uri`. */
export interface Attribute extends Placed {
  readonly kind: 'attribute';
  readonly name: string;
  readonly value: Value;
}

/** `name := type;` */
export interface TypedAttribute extends Placed {
  readonly kind: 'typed-attribute';
  readonly name: string;
  readonly type: TypeNode;
}

export type TypeNode = NamedNode | LeafNode | EnumNode | StructNode | VariantNode;

/** An alias, by its words and stars: `uint32_t`, `unsigned long`, `void *`. */
interface NamedNode extends Span {
  readonly kind: 'named';
  readonly name: string;
}

export interface LeafNode extends Span {
  readonly kind: 'integer' | 'floating_point' | 'string';
  readonly attributes: readonly Attribute[];
}

export interface EnumNode extends Span {
  readonly kind: 'enum';
  readonly name?: string;
  readonly container?: TypeNode;
  /** undefined: a reference to a named one. */
  readonly labels?: readonly LabelNode[];
}

export interface LabelNode {
  readonly label: string;
  readonly from?: Value;
  readonly to?: Value;
}

export interface StructNode extends Span {
  readonly kind: 'struct';
  readonly name?: string;
  /** undefined: a reference to a named one. */
  readonly body?: readonly MemberNode[];
  readonly align?: Value;
}

export interface VariantNode extends Span {
  readonly kind: 'variant';
  readonly name?: string;
  readonly tag?: Path;
  /** undefined: a reference to a named one. */
  readonly body?: readonly MemberNode[];
}

export type MemberNode = FieldNode | Declaration;

/** One declaration of members: `uint32_t a, b[4];` */
interface FieldNode {
  readonly kind: 'field';
  readonly type: TypeNode;
  readonly declarators: readonly Declarator[];
}

export interface Declarator extends Placed {
  readonly name: string;
  readonly pointers: number;
  /** Outermost first, as in C: `a[2][3]` is two arrays of three. */
  readonly lengths: readonly Value[];
}

export interface AliasNode extends Placed {
  readonly kind: 'typealias';
  readonly type: TypeNode;
  /** Dimensions on the left side: `typealias uint8_t [16] := uuid_t;` */
  readonly lengths: readonly Value[];
  readonly name: string;
}

export interface TypedefNode {
  readonly kind: 'typedef';
  readonly type: TypeNode;
  readonly declarators: readonly Declarator[];
}

export type Declaration = AliasNode | TypedefNode;

export type BlockItem = Attribute | TypedAttribute | Declaration;

export type BlockKind = 'trace' | 'env' | 'clock' | 'callsite' | 'stream' | 'event';

export interface Block extends Span {
  readonly kind: BlockKind;
  readonly items: readonly BlockItem[];
}

/** `struct name {…};`, `enum name … {…};`, `variant name {…};` */
export interface TypeDeclaration {
  readonly kind: 'type';
  readonly type: TypeNode;
}

export type RootItem = Block | Declaration | TypeDeclaration;

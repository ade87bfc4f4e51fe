/** `integer {…}`, `floating_point {…}` and `string {…}` → leaf drafts (CTF 1.8.3 sections 4.1.1, 4.1.7 and 4.2.5). */
import type { ByteOrder, IntegerClass } from '../../model.ts';
import type { LeafNode, Value } from './ast.ts';
import {
  attributesByName,
  booleanOf,
  byteOrderOf,
  describeValue,
  numberOf,
  optional,
  refuseValue,
  textOf,
  type Attributes,
} from './attributes.ts';
import { leafDraft, type LeafDraft } from './draft.ts';
import { reject, warn, type Reading } from '../source.ts';

/** Context of leaf types: what they need from the rest of the metadata. */
export interface LeafContext extends Reading {
  readonly byteOrder: ByteOrder;
  /** Clock name → index in the model. */
  readonly clocks: ReadonlyMap<string, number>;
  /** Leaf types made so far, by node: a node may stand in many places. */
  readonly leaves: Map<LeafNode, LeafDraft>;
}

const MAX_ALIGN = 2 ** 31;

/** Bases by name: words, numbers, and the letters of `printf`. */
const BASES: ReadonlyMap<string, IntegerClass['base']> = new Map([
  ...['decimal', 'dec', 'd', 'i', 'u', '10'].map((name) => [name, 10] as const),
  ...['hexadecimal', 'hex', 'x', 'X', 'p', '16'].map((name) => [name, 16] as const),
  ...['octal', 'oct', 'o', '8'].map((name) => [name, 8] as const),
  ...['binary', 'bin', 'b', '2'].map((name) => [name, 2] as const),
]);

export function buildLeaf(context: LeafContext, node: LeafNode): LeafDraft {
  const known = context.leaves.get(node);
  if (known !== undefined) return known;
  const draft = BUILDERS[node.kind](context, node);
  context.leaves.set(node, draft);
  return draft;
}

const BUILDERS = { integer: buildInteger, floating_point: buildFloat, string: buildString };

function buildInteger(context: LeafContext, node: LeafNode): LeafDraft {
  const known = ['signed', 'byte_order', 'size', 'align', 'base', 'encoding', 'map'];
  const attributes = attributesByName(context, node.attributes, known, 'integer');
  const size = sizeOf(context, required(context, node, attributes, 'size'));
  const align = optional(context, attributes, 'align', alignment) ?? (size % 8 === 0 ? 8 : 1);
  const clock = optional(context, attributes, 'map', clockOf);
  const type: IntegerClass = {
    kind: 'integer',
    size,
    signed: optional(context, attributes, 'signed', booleanOf) ?? false,
    byteOrder: orderOf(context, attributes),
    align,
    base: optional(context, attributes, 'base', baseOf) ?? 10,
    clock,
  };
  const isEncoded = optional(context, attributes, 'encoding', isText) ?? false;
  return leafDraft(type, isEncoded && size === 8 && align === 8);
}

function buildFloat(context: LeafContext, node: LeafNode): LeafDraft {
  const known = ['exp_dig', 'mant_dig', 'byte_order', 'align'];
  const attributes = attributesByName(context, node.attributes, known, 'floating_point');
  const exponent = numberOf(context, required(context, node, attributes, 'exp_dig'), 'exp_dig');
  const mantissa = numberOf(context, required(context, node, attributes, 'mant_dig'), 'mant_dig');
  if (!(exponent === 8 && mantissa === 24) && !(exponent === 11 && mantissa === 53)) {
    const expected = 'exp_dig and mant_dig: 8 and 24, or 11 and 53';
    reject(context.source, node.end - 1, expected, `${exponent} and ${mantissa}`);
  }
  const size = exponent === 8 ? 32 : 64;
  const byteOrder = orderOf(context, attributes);
  const align = optional(context, attributes, 'align', alignment) ?? 8;
  return leafDraft({ kind: 'float', size, byteOrder, align });
}

function buildString(context: LeafContext, node: LeafNode): LeafDraft {
  const attributes = attributesByName(context, node.attributes, ['encoding'], 'string');
  optional(context, attributes, 'encoding', isText);
  return leafDraft({ kind: 'string', encoding: 'utf-8', align: 8 });
}

function required(context: LeafContext, node: LeafNode, attributes: Attributes, name: string): Value {
  return (
    attributes.get(name) ??
    reject(context.source, node.end - 1, `the attribute \`${name}\` of ${node.kind}`, 'none')
  );
}

function sizeOf(context: LeafContext, value: Value): number {
  const size = numberOf(context, value, 'size');
  if (size < 1 || size > 64) refuseValue(context, value, 'size: 1 to 64 bits');
  return size;
}

/** Bits; a power of two. */
export function alignment(context: Reading, value: Value): number {
  const align = numberOf(context, value, 'align');
  if (align < 1 || align > MAX_ALIGN || (align & (align - 1)) !== 0) {
    refuseValue(context, value, 'align: a power of two, in bits');
  }
  return align;
}

function orderOf(context: LeafContext, attributes: Attributes): ByteOrder {
  return optional(context, attributes, 'byte_order', byteOrderOf) ?? context.byteOrder;
}

function baseOf(context: LeafContext, value: Value): IntegerClass['base'] {
  const text = value.kind === 'integer' ? String(value.value) : textOf(value);
  return BASES.get(text ?? '') ?? refuseValue(context, value, 'base: decimal, hexadecimal, octal or binary');
}

function isText(context: LeafContext, value: Value): boolean {
  switch (textOf(value)?.toLowerCase()) {
    case 'utf8':
    case 'utf-8':
    case 'ascii':
      return true;
    case 'none':
      return false;
    default:
      refuseValue(context, value, 'encoding: UTF8, ASCII or none');
  }
}

/** Reads `map = clock.NAME.value`. Another form is ignored; a clock that is not declared is refused. */
function clockOf(context: LeafContext, value: Value): number | undefined {
  const names = textOf(value)?.split('.') ?? [];
  if (names[0] !== 'clock' || names.length > 3) {
    warn(context, value.at, 'map: clock.NAME.value', describeValue(value));
    return undefined;
  }
  return (
    context.clocks.get(names[1]) ??
    refuseValue(context, value, 'map: clock.NAME.value of a clock of the trace')
  );
}

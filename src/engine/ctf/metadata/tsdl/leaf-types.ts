/** `integer {…}`, `floating_point {…}` and `string {…}` → leaf drafts (CTF 1.8.3 sections 4.1.1, 4.1.7 and 4.2.5). */
import type { ByteOrder, IntegerClass } from '../../model.ts';
import type { Attribute, LeafNode, Value } from './ast.ts';
import {
  attributesByName,
  booleanOf,
  byteOrderOf,
  describeValue,
  numberOf,
  refuseValue,
  textOf,
  type Attributes,
} from './attributes.ts';
import { leafDraft, type LeafDraft } from './draft.ts';
import { reject, warn, type Reading } from '../source.ts';

/** Context of leaf types: what they take from the rest of the metadata. */
export interface LeafContext extends Reading {
  readonly byteOrder: ByteOrder;
  /** Clock name → index in the model. */
  readonly clocks: ReadonlyMap<string, number>;
  /** Leaf types made until now, by node: a node may stand in many places. */
  readonly leaves: Map<LeafNode, LeafDraft>;
}

const MAX_ALIGN = 2 ** 31;

/** Bases by their names: as words, as numbers, and as the letters of `printf`. */
const BASES: ReadonlyMap<string, IntegerClass['base']> = new Map([
  ...['decimal', 'dec', 'd', 'i', 'u', '10'].map((name) => [name, 10] as const),
  ...['hexadecimal', 'hex', 'x', 'X', 'p', '16'].map((name) => [name, 16] as const),
  ...['octal', 'oct', 'o', '8'].map((name) => [name, 8] as const),
  ...['binary', 'bin', 'b', '2'].map((name) => [name, 2] as const),
]);

export function buildLeaf(context: LeafContext, node: LeafNode): LeafDraft {
  const known = context.leaves.get(node);
  if (known !== undefined) return known;
  const draft = newLeaf(context, node);
  context.leaves.set(node, draft);
  return draft;
}

function newLeaf(context: LeafContext, node: LeafNode): LeafDraft {
  switch (node.kind) {
    case 'integer':
      return buildInteger(context, node);
    case 'floating_point':
      return buildFloat(context, node);
    case 'string':
      return buildString(context, node);
  }
}

function buildInteger(context: LeafContext, node: LeafNode): LeafDraft {
  const known = ['signed', 'byte_order', 'size', 'align', 'base', 'encoding', 'map'];
  const attributes = attributesByName(context, node.attributes, known, 'integer');
  const size = sizeOf(context, required(context, node, attributes, 'size').value);
  const signed = attributes.get('signed');
  const base = attributes.get('base');
  const encoding = attributes.get('encoding');
  const map = attributes.get('map');
  const align = alignOf(context, attributes.get('align'), size % 8 === 0 ? 8 : 1);
  const clock = map && clockOf(context, map);
  const type: IntegerClass = {
    kind: 'integer',
    size,
    signed: signed !== undefined && booleanOf(context, signed.value, 'signed'),
    byteOrder: orderOf(context, attributes),
    align,
    base: base === undefined ? 10 : baseOf(context, base.value),
    clock,
  };
  const text = encoding !== undefined && isText(context, encoding.value) && size === 8 && align === 8;
  return leafDraft(type, text);
}

function buildFloat(context: LeafContext, node: LeafNode): LeafDraft {
  const known = ['exp_dig', 'mant_dig', 'byte_order', 'align'];
  const attributes = attributesByName(context, node.attributes, known, 'floating_point');
  const exponent = numberOf(context, required(context, node, attributes, 'exp_dig').value, 'exp_dig');
  const mantissa = numberOf(context, required(context, node, attributes, 'mant_dig').value, 'mant_dig');
  if (!(exponent === 8 && mantissa === 24) && !(exponent === 11 && mantissa === 53)) {
    const expected = 'exp_dig and mant_dig: 8 and 24, or 11 and 53';
    reject(context.source, node.end - 1, expected, `${exponent} and ${mantissa}`);
  }
  const size = exponent === 8 ? 32 : 64;
  const byteOrder = orderOf(context, attributes);
  return leafDraft({ kind: 'float', size, byteOrder, align: alignOf(context, attributes.get('align'), 8) });
}

function buildString(context: LeafContext, node: LeafNode): LeafDraft {
  const attributes = attributesByName(context, node.attributes, ['encoding'], 'string');
  const encoding = attributes.get('encoding');
  if (encoding !== undefined) isText(context, encoding.value);
  return leafDraft({ kind: 'string', encoding: 'utf-8', align: 8 });
}

function required(context: LeafContext, node: LeafNode, attributes: Attributes, name: string): Attribute {
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

function alignOf(context: LeafContext, attribute: Attribute | undefined, otherwise: number): number {
  return attribute === undefined ? otherwise : alignment(context, attribute.value);
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
  const attribute = attributes.get('byte_order');
  return (attribute && byteOrderOf(context, attribute.value)) ?? context.byteOrder;
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

/** `map = clock.NAME.value`. What has another form is not known and ignored; a clock must be. */
function clockOf(context: LeafContext, { value }: Attribute): number | undefined {
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

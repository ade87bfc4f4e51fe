/**
 * Field classes of any type (CTF2-SPEC-2.0, "Field classes"): JSON → drafts. A string is the name of an alias.
 * Compound classes come first, then bit arrays, integers, reals, strings and BLOBs.
 */
import { checkMeasures, measure } from '../limits.ts';
import { refuse, reject, type Reading } from '../source.ts';
import {
  TEXT_ENCODINGS,
  type BlobClass,
  type ByteOrder,
  type IntegerClass,
  type StringClass,
  type TextEncoding,
} from '../../model.ts';
import {
  bytesDraft,
  leafDraft,
  type ArrayDraft,
  type Draft,
  type Length,
  type OptionalDraft,
  type StructDraft,
  type VariantDraft,
} from './draft.ts';
import { readLocation } from './field-location.ts';
import type { JsonObject, JsonString, JsonValue } from './json.ts';
import {
  alignmentOf,
  arrayOf,
  checkProperties,
  lengthOf,
  objectOf,
  oneOf,
  optionalString,
  property,
  readLabels,
  readRanges,
  refuseValue,
  required,
  stringOf,
  textOf,
  unsignedOf,
} from './properties.ts';

export interface ClassReading extends Reading {
  /** Aliases declared so far. */
  readonly aliases: ReadonlyMap<string, Draft>;
}

const FIXED = ['length', 'byte-order', 'bit-order', 'alignment'];
const NUMBER = ['preferred-display-base', 'mappings'];
const ARRAY = ['element-field-class', 'minimum-alignment'];

/** Properties of the classes of one type, and their reader. */
interface ClassRule {
  readonly properties: readonly string[];
  read(reading: ClassReading, object: JsonObject): Draft;
}

/** Rules by type, in the specification's order. */
const CLASSES: ReadonlyMap<string, ClassRule> = new Map([
  ['fixed-length-bit-array', { properties: FIXED, read: readBitArray }],
  ['fixed-length-bit-map', { properties: [...FIXED, 'flags'], read: readBitMap }],
  ['fixed-length-boolean', { properties: FIXED, read: readBoolean }],
  ['fixed-length-unsigned-integer', { properties: [...FIXED, ...NUMBER, 'roles'], read: readFixed(false) }],
  ['fixed-length-signed-integer', { properties: [...FIXED, ...NUMBER], read: readFixed(true) }],
  ['fixed-length-floating-point-number', { properties: FIXED, read: readReal }],
  ['variable-length-unsigned-integer', { properties: [...NUMBER, 'roles'], read: readVariable(false) }],
  ['variable-length-signed-integer', { properties: NUMBER, read: readVariable(true) }],
  ['null-terminated-string', { properties: ['encoding'], read: readString }],
  ['static-length-string', { properties: ['encoding', 'length'], read: readText }],
  ['dynamic-length-string', { properties: ['encoding', 'length-field-location'], read: readText }],
  ['static-length-blob', { properties: ['media-type', 'length', 'roles'], read: readBlob }],
  ['dynamic-length-blob', { properties: ['media-type', 'length-field-location'], read: readBlob }],
  ['static-length-array', { properties: [...ARRAY, 'length'], read: readArray }],
  ['dynamic-length-array', { properties: [...ARRAY, 'length-field-location'], read: readArray }],
  ['structure', { properties: ['member-classes', 'minimum-alignment'], read: readStruct }],
  [
    'optional',
    { properties: ['selector-field-location', 'selector-field-ranges', 'field-class'], read: readOptional },
  ],
  ['variant', { properties: ['selector-field-location', 'options'], read: readVariant }],
]);

function readFieldClass(reading: ClassReading, value: JsonValue): Draft {
  if (value.kind === 'string') {
    const draft = reading.aliases.get(value.text);
    return draft ?? refuseValue(reading, value, 'the name of a field class alias declared before');
  }
  const object = objectOf(reading, value);
  const type = textOf(reading, required(reading, object, 'type'));
  const rule = CLASSES.get(type.text) ?? refuseValue(reading, type, 'a type of field classes');
  checkProperties(reading, object, ['type', ...rule.properties]);
  const draft = rule.read(reading, object);
  // Aliases multiply sizes.
  checkMeasures(reading.source, draft.at, draft, ['class', 'classes']);
  return draft;
}

/** Reads the class of a scope's root. */
export function readRootClass(
  reading: ClassReading,
  object: JsonObject,
  name: string,
): StructDraft | undefined {
  const value = property(object, name);
  if (value === undefined) return undefined;
  const draft = readFieldClass(reading, value);
  return draft.kind === 'struct'
    ? draft
    : reject(reading.source, value.at, 'a structure field class', draft.kind);
}

function readArray(reading: ClassReading, object: JsonObject): ArrayDraft {
  const length = readLength(reading, object);
  const element = readFieldClass(reading, required(reading, object, 'element-field-class'));
  const minimum = alignmentOf(reading, object, 'minimum-alignment');
  const closed = element.closed && typeof length === 'number';
  return { kind: 'array', at: object.at, length, element, ...measure([{ type: element }], minimum), closed };
}

function readStruct(reading: ClassReading, object: JsonObject): StructDraft {
  const list = property(object, 'member-classes');
  const indexes = new Map<string, number>();
  const members = (list === undefined ? [] : arrayOf(reading, list).items).map((item, index) => {
    const member = objectOf(reading, item);
    checkProperties(reading, member, ['name', 'field-class']);
    const name = textOf(reading, required(reading, member, 'name'));
    if (indexes.has(name.text)) refuseValue(reading, name, 'a name that is new in its structure');
    indexes.set(name.text, index);
    return { name: name.text, type: readFieldClass(reading, required(reading, member, 'field-class')) };
  });
  const minimum = alignmentOf(reading, object, 'minimum-alignment');
  return { kind: 'struct', at: object.at, members, indexes, ...measure(members, minimum) };
}

/**
 * Reads ranges of any integers: whether the selector is signed is known only where it is bound. An integer below
 * -2^63 or from 2^64 on is in no range.
 */
function readSelectorRanges(reading: Reading, value: JsonValue) {
  const isNegative = arrayOf(reading, value).items.some(
    (item) => item.kind === 'array' && item.items.some((end) => end.kind === 'integer' && end.value < 0n),
  );
  return readRanges(reading, value, isNegative);
}

function readOptional(reading: ClassReading, object: JsonObject): OptionalDraft {
  const selector = readLocation(reading, object, 'selector-field-location');
  const ranges = property(object, 'selector-field-ranges');
  const content = readFieldClass(reading, required(reading, object, 'field-class'));
  return {
    kind: 'optional',
    at: object.at,
    selector,
    ranges: ranges && readSelectorRanges(reading, ranges),
    content,
    ...measure([{ type: content }]),
    ...BY_CONTENT,
  };
}

function readVariant(reading: ClassReading, object: JsonObject): VariantDraft {
  const selector = readLocation(reading, object, 'selector-field-location');
  const names = new Set<string>();
  const options = arrayOf(reading, required(reading, object, 'options'), 1).items.map((item) => {
    const option = objectOf(reading, item);
    checkProperties(reading, option, ['name', 'field-class', 'selector-field-ranges']);
    const name = optionalString(reading, option, 'name');
    if (name !== undefined && names.has(name))
      reject(reading.source, option.at, 'option names that differ', name);
    if (name !== undefined) names.add(name);
    const ranges = readSelectorRanges(reading, required(reading, option, 'selector-field-ranges'));
    return { name, type: readFieldClass(reading, required(reading, option, 'field-class')), ranges };
  });
  return { kind: 'variant', at: object.at, selector, options, ...measure(options), ...BY_CONTENT };
}

/** Optionals and variants have the alignment of their content. */
const BY_CONTENT = { align: 1, closed: false } as const;

/** Reads an alias whose name is not taken ("Field class alias fragment"). */
export function readAlias(reading: ClassReading, object: JsonObject): [name: string, draft: Draft] {
  checkProperties(reading, object, ['type', 'name', 'field-class']);
  const name = textOf(reading, required(reading, object, 'name'));
  if (reading.aliases.has(name.text)) refuseValue(reading, name, 'a name that no other alias has');
  return [name.text, readFieldClass(reading, required(reading, object, 'field-class'))];
}

const BYTE_ORDERS: ReadonlyMap<string, ByteOrder> = new Map([
  ['little-endian', 'le'],
  ['big-endian', 'be'],
]);

/** The usual byte order for each bit order. */
const BIT_ORDERS: ReadonlyMap<string, ByteOrder> = new Map([
  ['first-to-last', 'le'],
  ['last-to-first', 'be'],
]);

/** Encodings by their names in CTF 2, which the model shares. */
const ENCODINGS: ReadonlyMap<string, TextEncoding> = new Map(TEXT_ENCODINGS.map((name) => [name, name]));

const BASES = [2, 8, 10, 16] as const;

/** Reads the properties that all bit arrays of fixed length have ("Fixed-length bit array field class"). */
function readFixedLength(reading: Reading, object: JsonObject) {
  const byteOrder = oneOf(reading, required(reading, object, 'byte-order'), BYTE_ORDERS);
  const bitOrder = property(object, 'bit-order');
  const isUsual = bitOrder === undefined || oneOf(reading, bitOrder, BIT_ORDERS) === byteOrder;
  const align = alignmentOf(reading, object, 'alignment');
  return { byteOrder, reversed: isUsual ? undefined : true, align };
}

/** Bits, 1 to 64: the specification has no bound. */
function readSize(reading: Reading, object: JsonObject): number {
  const value = required(reading, object, 'length');
  const size = unsignedOf(reading, value);
  if (size === 0n) refuseValue(reading, value, 'a length of at least one bit');
  if (size > 64n)
    refuse(reading.source, value.at, 'unsupported', 'a length of at most 64 bits', `${size} bits`);
  return Number(size);
}

function readBitArray(reading: Reading, object: JsonObject): Draft {
  const size = readSize(reading, object);
  return leafDraft(object.at, { kind: 'bits', size, ...readFixedLength(reading, object) });
}

function readBitMap(reading: Reading, object: JsonObject): Draft {
  const size = readSize(reading, object);
  const flags = required(reading, object, 'flags');
  const labels = readLabels(reading, flags, false, size);
  if (labels.length === 0) refuseValue(reading, flags, 'at least one flag');
  return leafDraft(object.at, { kind: 'bits', size, ...readFixedLength(reading, object), labels });
}

function readBoolean(reading: Reading, object: JsonObject): Draft {
  const size = readSize(reading, object);
  const fixed = readFixedLength(reading, object);
  return leafDraft(object.at, { kind: 'integer', size, signed: false, ...fixed, base: 10, boolean: true });
}

function readFixed(signed: boolean) {
  return (reading: Reading, object: JsonObject): Draft => {
    const size = readSize(reading, object);
    const fixed = readFixedLength(reading, object);
    const number = readNumber(reading, object, signed);
    const type: IntegerClass = { kind: 'integer', size, signed, ...fixed, ...number };
    return leafDraft(object.at, type, readRoles(reading, object));
  };
}

/** LEB128: bytes with 7 bits each ("Variable-length integer field class"). */
function readVariable(signed: boolean) {
  return (reading: Reading, object: JsonObject): Draft => {
    const bytes = { size: 64, variable: true, byteOrder: 'le', align: 8 } as const;
    const type: IntegerClass = { kind: 'integer', signed, ...bytes, ...readNumber(reading, object, signed) };
    return leafDraft(object.at, type, readRoles(reading, object));
  };
}

/** Reads the properties that all integers have. */
function readNumber(
  reading: Reading,
  object: JsonObject,
  signed: boolean,
): Pick<IntegerClass, 'base' | 'labels'> {
  const base = property(object, 'preferred-display-base');
  const mappings = property(object, 'mappings');
  const labels = mappings === undefined ? [] : readLabels(reading, mappings, signed);
  return { base: base ? baseOf(reading, base) : 10, labels: labels.length === 0 ? undefined : labels };
}

function baseOf(reading: Reading, value: JsonValue): IntegerClass['base'] {
  const found = BASES.find((base) => BigInt(base) === unsignedOf(reading, value));
  return found ?? refuseValue(reading, value, 'a base of 2, 8, 10 or 16');
}

function readRoles(reading: Reading, object: JsonObject): readonly JsonString[] {
  const roles = property(object, 'roles');
  return roles === undefined ? [] : arrayOf(reading, roles).items.map((role) => textOf(reading, role));
}

/** IEEE 754; reals of 128 bits or more are refused, as no number holds them. */
function readReal(reading: Reading, object: JsonObject): Draft {
  const value = required(reading, object, 'length');
  const size = unsignedOf(reading, value);
  const fixed = readFixedLength(reading, object);
  if (size === 16n || size === 32n || size === 64n) {
    return leafDraft(object.at, { kind: 'float', size: Number(size) as 16 | 32 | 64, ...fixed });
  }
  if (size >= 128n && size % 32n === 0n)
    refuse(reading.source, value.at, 'unsupported', 'a real of at most 64 bits', `${size} bits`);
  refuseValue(reading, value, 'a length of 16, 32, 64 or at least 128 bits');
}

function readEncoding(reading: Reading, object: JsonObject): Pick<StringClass, 'encoding'> {
  const encoding = property(object, 'encoding');
  return { encoding: encoding === undefined ? 'utf-8' : oneOf(reading, encoding, ENCODINGS) };
}

function readString(reading: Reading, object: JsonObject): Draft {
  return leafDraft(object.at, { kind: 'string', ...readEncoding(reading, object), align: 8 });
}

function readText(reading: Reading, object: JsonObject): Draft {
  const type = { kind: 'text', ...readEncoding(reading, object), align: 8 } as const;
  return bytesDraft(object.at, type, readLength(reading, object));
}

function readBlob(reading: Reading, object: JsonObject): Draft {
  const length = readLength(reading, object);
  const mediaType = optionalString(reading, object, 'media-type');
  const type: Omit<BlobClass, 'length'> = { kind: 'blob', mediaType, align: 8 };
  return bytesDraft(object.at, type, length, readRoles(reading, object));
}

/** `length` of a static class, `length-field-location` of a dynamic one. */
function readLength(reading: Reading, object: JsonObject): Length {
  const type = stringOf(reading, required(reading, object, 'type'));
  if (type.startsWith('dynamic-')) return readLocation(reading, object, 'length-field-location');
  return lengthOf(reading, required(reading, object, 'length'));
}

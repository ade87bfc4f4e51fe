/** Field classes without others in them: bit arrays, integers, reals, strings and BLOBs. */
import type { BlobClass, ByteOrder, IntegerClass, StringClass, TextEncoding } from '../../model.ts';
import { refuse, type Reading } from '../source.ts';
import { bytesDraft, leafDraft, type Draft, type Length } from './draft.ts';
import { readLocation } from './field-location.ts';
import type { JsonObject, JsonString } from './json.ts';
import {
  alignmentOf,
  arrayOf,
  lengthOf,
  oneOf,
  optionalString,
  property,
  refuseValue,
  required,
  stringOf,
  textOf,
  unsignedOf,
  readLabels,
} from './properties.ts';

/** How the classes of one type are read. */
export interface ClassRule<Context extends Reading> {
  readonly properties: readonly string[];
  read(context: Context, object: JsonObject): Draft;
}

const FIXED = ['length', 'byte-order', 'bit-order', 'alignment'];
const NUMBER = ['preferred-display-base', 'mappings'];

/** Rules of scalar classes by type, in the specification's order. */
export const SCALAR_CLASSES: ReadonlyMap<string, ClassRule<Reading>> = new Map([
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
]);

const BYTE_ORDERS: ReadonlyMap<string, ByteOrder> = new Map([
  ['little-endian', 'le'],
  ['big-endian', 'be'],
]);

/** The byte order in which each is the usual one. */
const BIT_ORDERS: ReadonlyMap<string, ByteOrder> = new Map([
  ['first-to-last', 'le'],
  ['last-to-first', 'be'],
]);

/** Names of encodings in CTF 2. */
const ENCODING_NAMES: Readonly<Record<TextEncoding, string>> = {
  'utf-8': 'utf-8',
  'utf-16be': 'utf-16be',
  'utf-16le': 'utf-16le',
  'utf-32be': 'utf-32be',
  'utf-32le': 'utf-32le',
};
const ENCODINGS: ReadonlyMap<string, TextEncoding> = new Map(
  Object.entries(ENCODING_NAMES).map(([encoding, name]) => [name, encoding as TextEncoding]),
);

const BASES: ReadonlyMap<bigint, IntegerClass['base']> = new Map([
  [2n, 2],
  [8n, 8],
  [10n, 10],
  [16n, 16],
]);

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
    const type: IntegerClass = {
      kind: 'integer',
      size,
      signed,
      ...fixed,
      ...readNumber(reading, object, signed),
    };
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
  return {
    base:
      base === undefined
        ? 10
        : (BASES.get(unsignedOf(reading, base)) ?? refuseValue(reading, base, 'a base of 2, 8, 10 or 16')),
    labels: labels.length === 0 ? undefined : labels,
  };
}

function readRoles(reading: Reading, object: JsonObject): readonly JsonString[] {
  const roles = property(object, 'roles');
  return roles === undefined ? [] : arrayOf(reading, roles).items.map((role) => textOf(reading, role));
}

/** IEEE 754; what has 128 bits or more has no number here that could hold it. */
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
export function readLength(reading: Reading, object: JsonObject): Length {
  const type = stringOf(reading, required(reading, object, 'type'));
  if (type.startsWith('dynamic-')) return readLocation(reading, object, 'length-field-location');
  return lengthOf(reading, required(reading, object, 'length'));
}

/** Reads properties of JSON objects by type. Wrong values are reported at the value, missing ones at the object. */
import { refuse, reject, type Reading } from '../source.ts';
import type { JsonArray, JsonObject, JsonString, JsonValue } from './json.ts';
import type { LabelRange, Range } from '../../model.ts';

const LARGEST_UNSIGNED = 2n ** 64n - 1n;
const LEAST_SIGNED = -(2n ** 63n);
const LARGEST_SIGNED = 2n ** 63n - 1n;
const MAX_ALIGN = 2n ** 31n;

/** Properties of all fragments, field classes, members and options (CTF2-SPEC-2.0, "Attributes" and "Extensions"). */
const COMMON = ['attributes', 'extensions'];

/** Refuses properties that the specification does not have, and all extensions, as none is known. */
export function checkProperties(reading: Reading, object: JsonObject, known: readonly string[]): void {
  for (const { name, at } of object.properties.values()) {
    if (known.includes(name) || COMMON.includes(name)) continue;
    reject(reading.source, at, `one of the properties ${[...known, ...COMMON].join(', ')}`, `\`${name}\``);
  }
  const attributes = object.properties.get('attributes');
  if (attributes !== undefined) objectOf(reading, attributes.value);
  const extensions = object.properties.get('extensions');
  if (extensions === undefined) return;
  const { properties, at } = objectOf(reading, extensions.value);
  const names = [...properties.values()].flatMap(({ name, value }) =>
    value.kind === 'object' ? [...value.properties.keys()].map((key) => `${name}/${key}`) : [name],
  );
  if (names.length > 0)
    refuse(reading.source, at, 'unsupported', 'no extension', `\`${names.join('`, `')}\``);
}

export function property(object: JsonObject, name: string): JsonValue | undefined {
  return object.properties.get(name)?.value;
}

export function required(reading: Reading, object: JsonObject, name: string): JsonValue {
  return property(object, name) ?? reject(reading.source, object.at, `the property \`${name}\``, 'none');
}

function describe(value: JsonValue): string {
  switch (value.kind) {
    case 'object':
      return 'an object';
    case 'array':
      return value.items.length === 0 ? 'an empty array' : 'an array';
    case 'string':
      return `"${value.text}"`;
    case 'integer':
      return String(value.value);
    default:
      return value.text;
  }
}

export function refuseValue(reading: Reading, value: JsonValue, expected: string): never {
  reject(reading.source, value.at, expected, describe(value));
}

export function objectOf(reading: Reading, value: JsonValue): JsonObject {
  return value.kind === 'object' ? value : refuseValue(reading, value, 'an object');
}

/** @param least fewest items */
export function arrayOf(reading: Reading, value: JsonValue, least = 0): JsonArray {
  if (value.kind !== 'array') refuseValue(reading, value, 'an array');
  if (value.items.length < least) refuseValue(reading, value, `an array of at least ${least} items`);
  return value;
}

export function stringOf(reading: Reading, value: JsonValue): string {
  return textOf(reading, value).text;
}

export function textOf(reading: Reading, value: JsonValue): JsonString {
  return value.kind === 'string' ? value : refuseValue(reading, value, 'a string');
}

export function optionalString(reading: Reading, object: JsonObject, name: string): string | undefined {
  const value = property(object, name);
  return value && stringOf(reading, value);
}

/** 0 to 2^64 - 1. */
export function unsignedOf(reading: Reading, value: JsonValue): bigint {
  if (value.kind !== 'integer' || value.value < 0n || value.value > LARGEST_UNSIGNED)
    refuseValue(reading, value, 'an integer of 0 to 2^64 - 1');
  return value.value;
}

/** -2^63 to 2^63 - 1. */
export function signedOf(reading: Reading, value: JsonValue): bigint {
  if (value.kind !== 'integer' || value.value < LEAST_SIGNED || value.value > LARGEST_SIGNED)
    refuseValue(reading, value, 'an integer of -2^63 to 2^63 - 1');
  return value.value;
}

export function optionalUnsigned(reading: Reading, object: JsonObject, name: string): bigint | undefined {
  const value = property(object, name);
  return value && unsignedOf(reading, value);
}

/** Reads a length that a number holds exactly. */
export function lengthOf(reading: Reading, value: JsonValue): number {
  const length = unsignedOf(reading, value);
  if (length > BigInt(Number.MAX_SAFE_INTEGER))
    refuse(reading.source, value.at, 'over-limit', 'a length below 2^53', String(length));
  return Number(length);
}

/** Bits; a power of two. */
export function alignmentOf(reading: Reading, object: JsonObject, name: string): number {
  const value = property(object, name);
  if (value === undefined) return 1;
  if (value.kind !== 'integer' || value.value < 1n || value.value > MAX_ALIGN)
    refuseValue(reading, value, 'a power of two, in bits');
  if ((value.value & (value.value - 1n)) !== 0n) refuseValue(reading, value, 'a power of two, in bits');
  return Number(value.value);
}

/** Reads one of some words, as its meaning. */
export function oneOf<T>(reading: Reading, value: JsonValue, words: ReadonlyMap<string, T>): T {
  const found = words.get(stringOf(reading, value));
  return found ?? refuseValue(reading, value, `one of ${[...words.keys()].join(', ')}`);
}

/**
 * Reads at least one pair of a lower and an upper end (CTF2-SPEC-2.0, "Integer range set").
 * @param end replaces integers beyond 64 bits; default: they are refused
 */
export function readRanges(reading: Reading, value: JsonValue, signed: boolean, end?: number): Range[] {
  return arrayOf(reading, value, 1).items.map((item) => {
    const { items } = arrayOf(reading, item);
    if (items.length !== 2) refuseValue(reading, item, 'two integers: lower and upper end');
    const [from, to] = items.map((one) => (signed ? signedOf : unsignedOf)(reading, one));
    if (from > to) refuseValue(reading, item, `a lower end that is at most the upper, not ${from} and ${to}`);
    if (end !== undefined && to >= end) refuseValue(reading, items[1], `less than ${end}`);
    return { from, to };
  });
}

/** Reads names with ranges, in their order. @param end as in `readRanges` */
export function readLabels(reading: Reading, value: JsonValue, signed: boolean, end?: number): LabelRange[] {
  return [...objectOf(reading, value).properties.values()].flatMap((label) =>
    readRanges(reading, label.value, signed, end).map((range) => ({ label: label.name, ...range })),
  );
}

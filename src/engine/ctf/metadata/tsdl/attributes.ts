/** Attribute lists of blocks and types: checks names and reads values by type. */
import type { ByteOrder } from '../../model.ts';
import type { Attribute, Value } from './ast.ts';
import { refuse, reject, warn, type Reading } from '../source.ts';

/** Values by name. */
export type Attributes = ReadonlyMap<string, Value>;

/** Attributes by name. A repeated name is refused; one that is not `known` is a warning. */
export function attributesByName(
  reading: Reading,
  list: readonly Attribute[],
  known: readonly string[],
  owner: string,
): Attributes {
  const map = new Map<string, Value>();
  for (const { name, value, at } of list) {
    if (map.has(name)) reject(reading.source, at, `one attribute \`${name}\``, 'a second one');
    map.set(name, value);
    if (!known.includes(name))
      warn(reading, at, `an attribute of ${owner}: ${known.join(', ')}`, `\`${name}\``);
  }
  return map;
}

/** Reads the value of an attribute; undefined: it is absent. */
export function optional<Context extends Reading, T>(
  context: Context,
  attributes: Attributes,
  name: string,
  read: (context: Context, value: Value, what: string) => T,
): T | undefined {
  const value = attributes.get(name);
  return value && read(context, value, name);
}

export function describeValue(value: Value): string {
  switch (value.kind) {
    case 'integer':
      return String(value.value);
    case 'string':
      return `"${value.text}"`;
    case 'path':
      return `\`${value.names.join('.')}\``;
  }
}

export function refuseValue(reading: Reading, value: Value, expected: string): never {
  reject(reading.source, value.at, expected, describeValue(value));
}

/** An integer that is not negative; at most 2^64 - 1. */
export function unsignedOf(reading: Reading, value: Value, what: string): bigint {
  if (value.kind !== 'integer' || value.signed)
    refuseValue(reading, value, `${what}: an integer that is not negative`);
  return BigInt(value.value);
}

/** An integer in the range of a number. */
export function numberOf(reading: Reading, value: Value, what: string): number {
  const number = unsignedOf(reading, value, what);
  if (number > BigInt(Number.MAX_SAFE_INTEGER))
    refuse(reading.source, value.at, 'over-limit', `${what}: below 2^53`, String(number));
  return Number(number);
}

export function integerOf(reading: Reading, value: Value, what: string): bigint {
  if (value.kind !== 'integer') refuseValue(reading, value, `${what}: an integer`);
  return BigInt(value.value);
}

/** A string or a path as text; undefined for integers. */
export function textOf(value: Value): string | undefined {
  if (value.kind === 'string') return value.text;
  return value.kind === 'path' ? value.names.join('.') : undefined;
}

export function stringOf(reading: Reading, value: Value, what: string): string {
  return textOf(value) ?? refuseValue(reading, value, `${what}: a string`);
}

export function booleanOf(reading: Reading, value: Value, what: string): boolean {
  if (value.kind === 'integer') return BigInt(value.value) !== 0n;
  const text = textOf(value);
  if (text === 'true' || text === 'TRUE') return true;
  if (text === 'false' || text === 'FALSE') return false;
  refuseValue(reading, value, `${what}: true or false`);
}

/** Undefined: the trace's own byte order (`native`). */
export function byteOrderOf(reading: Reading, value: Value): ByteOrder | undefined {
  switch (textOf(value)) {
    case 'le':
      return 'le';
    case 'be':
    case 'network':
      return 'be';
    case 'native':
      return undefined;
    default:
      refuseValue(reading, value, 'byte_order: le, be, network or native');
  }
}

const UUID = /^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/;

/** Reads a UUID, in lower case. */
export function uuidOf(reading: Reading, value: Value): string {
  if (value.kind !== 'string' || !UUID.test(value.text)) {
    refuseValue(reading, value, 'uuid: a string like "c95f145d-a416-c544-8a97-719a24f05c77"');
  }
  return value.text.toLowerCase();
}

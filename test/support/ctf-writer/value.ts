/**
 * Values to write, and how each field class writes them (CTF 1.8.3 section 4). The writer follows the values it is
 * given: the length of an array is that of its value, a variant takes the option named; that lengths and tags stored
 * elsewhere agree is up to the caller, so that damaged traces can be made too.
 */
import {
  type BitsClass,
  type FieldClass,
  type FloatClass,
  type IntegerClass,
  type StructClass,
  type TextEncoding,
  unitOf,
} from '../../../src/engine/ctf/model.ts';
import type { BitWriter } from './bit-writer.ts';

export type Value =
  number | bigint | string | Uint8Array | readonly Value[] | { readonly [member: string]: Value } | Choice;

/** Value of a variant. */
export interface Choice {
  /** Index in `VariantClass.options`. */
  readonly option: number;
  readonly value: Value;
}

export type StructValue = Readonly<Record<string, Value>>;

export function alignmentOf(type: FieldClass): number {
  return type.kind === 'variant' || type.kind === 'optional' ? 1 : type.align;
}

/** Writes `value` as `type` says, aligned. An absent member of a struct is written as zero, empty or option 0. */
function writeValue(out: BitWriter, type: FieldClass, value: Value | undefined): void {
  out.align(alignmentOf(type));
  switch (type.kind) {
    case 'integer':
      if (type.variable) writeLeb128(out, BigInt((value ?? 0) as bigint | number), type.signed);
      else writeBits(out, type, (value ?? 0) as bigint | number);
      return;
    case 'bits':
      writeBits(out, type, (value ?? 0) as bigint | number);
      return;
    case 'float':
      writeBits(out, type, floatBits(Number(value ?? 0), type.size));
      return;
    case 'string':
      out.raw(encodeText((value ?? '') as string | Uint8Array, type.encoding));
      out.skip(unitOf(type.encoding) * 8);
      return;
    case 'text':
    case 'blob':
      writeBytes(out, (value ?? '') as string | Uint8Array, type);
      return;
    case 'array':
      for (const element of elementsOf(value, type.length)) writeValue(out, type.element, element);
      return;
    case 'struct':
      writeStruct(out, type, (value ?? {}) as StructValue);
      return;
    case 'variant': {
      const choice = (value ?? { option: 0, value: 0 }) as Choice;
      writeValue(out, type.options[choice.option].type, choice.value);
      return;
    }
    case 'optional':
      if (value !== undefined) writeValue(out, type.content, value);
  }
}

function writeBits(
  out: BitWriter,
  { size, byteOrder, reversed }: IntegerClass | BitsClass | FloatClass,
  value: bigint | number,
): void {
  out.integer(reversed === true ? reverseBits(BigInt(value), size) : value, size, byteOrder);
}

function reverseBits(value: bigint, size: number): bigint {
  let bits = 0n;
  for (let i = 0; i < size; i++) bits = (bits << 1n) | ((value >> BigInt(i)) & 1n);
  return bits;
}

export function writeStruct(out: BitWriter, type: StructClass, value: StructValue): void {
  out.align(type.align);
  for (const member of type.members) writeValue(out, member.type, value[member.name]);
}

function elementsOf(value: Value | undefined, length: unknown): readonly (Value | undefined)[] {
  const elements: readonly (Value | undefined)[] =
    value instanceof Uint8Array ? [...value] : ((value ?? []) as Value[]);
  return typeof length === 'number' ? Array.from({ length }, (_, index) => elements[index]) : elements;
}

/** Text or blob: a fixed length is filled up with zeros, or cut. */
function writeBytes(
  out: BitWriter,
  value: string | Uint8Array,
  type: { readonly kind: string; readonly length: unknown; readonly encoding?: TextEncoding },
): void {
  const bytes = encodeText(value, type.encoding ?? 'utf-8');
  if (typeof type.length !== 'number') {
    out.raw(bytes);
    return;
  }
  const padded = new Uint8Array(type.length);
  padded.set(bytes.subarray(0, type.length));
  out.raw(padded);
}

function floatBits(value: number, size: 16 | 32 | 64): bigint {
  const view = new DataView(new ArrayBuffer(8));
  if (size === 64) {
    view.setFloat64(0, value);
    return view.getBigUint64(0);
  }
  if (size === 32) {
    view.setFloat32(0, value);
    return BigInt(view.getUint32(0));
  }
  return BigInt(halfBits(value));
}

/** IEEE 754 binary16 of a number that has one. */
function halfBits(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  if (size === Infinity) return sign | 0x7c00;
  if (size < 2 ** -14) return sign | (size * 2 ** 24);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 15) << 10) | ((size / 2 ** exponent - 1) * 1024);
}

/** The bytes of a text; bytes pass as they are. */
export function encodeText(value: string | Uint8Array, encoding: TextEncoding): Uint8Array {
  if (typeof value !== 'string') return value;
  switch (encoding) {
    case 'utf-8':
      return new TextEncoder().encode(value);
    case 'utf-16le':
    case 'utf-16be': {
      const units = new DataView(new ArrayBuffer(value.length * 2));
      for (let i = 0; i < value.length; i++)
        units.setUint16(i * 2, value.charCodeAt(i), encoding === 'utf-16le');
      return new Uint8Array(units.buffer);
    }
    case 'utf-32le':
    case 'utf-32be': {
      const codes = Array.from(value, (character) => character.codePointAt(0) ?? 0);
      const units = new DataView(new ArrayBuffer(codes.length * 4));
      codes.forEach((code, i) => units.setUint32(i * 4, code, encoding === 'utf-32le'));
      return new Uint8Array(units.buffer);
    }
  }
}

function writeLeb128(out: BitWriter, value: bigint, signed: boolean): void {
  for (let left = value; ;) {
    const low = Number(left & 0x7fn);
    left >>= 7n;
    const done = signed ? left === (low & 0x40 ? -1n : 0n) : left === 0n;
    out.integer(done ? low : low | 0x80, 8, 'le');
    if (done) return;
  }
}

/** Test of a field for the rows of one event class. Integers have 64 bits and are compared without BigInt. */
import type { ProjectionPlan } from '../../analysis/contract.ts';
import { findMembers, memberClass } from '../../ctf/decode/program/members.ts';
import type { FieldPlace, Rows } from '../../ctf/decode/rows/rows.ts';
import type { IntegerClass } from '../../ctf/model.ts';
import { matcherOf } from '../../base/glob.ts';
import { type EventOfStream, type FieldName, fieldPlace, wantOf } from './field-wants.ts';
import type { Compare, FieldNode, Value } from './filter.ts';

/** Whether a row passes a test. */
export type RowTest = (rows: Rows, row: number) => boolean;

/** Test of a field; undefined: no event of the class passes it. */
export function fieldTest(node: FieldNode, of: EventOfStream, plan: ProjectionPlan): RowTest | undefined {
  const integer = integerClassOf(of, node);
  if (integer === undefined) {
    const place = fieldPlace(plan, of, node, 'string');
    return place && stringTest(place, node);
  }
  const place = fieldPlace(plan, of, node, 'wide');
  const ranges = acceptedRanges(integer, node.compare, node.values);
  return place && ranges && integerTest(place, rangeWords(ranges, integer), integer, node.compare === '!=');
}

/** The class of an integer field; undefined: the field is no integer. */
export function integerClassOf({ event, stream }: EventOfStream, field: FieldName): IntegerClass | undefined {
  const place = findMembers(wantOf(field, 'wide'), stream, event).at(0);
  const type = place && memberClass(place, stream, event);
  return type?.kind === 'integer' ? type : undefined;
}

function integerTest(
  { presence, bit, offset }: FieldPlace,
  ranges: Int32Array,
  { signed }: IntegerClass,
  isNegated: boolean,
): RowTest {
  const flip = flipOf(signed);
  return ({ words, at }, row) => {
    const base = at[row];
    if (((words[base + presence] >>> bit) & 1) === 0) return false;
    const low = words[base + offset];
    return isWithin(ranges, words[base + offset + 1], low, flip) !== isNegated;
  };
}

function stringTest({ presence, bit, offset }: FieldPlace, { compare, values }: FieldNode): RowTest {
  const matchers = values.map(({ text }) => matcherOf(text));
  const isNegated = compare === '!=';
  const decoder = new TextDecoder();
  /** Results by hash of the text: most traces have few texts. */
  const known = new Map<number, { readonly bytes: Uint8Array; readonly isMeant: boolean }>();
  return ({ words, at, bytes }, row) => {
    const base = at[row];
    if (((words[base + presence] >>> bit) & 1) === 0) return false;
    const from = words[base + offset];
    const to = from + words[base + offset + 1];
    const hash = hashOf(bytes, from, to);
    const found = known.get(hash);
    if (found !== undefined && isSame(found.bytes, bytes, from, to)) return found.isMeant !== isNegated;
    const own = bytes.slice(from, to);
    const text = decoder.decode(own);
    const isMeant = matchers.some((matches) => matches(text));
    if (known.size > MOST_KNOWN) known.clear();
    known.set(hash, { bytes: own, isMeant });
    return isMeant !== isNegated;
  };
}

const MOST_KNOWN = 10_000;

/** FNV-1a hash, of the length too. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at], 0x0100_0193);
  return hash;
}

function isSame(known: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (known.length !== to - from) return false;
  for (let at = 0; at < known.length; at++) if (known[at] !== bytes[from + at]) return false;
  return true;
}

/**
 * Test whether a text field of a row contains a text.
 * @param text not empty; the case of ASCII letters is ignored
 */
export function containsTest(
  text: string,
  of: EventOfStream,
  fields: readonly FieldName[],
  plan: ProjectionPlan,
): RowTest {
  const places = fields.flatMap((field) => fieldPlace(plan, of, field, 'string') ?? []);
  const wanted = new TextEncoder().encode(text).map(lowerCase);
  return ({ words, at, bytes }, row) => {
    const base = at[row];
    for (const { presence, bit, offset } of places) {
      if (((words[base + presence] >>> bit) & 1) === 0) continue;
      const from = words[base + offset];
      if (contains(bytes, from, from + words[base + offset + 1], wanted)) return true;
    }
    return false;
  };
}

/** Whether the bytes [from, to) contain `wanted`, which is lower-case and not empty. */
function contains(bytes: Uint8Array, from: number, to: number, wanted: Uint8Array): boolean {
  const { length, 0: first } = wanted;
  const last = to - length;
  for (let at = from; at <= last; at++) {
    if (lowerCase(bytes[at]) !== first) continue;
    let same = 1;
    while (same < length && lowerCase(bytes[at + same]) === wanted[same]) same++;
    if (same === length) return true;
  }
  return false;
}

function lowerCase(byte: number): number {
  return byte >= 65 && byte <= 90 ? byte + 32 : byte;
}

/** Words of a range: high and low word of its least and greatest value, mapped for signed comparison. */
const RANGE_WORDS = 4;
const SIGN_BIT = 0x8000_0000 | 0;
const INTEGER = /^[+-]?(?:\d+|0x[0-9a-f]+|0b[01]+|0o[0-7]+)$/i;

/** A whole number; undefined: the value is none. */
export function integerOf({ text, isQuoted }: Value): bigint | undefined {
  if (isQuoted || !INTEGER.test(text)) return undefined;
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace(/^\+/, ''));
}

interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * The integers that a test accepts, without negation; undefined: a wanted value is neither a number nor a label of it.
 */
export function acceptedRanges(
  type: IntegerClass,
  compare: Compare,
  values: readonly Value[],
): Range[] | undefined {
  const [least, greatest] = type.signed ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
  const ranges: Range[] = [];
  for (const value of values) {
    const found = valueRanges(type, value);
    if (found === undefined) return undefined;
    for (const range of found) ranges.push(comparedWith(compare, range, least, greatest));
  }
  return ranges.filter(({ from, to }) => from <= to);
}

function valueRanges({ labels, boolean }: IntegerClass, value: Value): Range[] | undefined {
  const number = integerOf(value);
  if (number !== undefined) return [{ from: number, to: number }];
  if (boolean === true && value.text === 'true') return [{ from: 1n, to: 1n }];
  if (boolean === true && value.text === 'false') return [{ from: 0n, to: 0n }];
  const isMeant = matcherOf(value.text);
  const named = (labels ?? []).filter(({ label }) => isMeant(label));
  return named.length > 0 ? named.map(({ from, to }) => ({ from, to })) : undefined;
}

function comparedWith(compare: Compare, { from, to }: Range, least: bigint, greatest: bigint): Range {
  switch (compare) {
    case '<':
      return { from: least, to: from - 1n };
    case '<=':
      return { from: least, to };
    case '>':
      return { from: to + 1n, to: greatest };
    case '>=':
      return { from, to: greatest };
    default:
      return { from: from < least ? least : from, to: to > greatest ? greatest : to };
  }
}

/** Words of the ranges for `isWithin`. */
function rangeWords(ranges: readonly Range[], { signed }: IntegerClass): Int32Array {
  const flip = flipOf(signed);
  const words = new Int32Array(RANGE_WORDS * ranges.length);
  ranges.forEach(({ from, to }, i) => {
    [from, to].forEach((value, end) => {
      const bits = BigInt.asUintN(64, value);
      words[RANGE_WORDS * i + 2 * end] = Number(bits >> 32n) ^ flip;
      words[RANGE_WORDS * i + 2 * end + 1] = Number(bits & 0xffff_ffffn) ^ SIGN_BIT;
    });
  });
  return words;
}

/** Mask to xor with the high word of a value, so that signed comparison orders values. */
function flipOf(signed: boolean): number {
  return signed ? 0 : SIGN_BIT;
}

/**
 * @param high high word of the value
 * @param flip mask of its class
 */
function isWithin(words: Int32Array, high: number, low: number, flip: number): boolean {
  const h = high ^ flip;
  const l = low ^ SIGN_BIT;
  for (let at = 0; at < words.length; at += RANGE_WORDS) {
    const isAbove = h > words[at] || (h === words[at] && l >= words[at + 1]);
    if (isAbove && (h < words[at + 2] || (h === words[at + 2] && l <= words[at + 3]))) return true;
  }
  return false;
}

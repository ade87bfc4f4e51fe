/** Integers of 64 bits that a test accepts: ranges, as pairs of 32-bit words that are compared without BigInt. */
import type { IntegerClass } from '../../ctf/model.ts';
import { matcherOf } from '../../base/glob.ts';
import type { Compare } from './filter.ts';
import type { Value } from './resolved.ts';

/** Words of a range: high and low of its least and of its greatest value, in an order that signed comparison gives. */
const RANGE_WORDS = 4;
const SIGN_BIT = 0x8000_0000 | 0;
const INTEGER = /^[+-]?(?:\d+|0x[0-9a-f]+|0b[01]+|0o[0-7]+)$/i;

/** undefined: it is no whole number. */
export function integerOf({ text, isQuoted }: Value): bigint | undefined {
  if (isQuoted || !INTEGER.test(text)) return undefined;
  return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text.replace(/^\+/, ''));
}

interface Range {
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * The values of an integer that a test accepts, as it is without negation; undefined: one of the wanted values is neither
 * a number nor a name that the integer has.
 */
export function acceptedRanges(
  type: IntegerClass,
  compare: Compare,
  values: readonly Value[],
): Range[] | undefined {
  const ranges: Range[] = [];
  for (const value of values) {
    const found = valueRanges(type, value);
    if (found === undefined) return undefined;
    for (const range of found) ranges.push(comparedWith(compare, range, leastOf(type), greatestOf(type)));
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

function leastOf({ signed }: IntegerClass): bigint {
  return signed ? -(2n ** 63n) : 0n;
}

function greatestOf({ signed }: IntegerClass): bigint {
  return signed ? 2n ** 63n - 1n : 2n ** 64n - 1n;
}

/** Words of the ranges for `isWithin`. */
export function rangeWords(ranges: readonly Range[], { signed }: IntegerClass): Int32Array {
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

/** Mask that the high word of a value is xored with, so that signed comparison orders it. */
export function flipOf(signed: boolean): number {
  return signed ? 0 : SIGN_BIT;
}

/** @param high of the value; `flip` for its class */
export function isWithin(words: Int32Array, high: number, low: number, flip: number): boolean {
  const h = high ^ flip;
  const l = low ^ SIGN_BIT;
  for (let at = 0; at < words.length; at += RANGE_WORDS) {
    const isAbove = h > words[at] || (h === words[at] && l >= words[at + 1]);
    if (isAbove && (h < words[at + 2] || (h === words[at + 2] && l <= words[at + 3]))) return true;
  }
  return false;
}

/** Ranges of integers, the mappings of integers and the flags of bit maps (CTF2-SPEC-2.0, "Integer range set"). */
import type { LabelRange } from '../../model.ts';
import type { Reading } from '../source.ts';
import type { JsonValue } from './json.ts';
import { arrayOf, objectOf, refuseValue, signedOf, unsignedOf } from './properties.ts';

export interface Range {
  /** Inclusive. */
  readonly from: bigint;
  readonly to: bigint;
}

/**
 * Reads at least one pair of a lower and an upper end.
 * @param end a number that is too large, where integers of 64 bits are not
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

/**
 * Names with ranges, in their order.
 * @param end as in `readRanges`
 */
export function readLabels(reading: Reading, value: JsonValue, signed: boolean, end?: number): LabelRange[] {
  return [...objectOf(reading, value).properties.values()].flatMap((label) =>
    readRanges(reading, label.value, signed, end).map((range) => ({ label: label.name, ...range })),
  );
}

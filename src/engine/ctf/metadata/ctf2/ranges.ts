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

/** At least one pair of a lower and an upper end. */
export function readRanges(reading: Reading, value: JsonValue, signed: boolean): Range[] {
  return arrayOf(reading, value, 1).items.map((item) => {
    const { items } = arrayOf(reading, item);
    if (items.length !== 2) refuseValue(reading, item, 'two integers: lower and upper end');
    const [from, to] = items.map((end) => (signed ? signedOf : unsignedOf)(reading, end));
    if (from > to) refuseValue(reading, item, `a lower end that is at most the upper, not ${from} and ${to}`);
    return { from, to };
  });
}

/** Names with ranges, in their order. */
export function readLabels(reading: Reading, value: JsonValue, signed: boolean): LabelRange[] {
  return [...objectOf(reading, value).properties.values()].flatMap((label) =>
    readRanges(reading, label.value, signed).map((range) => ({ label: label.name, ...range })),
  );
}

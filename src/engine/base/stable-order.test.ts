import fc from 'fast-check';
import { expect, it } from 'vitest';
import { orderBy, stableOrder } from './stable-order.ts';
import { forAll } from '../../../test/support/for-all.ts';

const key = fc.oneof(fc.double({ noNaN: true }), fc.integer({ min: -3, max: 3 }));
/** Few and many are sorted in different ways. */
const keys = fc.oneof(fc.array(key), fc.array(key, { minLength: 33, maxLength: 100 }));

/** As `Array.prototype.sort` has it, which is stable. */
const sorted = (of: readonly number[], rows: readonly number[]) =>
  [...rows].sort((a, b) => (Object.is(of[a], of[b]) ? 0 : of[a] - of[b] || (Object.is(of[a], -0) ? -1 : 1)));

it('is that of a stable sort', () =>
  forAll(100, [keys], (of) => {
    const order = stableOrder(Float64Array.from(of));
    expect([...order]).toEqual(sorted(of, [...of.keys()]));
  }));

it('keeps the order of equal keys that is handed in, and leaves that as it is', () =>
  forAll(100, [keys, keys], (first, second) => {
    const length = Math.min(first.length, second.length);
    const before = stableOrder(Float64Array.from(first.slice(0, length)));
    const same = [...before];
    const order = stableOrder(Float64Array.from(second.slice(0, length)), before);
    expect([...order]).toEqual(sorted(second, same));
    expect([...before]).toEqual(same);
  }));

it('has rows without a key at the end', () => {
  expect([...stableOrder(Float64Array.of(NaN, Infinity, -NaN, -1, NaN))]).toEqual([3, 1, 0, 2, 4]);
});

it('orders the rows that are asked for alone', () => {
  expect([...stableOrder(Float64Array.of(5, 4, 3, 2, 1), Uint32Array.of(0, 2, 4))]).toEqual([4, 2, 0]);
});

it('asks who of those with equal keys comes first', () => {
  const first = Float64Array.of(2, 1, 2, 1, 2);
  const second = [3, 5, 1, 4, 2];
  expect([...orderBy(first, (a, b) => second[a] - second[b])]).toEqual([3, 1, 2, 4, 0]);
});

it('has many rows without a key at the end, and those in order as they are', () => {
  const of = Float64Array.from({ length: 99 }, (_, row) => (row % 2 === 0 ? NaN : row));
  const rows = [...of.keys()];
  const expected = [...rows.filter((row) => row % 2 === 1), ...rows.filter((row) => row % 2 === 0)];
  expect([...stableOrder(of)]).toEqual(expected);
  expect([...stableOrder(of, expected)]).toEqual(expected);
});

import { describe, expect, test } from 'vitest';
import { collidingInts } from '../../../../test/support/chosen-keys.ts';
import { createIntIndex, findInt, type IntIndex, putInt } from './int-index.ts';

function indexOf(keys: Int32Array): IntIndex {
  const index = createIntIndex(2);
  keys.forEach((key, i) => putInt(index, key, i));
  return index;
}

/** The most slots side by side that are in use: no lookup probes more. */
function longestRun({ values }: IntIndex): number {
  let longest = 0;
  let run = 0;
  // Twice, as the last slot is beside the first.
  for (const value of [...values, ...values]) {
    run = value < 0 ? 0 : run + 1;
    longest = Math.max(longest, run);
  }
  return longest;
}

describe('a map from integers', () => {
  test('gives what was put last, and -1 for others', () => {
    const index = createIntIndex(2);
    for (const key of [0, -1, 2 ** 31 - 1, -(2 ** 31), 7]) putInt(index, key, 1);
    putInt(index, 7, 2);
    expect([0, -1, 7, 8].map((key) => findInt(index, key))).toEqual([1, 1, 2, -1]);
    expect(index.size.keys[0]).toBe(5);
  });

  test.each([
    ['successive', Int32Array.from({ length: 100_000 }, (_, i) => i)],
    ['chosen to collide', collidingInts(100_000)],
  ])('finds keys that are %s with few probes', (_, keys) => {
    const index = indexOf(keys);
    expect(longestRun(index)).toBeLessThan(1000);
    expect(keys.findIndex((key, i) => findInt(index, key) !== i)).toBe(-1);
  });
});

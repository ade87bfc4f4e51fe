import fc from 'fast-check';
import { expect, test } from 'vitest';
import { binOf, BINS, leastOfBin, middleOfBin } from './duration-sums.ts';
import { forAll } from '../../../../test/support/for-all.ts';

test('short durations have bins of their own', () => {
  for (let ns = 0; ns < 128; ns++) {
    expect(binOf(ns)).toBe(ns);
    expect(middleOfBin(ns)).toBe(ns);
  }
  expect(binOf(128)).toBe(128);
  expect(binOf(129)).toBe(128);
});

test('a duration lies in its bin, and within 0.8 % of its middle', () =>
  forAll(100, [fc.maxSafeNat(), fc.nat(53)], (large, bits) => {
    const ns = Math.floor(large / 2 ** bits);
    const bin = binOf(ns);
    expect(bin).toBeLessThan(BINS);
    expect(leastOfBin(bin)).toBeLessThanOrEqual(ns);
    expect(leastOfBin(bin + 1)).toBeGreaterThan(ns);
    expect(Math.abs(middleOfBin(bin) - ns)).toBeLessThanOrEqual(ns / 128);
  }));

test('durations that no bin holds count in the last one', () => {
  for (const ns of [2 ** 53, 2 ** 62, 2 ** 63, 2 ** 64]) expect(binOf(ns)).toBe(BINS - 1);
});

import { expect, test } from 'vitest';
import { collidingInts } from '../../../test/support/chosen-keys.ts';
import { firstSlot, HASH_FACTORS, hashOf } from './hash.ts';

const KEYS = 2 ** 14;
const MASK = 2 ** 15 - 1;

/** Slots that are the first of some key: of keys thrown at random about 0.39 of all, which are 0.79 of the keys. */
function slotsOf(keys: Int32Array): number {
  return new Set(keys.map((key) => firstSlot(hashOf(key), MASK))).size;
}

test('factors are odd, so that different words have different hashes', () => {
  const { hashFactor, slotFactor } = HASH_FACTORS;
  expect(hashFactor & slotFactor & 1).toBe(1);
  const words = Int32Array.from({ length: KEYS }, (_, i) => Math.imul(i, 0x10001));
  expect(new Set(words.map(hashOf)).size).toBe(KEYS);
});

test('slots lie in the table', () => {
  for (const mask of [1, 3, 255, MASK, 2 ** 30 - 1])
    for (const hash of [0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]) {
      const slot = firstSlot(hash, mask);
      expect(slot).toBeGreaterThanOrEqual(0);
      expect(slot).toBeLessThanOrEqual(mask);
    }
});

test.each([
  ['are successive', Int32Array.from({ length: KEYS }, (_, i) => i)],
  ['differ in their upper half', Int32Array.from({ length: KEYS }, (_, i) => i << 18)],
  ['were chosen for other factors', collidingInts(KEYS)],
])('few keys that %s share a slot', (_, keys) => {
  expect(slotsOf(keys)).toBeGreaterThan(0.6 * KEYS);
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LabelRange } from '../ctf/model.ts';
import { createLabelFinder } from './canonical.ts';
import { forAll } from '../../../test/support/for-all.ts';

function find(ranges: readonly LabelRange[], value: number | bigint): string[] {
  const labels: string[] = [];
  createLabelFinder(ranges)(value, (label) => labels.push(label));
  return labels.sort();
}

test('all ranges that hold the value are found, however they overlap', async () => {
  const range = fc.tuple(fc.nat(9), fc.bigInt(-20n, 20n), fc.bigInt(-5n, 20n));
  await forAll(
    100,
    [fc.array(range, { maxLength: 40 }), fc.integer({ min: -25, max: 45 })],
    (drawn, value) => {
      const ranges = drawn.map(([label, from, length]) => ({ label: `${label}`, from, to: from + length }));
      const holding = ranges.filter(({ from, to }) => value >= from && value <= to);
      expect(find(ranges, value)).toEqual(holding.map(({ label }) => label).sort());
    },
  );
  const most = 2n ** 64n - 1n;
  expect(find([{ label: 'all', from: 0n, to: most }], most)).toEqual(['all']);
});

test('a value is compared with few of many ranges, one of all values among them', () => {
  let compared = 0;
  const single = (label: string, from: bigint, to: bigint): LabelRange => ({
    label,
    from,
    get to() {
      compared++;
      return to;
    },
  });
  const ranges = [single('all', 0n, 9999n)];
  for (let i = 0n; i < 10_000n; i++) ranges.push(single(`${i}`, i, i));
  const finder = createLabelFinder(ranges);
  compared = 0;
  const labels: string[] = [];
  finder(7777, (label) => labels.push(label));
  expect(labels.sort()).toEqual(['7777', 'all']);
  expect(compared).toBeLessThan(100);
});

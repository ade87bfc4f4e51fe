import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DurationSums, LONGEST, meanOf, percentileOf, type DurationTable } from './duration-sums.ts';
import { forAll } from '../../../../test/support/for-all.ts';

interface Duration {
  readonly begin: number;
  readonly ns: number;
  readonly owner: number;
}

const durations: fc.Arbitrary<Duration[]> = fc.array(
  fc.record({
    begin: fc.nat(50),
    ns: fc.oneof(
      fc.nat(5),
      fc.maxSafeNat().map((n) => n % 2 ** 44),
    ),
    owner: fc.nat(3),
  }),
  { maxLength: 60 },
);

function tableOf(list: readonly Duration[]): DurationTable {
  const sums = new DurationSums();
  const group = sums.addGroup();
  for (const { begin, ns, owner } of list) sums.add(group, begin, ns, owner);
  return sums.finish();
}

describe('sums of durations', () => {
  test('count, sum, extremes and the longest ones', () =>
    forAll(100, [durations], (list) => {
      const table = tableOf(list);
      const lengths = list.map(({ ns }) => ns);
      expect(table.count[0]).toBe(list.length);
      expect(table.total[0]).toBe(lengths.reduce((sum, ns) => sum + ns, 0));
      expect(table.max[0]).toBe(Math.max(0, ...lengths));
      expect(table.min[0]).toBe(Math.min(Infinity, ...lengths));
      expect(table.binCount.reduce((sum, count) => sum + count, 0)).toBe(list.length);
      const sorted = [...list].sort((a, b) => b.ns - a.ns || a.begin - b.begin || a.owner - b.owner);
      const longest = Array.from(table.longestNs, (ns, i) => {
        return { begin: table.longestBegin[i], ns, owner: table.longestOwner[i] };
      });
      expect(longest).toEqual(sorted.slice(0, LONGEST));
    }));

  test('do not depend on order nor on how they were put together', () =>
    forAll(100, [durations, fc.nat(60)], (list, cut) => {
      const sums = new DurationSums();
      const group = sums.addGroup();
      sums.addTable(group, tableOf(list.slice(cut)), 0);
      sums.addTable(group, tableOf(list.slice(0, cut)), 0);
      expect(sums.finish()).toEqual(tableOf([...list].reverse()));
    }));

  test('end at 2^53 ns, whatever the order', () => {
    const list = [2 ** 53 - 2, 1, 1, 3, 2 ** 80].map((ns) => ({ begin: 0, ns, owner: 0 }));
    expect(tableOf(list).total[0]).toBe(2 ** 53);
    expect(tableOf([...list].reverse())).toEqual(tableOf(list));
    expect(tableOf(list.slice(0, 3)).total[0]).toBe(2 ** 53);
  });

  test('percentiles are those of the sorted list: of the longest ones exact, else within 0.8 %', () =>
    forAll(100, [durations, fc.constantFrom(0.5, 0.95, 0.99, 1)], (list, share) => {
      const sorted = list.map(({ ns }) => ns).sort((a, b) => a - b);
      const place = Math.ceil(share * sorted.length);
      const exact = sorted[place - 1] ?? 0;
      const isOfLongest = sorted.length - place < LONGEST;
      const found = percentileOf(tableOf(list), 0, share);
      expect(Math.abs(found - exact)).toBeLessThanOrEqual(isOfLongest ? 0 : exact / 128);
    }));

  test('the mean is rounded half up', () => {
    const one = (ns: number) => ({ begin: 0, ns, owner: 0 });
    expect(meanOf(tableOf([one(1), one(2)]), 0)).toBe(2);
    expect(meanOf(tableOf([]), 0)).toBe(0);
  });
});

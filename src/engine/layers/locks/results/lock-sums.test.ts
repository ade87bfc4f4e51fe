import fc from 'fast-check';
import { expect, it } from 'vitest';
import { durationsOf } from './lock-sums.ts';
import { forAll } from '../../../../../test/support/for-all.ts';

/** As their definitions have it. */
function defined(ns: readonly number[]) {
  const count = ns.length;
  if (count === 0) return { count, totalNs: 0, meanNs: 0, p99Ns: 0, maxNs: 0 };
  const sorted = ns.toSorted((a, b) => a - b);
  const totalNs = ns.reduce((sum, each) => sum + each, 0);
  const p99Ns = sorted.find((value) => ns.filter((each) => each <= value).length * 100 >= 99 * count);
  return { count, totalNs, meanNs: Math.floor(totalNs / count), p99Ns, maxNs: sorted.at(-1) };
}

it('sums durations in whatever order they come', async () => {
  const durations = fc.oneof(fc.array(fc.nat()), fc.array(fc.nat(5), { minLength: 100, maxLength: 400 }));
  await forAll(100, [durations], (ns) => {
    expect(durationsOf(Float64Array.from(ns))).toEqual(defined(ns));
  });
});

it.each([
  ['ascend', (i: number) => i],
  ['descend', (i: number) => 5000 - i],
  ['rise and fall', (i: number) => Math.min(i, 5000 - i)],
  ['are equal', () => 7],
])('finds the smallest that 99 of 100 do not exceed where they %s', (_, at) => {
  const ns = Array.from({ length: 5000 }, (_, i) => at(i));
  expect(durationsOf(Float64Array.from(ns)).p99Ns).toBe(ns.toSorted((a, b) => a - b)[4949]);
});

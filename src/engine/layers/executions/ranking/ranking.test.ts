import { expect, it } from 'vitest';
import { rankLocks } from './ranking.ts';

it('names the locks that B waits longer for, with those that did not wait as 0', () => {
  const locks = {
    names: ['a', 'b', 'c'],
    length: 5,
    interval: Int32Array.of(0, 2, 2, 3, 3),
    lock: Int32Array.of(1, 0, 1, 0, 2),
    ns: Float64Array.of(100, 30, 10, 50, 200),
  };
  const groups = { a: Int32Array.of(0, 1), b: Int32Array.of(2, 3) };
  const ranked = rankLocks(locks, 4, groups);
  // Less for `b`: 50 in A, 5 in B.
  expect(ranked.map(({ name, meanA, meanB, inA, inB }) => ({ name, meanA, meanB, inA, inB }))).toEqual([
    { name: 'c', meanA: 0, meanB: 100, inA: 0, inB: 1 },
    { name: 'a', meanA: 0, meanB: 40, inA: 0, inB: 2 },
  ]);
  expect(rankLocks(locks, 4, { ...groups, a: new Int32Array(0) })).toEqual([]);
});

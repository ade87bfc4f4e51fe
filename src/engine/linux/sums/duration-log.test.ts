import { expect, test } from 'vitest';
import { DurationLog } from './duration-log.ts';

test('keeps what is within the bounds, the longest first and of equal ones the earlier', () => {
  const log = new DurationLog(10, 2, 5);
  for (const [begin, ns] of [
    [0, 1],
    [1, 5],
    [9, 2],
    [4, 2],
    [20, 6],
    [30, NaN],
  ])
    log.add(begin, ns, 7, begin);
  expect(log.count).toBe(3);
  const { length, begin, ns, owner } = log.longest();
  expect([length, [...begin], [...ns], [...owner]]).toEqual([3, [1, 4, 9], [5, 2, 2], [7, 7, 7]]);
});

test('of very many keeps the longest, in whatever order they come', () => {
  const lengths = Array.from({ length: 1000 }, (_, i) => (i * 7919) % 1000);
  const log = new DurationLog(3, 0, Infinity);
  lengths.forEach((ns, begin) => log.add(begin, ns, 0, 0));
  expect(log.count).toBe(1000);
  expect([...log.longest().ns]).toEqual([999, 998, 997]);
});

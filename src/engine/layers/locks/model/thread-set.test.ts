import { expect, it } from 'vitest';
import { ThreadSet } from './thread-set.ts';

it('keeps members in any order of coming and going', () => {
  const set = new ThreadSet(4);
  for (const thread of [2, 0, 3, 2]) set.add(thread);
  expect(set.length).toBe(3);
  expect(set.delete(2)).toBe(true);
  expect(set.delete(2)).toBe(false);
  expect([set.has(0), set.has(2), set.has(3)]).toEqual([true, false, true]);
  expect([set.at(0), set.at(1)].sort()).toEqual([0, 3]);
});

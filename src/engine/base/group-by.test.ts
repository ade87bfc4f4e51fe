import { expect, test } from 'vitest';
import { addTo, groupBy } from './group-by.ts';

test('items keep their order, keys that of their first item', () => {
  const groups = groupBy([5, 2, 7, 4, 1], (n) => (n % 2 === 0 ? 'even' : 'odd'));
  expect([...groups]).toEqual([
    ['odd', [5, 7, 1]],
    ['even', [2, 4]],
  ]);
});

test('a group is added to, and begun where there is none', () => {
  const groups = new Map([['a', [1]]]);
  addTo(groups, 'a', 2);
  addTo(groups, 'b', 3);
  expect([...groups]).toEqual([
    ['a', [1, 2]],
    ['b', [3]],
  ]);
});

import { expect, test, it } from 'vitest';
import { addTo, groupBy } from './group-by.ts';
import { rowsBy, sortGroups } from './rows-by.ts';

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

it('sorts the rows of each group, those with equal keys as they were', () => {
  const groups = rowsBy(Int32Array.of(1, 0, 1, -1, 1, 0), 3);
  sortGroups(groups, Float64Array.of(5, 2, 3, 0, 3, 1));
  expect(groups.start).toEqual(Int32Array.of(0, 2, 5, 5));
  expect(groups.order).toEqual(Int32Array.of(5, 1, 2, 4, 0));
});

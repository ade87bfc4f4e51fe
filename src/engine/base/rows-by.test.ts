import { expect, it } from 'vitest';
import { rowsBy, sortGroups } from './rows-by.ts';

it('sorts the rows of each group, those with equal keys as they were', () => {
  const groups = rowsBy(Int32Array.of(1, 0, 1, -1, 1, 0), 3);
  sortGroups(groups, Float64Array.of(5, 2, 3, 0, 3, 1));
  expect(groups.start).toEqual(Int32Array.of(0, 2, 5, 5));
  expect(groups.order).toEqual(Int32Array.of(5, 1, 2, 4, 0));
});

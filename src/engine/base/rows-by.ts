/** Groups the rows of a table by a number in each row. */
import { stableOrder } from './stable-order.ts';

/** Rows of a table by group: group n has order[start[n] … start[n + 1]), in the order of the table. */
export interface RowGroups {
  readonly start: Int32Array;
  readonly order: Int32Array;
}

/**
 * @param column group by row; rows below 0 are in no group
 * @param groups number of groups
 */
export function rowsBy(column: Int32Array, groups: number, length = column.length): RowGroups {
  const start = new Int32Array(groups + 1);
  for (let row = 0; row < length; row++) if (column[row] >= 0) start[column[row] + 1]++;
  for (let group = 0; group < groups; group++) start[group + 1] += start[group];
  const order = new Int32Array(start[groups]);
  const next = start.slice();
  for (let row = 0; row < length; row++) if (column[row] >= 0) order[next[column[row]]++] = row;
  return { start, order };
}

/**
 * Sorts the rows of each group by a key, stably.
 * @param keys by row
 */
export function sortGroups({ start, order }: RowGroups, keys: Float64Array): void {
  for (let group = 0; group + 1 < start.length; group++) {
    if (start[group + 1] - start[group] < 2) continue;
    const rows = order.subarray(start[group], start[group + 1]);
    rows.set(stableOrder(keys, rows));
  }
}

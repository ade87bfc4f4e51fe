/**
 * Keys of three integers of 32 bits, sorted, each once: [low, high, space] side by side. Sorted and not hashed, so that no
 * input makes it slow. They stand by `high`, which has a sign, then by `space` and `low`, which have none.
 */
import { stableOrder } from '../base/stable-order.ts';

/** Words of a key. */
export const KEY = 3;

/** The keys in order, each once. */
export function uniqueKeys(keys: Int32Array): Int32Array {
  const column = (word: number) => {
    const values = new Float64Array(keys.length / KEY);
    for (let i = 0; i < values.length; i++) {
      const value = keys[KEY * i + word];
      values[i] = word === 1 ? value : value >>> 0;
    }
    return values;
  };
  const order = stableOrder(column(1), stableOrder(column(2), stableOrder(column(0))));
  const unique = new Int32Array(keys.length);
  let length = 0;
  for (const row of order) {
    const [low, high, space] = [keys[KEY * row], keys[KEY * row + 1], keys[KEY * row + 2]];
    const last = length - KEY;
    if (length > 0 && unique[last] === low && unique[last + 1] === high && unique[last + 2] === space)
      continue;
    unique[length++] = low;
    unique[length++] = high;
    unique[length++] = space;
  }
  return unique.slice(0, length);
}

/** Number of a key, -1: it is not among them. Binary search. */
export function findKey(keys: Int32Array, low: number, high: number, space: number): number {
  let first = 0;
  let end = keys.length / KEY;
  while (first < end) {
    const middle = (first + end) >>> 1;
    const at = KEY * middle;
    const before =
      keys[at + 1] - high || (keys[at + 2] >>> 0) - (space >>> 0) || (keys[at] >>> 0) - (low >>> 0);
    if (before === 0) return middle;
    if (before < 0) first = middle + 1;
    else end = middle;
  }
  return -1;
}

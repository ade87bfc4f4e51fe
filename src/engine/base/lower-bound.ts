/** Index of the first number that is not less than `least`; `length`: there is none. Binary search. */
export function lowerBound(ascending: Float64Array, least: number, length = ascending.length): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

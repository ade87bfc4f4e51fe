/** First index in [from, to) for which `holds` is true, if it stays true from there on; `to`: none. Binary search. */
export function firstWhere(from: number, to: number, holds: (index: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first number that is at least `least`; `length`: none. */
export function lowerBound(
  ascending: { readonly [index: number]: number; readonly length: number },
  least: number,
  length = ascending.length,
): number {
  return firstWhere(0, length, (index) => !(ascending[index] < least));
}

/**
 * Keys of two integers of 32 bits, sorted, each once: [low, high] side by side. Sorted and not hashed, so that no input
 * makes it slow. They are sorted as integers of 64 bits: by `high`, which has a sign, then by `low`, which has none.
 */

/** The keys in order, each once; sorts `pairs` in place. */
export function uniquePairs(pairs: Int32Array): Int32Array {
  new BigInt64Array(pairs.buffer, pairs.byteOffset, pairs.length / 2).sort();
  let length = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    if (length > 0 && pairs[i] === pairs[length - 2] && pairs[i + 1] === pairs[length - 1]) continue;
    pairs[length] = pairs[i];
    pairs[length + 1] = pairs[i + 1];
    length += 2;
  }
  return pairs.slice(0, length);
}

/** Number of a key, -1: it is not among them. Binary search. */
export function findPair(keys: Int32Array, low: number, high: number): number {
  let first = 0;
  let end = keys.length / 2;
  while (first < end) {
    const middle = (first + end) >>> 1;
    const before = keys[2 * middle + 1] - high || (keys[2 * middle] >>> 0) - (low >>> 0);
    if (before === 0) return middle;
    if (before < 0) first = middle + 1;
    else end = middle;
  }
  return -1;
}

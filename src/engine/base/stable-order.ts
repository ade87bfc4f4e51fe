/**
 * Rows in order of a key, those with equal keys as they were: a radix sort of the doubles' bits, from the least
 * significant digit on. O(n), where a sort by a comparing function would call it twenty times for each of a million rows.
 */

/** Six digits a key, three of each word. So few values that their places stay in the cache. */
const DIGIT_BITS = 11;
const VALUES = 1 << DIGIT_BITS;
const WORD_SHIFTS = [0, DIGIT_BITS, 2 * DIGIT_BITS];
const SIGN = 0x8000_0000;

/** Keys as two words each that are ordered as the keys are, with the rows that they are of. */
interface Keyed {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  readonly row: Uint32Array;
}

/**
 * The rows of `order` (default: all of `keys`) by their keys, ascending; -0 is before 0, NaN at the end.
 * @param keys by row
 */
export function stableOrder(keys: Float64Array, order = rowsOf(keys.length)): Uint32Array {
  let from = keyed(keys, order);
  let to = keyColumns(order.length);
  for (const word of ['low', 'high'] as const) {
    for (const shift of WORD_SHIFTS) {
      if (sortByDigit(from, to, word, shift)) [from, to] = [to, from];
    }
  }
  return from.row;
}

function rowsOf(length: number): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}

function keyColumns(length: number): Keyed {
  return { low: new Uint32Array(length), high: new Uint32Array(length), row: new Uint32Array(length) };
}

/** Keys as unsigned integers of the same order: all bits of a negative one are flipped. */
function keyed(keys: Float64Array, order: Uint32Array): Keyed {
  const double = new Float64Array(1);
  const words = new Uint32Array(double.buffer);
  const { low, high, row } = keyColumns(order.length);
  row.set(order);
  for (let i = 0; i < order.length; i++) {
    // One NaN for all, as some have a sign: above infinity.
    double[0] = keys[order[i]];
    if (Number.isNaN(double[0])) words[1] = 0x7fff_ffff;
    const turned = words[1] >= SIGN ? 0xffff_ffff : 0;
    low[i] = words[0] ^ turned;
    high[i] = words[1] ^ (turned | SIGN);
  }
  return { low, high, row };
}

/** False: all have the same digit, and nothing was done. */
function sortByDigit(from: Keyed, to: Keyed, word: 'low' | 'high', shift: number): boolean {
  const { low, high, row } = from;
  const { low: toLow, high: toHigh, row: toRow } = to;
  const digits = from[word];
  const { length } = digits;
  const place = new Uint32Array(VALUES);
  for (let i = 0; i < length; i++) place[(digits[i] >>> shift) & (VALUES - 1)]++;
  if (place.includes(length)) return false;
  let behind = 0;
  for (let value = 0; value < VALUES; value++) {
    behind += place[value];
    place[value] = behind - place[value];
  }
  for (let i = 0; i < length; i++) {
    const at = place[(digits[i] >>> shift) & (VALUES - 1)]++;
    toLow[at] = low[i];
    toHigh[at] = high[i];
    toRow[at] = row[i];
  }
  return true;
}

/**
 * Orders rows by a key, stably: a radix sort of the doubles' bits, from the least significant digit on. O(n), where a
 * comparison sort would call a function twenty times for each of a million rows.
 */

/** Digits of each of the two words of a key. A digit has few values, so that their counters stay in the cache. */
const DIGITS = 3;
const DIGIT_BITS = 11;
const VALUES = 1 << DIGIT_BITS;
const SIGN = 0x8000_0000;

/** Number of rows up to which an insertion sort is used. */
const FEW = 32;

/** Keys as two words each, in the same order as the keys, with their rows. */
interface Keyed {
  readonly low: Uint32Array;
  readonly high: Uint32Array;
  readonly row: Uint32Array;
}

/**
 * The rows of `order` (default: all of `keys`) by ascending key; -0 before 0, NaN last.
 * @param keys by row
 */
export function stableOrder(keys: Float64Array, order?: ArrayLike<number>): Uint32Array {
  const rows = order === undefined ? rowsOf(keys.length) : new Uint32Array(order);
  const { length } = rows;
  let sorted = 1;
  while (sorted < length && isInOrder(keys[rows[sorted - 1]], keys[rows[sorted]])) sorted++;
  if (sorted >= length) return rows;
  if (length <= FEW) return sortFew(keys, rows, sorted);
  const counts = new Uint32Array(2 * DIGITS * VALUES);
  let from = keyed(keys, rows, counts);
  let to = keyColumns(length);
  for (let digit = 0; digit < 2 * DIGITS; digit++) {
    const place = counts.subarray(digit * VALUES, (digit + 1) * VALUES);
    // All have the same digit.
    if (place.includes(length)) continue;
    sortByDigit(from, to, digit < DIGITS ? from.low : from.high, (digit % DIGITS) * DIGIT_BITS, place);
    [from, to] = [to, from];
  }
  return from.row;
}

/**
 * The rows by key, and rows with equal keys by `compare`, stably.
 * @param keys without NaN
 */
export function orderBy(
  keys: Float64Array,
  compare: (a: number, b: number) => number,
  order?: ArrayLike<number>,
): Uint32Array {
  const rows = stableOrder(keys, order);
  for (let from = 0, to = 1; from < rows.length; from = to++) {
    while (to < rows.length && keys[rows[to]] === keys[rows[from]]) to++;
    if (to - from > 1) rows.subarray(from, to).sort(compare);
  }
  return rows;
}

function isInOrder(key: number, next: number): boolean {
  if (key < next || Number.isNaN(next)) return true;
  return key === next && (key !== 0 || Object.is(key, -0) || Object.is(next, 0));
}

/** Sorts rows of which the first `sorted` are sorted. */
function sortFew(keys: Float64Array, rows: Uint32Array, sorted: number): Uint32Array {
  for (let i = sorted; i < rows.length; i++) {
    const row = rows[i];
    let at = i;
    for (; at > 0 && !isInOrder(keys[rows[at - 1]], keys[row]); at--) rows[at] = rows[at - 1];
    rows[at] = row;
  }
  return rows;
}

function rowsOf(length: number): Uint32Array {
  const rows = new Uint32Array(length);
  for (let row = 0; row < length; row++) rows[row] = row;
  return rows;
}

function keyColumns(length: number): Keyed {
  return { low: new Uint32Array(length), high: new Uint32Array(length), row: new Uint32Array(length) };
}

/**
 * Keys as unsigned integers in the same order: all bits of a negative one are flipped. Counts the values of each digit.
 */
function keyed(keys: Float64Array, order: Uint32Array, counts: Uint32Array): Keyed {
  const double = new Float64Array(1);
  const words = new Uint32Array(double.buffer);
  const { low, high, row } = keyColumns(order.length);
  row.set(order);
  for (let i = 0; i < order.length; i++) {
    // All NaN become the same, above infinity, as some have a sign.
    double[0] = keys[order[i]];
    if (Number.isNaN(double[0])) words[1] = 0x7fff_ffff;
    const turned = words[1] >= SIGN ? 0xffff_ffff : 0;
    const ofLow = (low[i] = words[0] ^ turned);
    const ofHigh = (high[i] = words[1] ^ (turned | SIGN));
    for (let digit = 0; digit < DIGITS; digit++) {
      counts[digit * VALUES + ((ofLow >>> (digit * DIGIT_BITS)) & (VALUES - 1))]++;
      counts[(DIGITS + digit) * VALUES + ((ofHigh >>> (digit * DIGIT_BITS)) & (VALUES - 1))]++;
    }
  }
  return { low, high, row };
}

/** @param place number of keys by value of the digit; overwritten */
function sortByDigit(from: Keyed, to: Keyed, digits: Uint32Array, shift: number, place: Uint32Array): void {
  const { low, high, row } = from;
  const { low: toLow, high: toHigh, row: toRow } = to;
  let behind = 0;
  for (let value = 0; value < VALUES; value++) {
    behind += place[value];
    place[value] = behind - place[value];
  }
  for (let i = 0; i < row.length; i++) {
    const at = place[(digits[i] >>> shift) & (VALUES - 1)]++;
    toLow[at] = low[i];
    toHigh[at] = high[i];
    toRow[at] = row[i];
  }
}

/** Rows of a chunk (`engine/ctf/decode/rows/rows.ts`), read where the decoder left them. */
import { textAt } from './texts';

let times: usize = 0;
let kinds: usize = 0;
let classes: usize = 0;
let places: usize = 0;
let allWords: usize = 0;

export function openRows(
  timeColumn: usize,
  kindColumn: usize,
  classColumn: usize,
  placeColumn: usize,
  wordColumn: usize,
): void {
  times = timeColumn;
  kinds = kindColumn;
  classes = classColumn;
  places = placeColumn;
  allWords = wordColumn;
}

@inline
export function timeOf(row: i32): f64 {
  return load<f64>(times + (<usize>row << 3));
}

@inline
export function kindOf(row: i32): i32 {
  return load<u16>(kinds + (<usize>row << 1));
}

/** Index of its event class. */
@inline
export function classOf(row: i32): i32 {
  return load<u16>(classes + (<usize>row << 1));
}

/** Address of its words. */
@inline
export function wordsOf(row: i32): usize {
  return allWords + (<usize>load<u32>(places + (<usize>row << 2)) << 2);
}

/** A field of a kind in one number (`engine/analysis/compiled/row-kernel.ts`): word offset, and presence bit above it. */
@inline
export function hasField(words: usize, field: i32): bool {
  return ((load<u32>(words) >>> (field >>> 16)) & 1) === 1;
}

@inline
function fieldAt(words: usize, field: i32): usize {
  return words + (<usize>(field & 0xffff) << 2);
}

/** A 32-bit integer, or -1 when the event has no such field. */
@inline
export function intOf(words: usize, field: i32): i32 {
  return hasField(words, field) ? load<i32>(fieldAt(words, field)) : -1;
}

/** A signed 64-bit integer as JavaScript's number. */
@inline
export function wideOf(words: usize, field: i32, absent: f64): f64 {
  if (!hasField(words, field)) return absent;
  const at = fieldAt(words, field);
  return <f64>load<i32>(at, 4) * 4294967296.0 + <f64>load<u32>(at);
}

/** Digest of a 64-bit integer, of neighbours within 4 GiB a different one; 0 when the event has no such field. */
@inline
export function digestOfWide(words: usize, field: i32): i32 {
  if (!hasField(words, field)) return 0;
  const at = fieldAt(words, field);
  return load<i32>(at) ^ (load<i32>(at, 4) * <i32>0x9e3779b1);
}

/** Whether the event has an array of two 32-bit integers. */
@inline
export function hasPair(words: usize, field: i32): bool {
  return hasField(words, field) && textLength(words, field) === 8;
}

/** One of a pair of descriptors, in whichever order its bytes are: descriptors are small, so the smaller number is meant. */
@inline
export function descriptorOf(words: usize, field: i32, index: i32, base: usize): i32 {
  const value = load<u32>(textAddress(words, field, base) + (<usize>index << 2));
  return <i32>min(value, bswap(value));
}

/**
 * Index of a text, -1 when the event has no such field.
 * @param base what turns offsets of texts into addresses
 */
@inline
export function textOf(words: usize, field: i32, base: usize): i32 {
  return hasField(words, field) ? textAt(textAddress(words, field, base), textLength(words, field)) : -1;
}

@inline
export function textAddress(words: usize, field: i32, base: usize): usize {
  return base + load<u32>(fieldAt(words, field));
}

@inline
export function textLength(words: usize, field: i32): i32 {
  return load<i32>(fieldAt(words, field), 4);
}

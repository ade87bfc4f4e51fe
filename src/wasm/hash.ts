import { I32Column } from './columns';

/** Hashes for tables whose keys the input chooses: `engine/base/hash.ts`, whose factors these are. */

@external('env', 'hashFactor')
declare const hashFactor: i32;
@external('env', 'slotFactor')
declare const slotFactor: i32;

/** The same for words of 64 bits. */
const wideHashFactor: u64 = (<u64>(<u32>slotFactor) << 32) | <u32>hashFactor;
const wideSlotFactor: u64 = (<u64>(<u32>hashFactor) << 32) | <u32>slotFactor;

@inline
export function hashOf(word: i32): i32 {
  const product = word * hashFactor;
  const mixed = (product ^ (product >>> 16)) * <i32>0x85ebca6b;
  return (mixed ^ (mixed >>> 15)) * slotFactor;
}

@inline
export function firstSlot(hash: i32, mask: i32): i32 {
  return hash >>> clz(mask);
}

/** Hash of a word of 64 bits, made as by `hashOf`; kernels alone need it. */
@inline
export function wideHashOf(word: u64): u64 {
  const product = word * wideHashFactor;
  return (product ^ (product >>> 32)) * wideSlotFactor;
}

@inline
export function firstSlotOfWide(hash: u64, mask: i32): i32 {
  return firstSlot(<i32>(hash >>> 32), mask);
}

/** The value of `key`, -1 when it has none. */
@inline
export function findInt(keys: I32Column, values: I32Column, mask: i32, key: i32): i32 {
  return values[slotOf(keys, values, mask, key)];
}

/** Gives `key` a value ≥ 0, perhaps instead of an earlier one; there must be more slots than keys. True: it is new. */
@inline
export function putInt(keys: I32Column, values: I32Column, mask: i32, key: i32, value: i32): bool {
  const slot = slotOf(keys, values, mask, key);
  const isNew = values[slot] < 0;
  keys[slot] = key;
  values[slot] = value;
  return isNew;
}

@inline
function slotOf(keys: I32Column, values: I32Column, mask: i32, key: i32): i32 {
  let slot = firstSlot(hashOf(key), mask);
  while (values[slot] >= 0 && keys[slot] !== key) slot = (slot + 1) & mask;
  return slot;
}

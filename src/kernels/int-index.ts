/** Maps from integers to rows: `engine/kernel/int-index.ts`. */
import { i32At, setI32 } from './columns';
import { firstSlot, hashOf } from './hash';

/** The value of `key`, -1 when it has none. */
@inline
export function findInt(keys: usize, values: usize, mask: i32, key: i32): i32 {
  return i32At(values, slotOf(keys, values, mask, key));
}

/** Gives `key` a value ≥ 0, perhaps instead of an earlier one; there must be more slots than keys. True: it is new. */
@inline
export function putInt(keys: usize, values: usize, mask: i32, key: i32, value: i32): bool {
  const slot = slotOf(keys, values, mask, key);
  const isNew = i32At(values, slot) < 0;
  setI32(keys, slot, key);
  setI32(values, slot, value);
  return isNew;
}

@inline
function slotOf(keys: usize, values: usize, mask: i32, key: i32): i32 {
  let slot = firstSlot(hashOf(key), mask);
  while (i32At(values, slot) >= 0 && i32At(keys, slot) !== key) slot = (slot + 1) & mask;
  return slot;
}

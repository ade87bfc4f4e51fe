/** Maps from integers to rows: `engine/analysis/compiled/int-index.ts`. */
import { I32Column } from './columns';
import { firstSlot, hashOf } from './hash';

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

/** Maps from integers to rows: `engine/kernel/int-index.ts`. */
import { i32At, setI32 } from '../columns';

/** The value of `key`, -1 when it has none. */
@inline
export function findInt(keys: usize, values: usize, mask: i32, key: i32): i32 {
  return i32At(values, slotOf(keys, values, mask, key));
}

/** Gives `key` a value instead of an earlier one, or as one of `size` keys: there is room for it. */
export function putInt(keys: usize, values: usize, mask: i32, size: usize, key: i32, value: i32): void {
  const slot = slotOf(keys, values, mask, key);
  if (i32At(values, slot) < 0) store<i32>(size, load<i32>(size) + 1);
  setI32(keys, slot, key);
  setI32(values, slot, value);
}

/** Whether one more key fits. */
@inline
export function takesInt(mask: i32, size: usize): bool {
  return 2 * (load<i32>(size) + 1) <= mask;
}

@inline
function slotOf(keys: usize, values: usize, mask: i32, key: i32): i32 {
  let slot = ((key * <i32>0x9e3779b1) >>> 7) & mask;
  while (i32At(values, slot) >= 0 && i32At(keys, slot) !== key) slot = (slot + 1) & mask;
  return slot;
}

/** Maps from integers to rows: `engine/kernel/int-index.ts`. */
import { i32At } from '../columns';

/** The value of `key`, -1 when it has none. */
@inline
export function findInt(keys: usize, values: usize, mask: i32, key: i32): i32 {
  let slot = ((key * <i32>0x9e3779b1) >>> 7) & mask;
  while (true) {
    const value = i32At(values, slot);
    if (value < 0 || i32At(keys, slot) === key) return value;
    slot = (slot + 1) & mask;
  }
}

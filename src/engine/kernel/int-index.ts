/**
 * A map from integers to dense indices for hot loops: open addressing over typed arrays, linear probing, at most half
 * full. Needs memory for the keys present only, whatever their values (thread ids in a trace can be anything).
 */
export interface IntIndex {
  size: number;
  /** Capacity − 1; the capacity is a power of two. */
  mask: number;
  keys: Int32Array;
  /** −1: free. */
  values: Int32Array;
}

/** Capacity for a start of which nothing is known. It grows at once: see `columns.ts` why that is good. */
export const FEW = 2;

export function createIntIndex(capacity = 1024): IntIndex {
  return {
    size: 0,
    mask: capacity - 1,
    keys: new Int32Array(capacity),
    values: new Int32Array(capacity).fill(-1),
  };
}

function slotOf(index: IntIndex, key: number): number {
  const { mask, keys, values } = index;
  let slot = (Math.imul(key, 0x9e3779b1) >>> 7) & mask;
  while (values[slot] >= 0 && keys[slot] !== key) slot = (slot + 1) & mask;
  return slot;
}

/** The value of `key`, −1 when it has none. */
export function findInt(index: IntIndex, key: number): number {
  return index.values[slotOf(index, key)];
}

/** Gives `key` a value ≥ 0, replacing an earlier one. */
export function putInt(index: IntIndex, key: number, value: number): void {
  const slot = slotOf(index, key);
  if (index.values[slot] < 0) index.size++;
  index.keys[slot] = key;
  index.values[slot] = value;
  if (index.size * 2 > index.mask) grow(index);
}

function grow(index: IntIndex): void {
  const { keys, values } = index;
  const wider = createIntIndex((index.mask + 1) * 2);
  for (let i = 0; i < values.length; i++) {
    if (values[i] < 0) continue;
    const slot = slotOf(wider, keys[i]);
    wider.keys[slot] = keys[i];
    wider.values[slot] = values[i];
  }
  index.mask = wider.mask;
  index.keys = wider.keys;
  index.values = wider.values;
}

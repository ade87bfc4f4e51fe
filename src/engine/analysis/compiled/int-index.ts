/**
 * A map from integers to dense indices for hot loops: open addressing over typed arrays, linear probing, at most half
 * full. Needs memory for the keys present only, whatever their values (thread ids in a trace can be anything), and a few
 * probes for each.
 */
import { firstSlot, hashOf } from '../../base/hash.ts';
import { i32, type TableMemory } from '../../base/tables.ts';

export const INDEX = { keys: i32(), values: i32(-1) };
export const SIZE = { keys: i32() };

export interface IntIndex {
  /** Keys in order of insertion, in one row. */
  readonly size: { keys: Int32Array };
  /** Capacity − 1; the capacity is a power of two. */
  mask: number;
  keys: Int32Array;
  /** −1: free. */
  values: Int32Array;
  /** Memory of the columns, if kernels share them. */
  readonly memory: TableMemory | undefined;
}

export function createIntIndex(capacity: number, memory?: TableMemory): IntIndex {
  const size = memory?.table(SIZE, 1) ?? { keys: new Int32Array(1) };
  const others = { size, mask: capacity - 1, memory };
  return memory?.table(INDEX, capacity, others) ?? { ...columnsOf(capacity), ...others };
}

function columnsOf(capacity: number): Pick<IntIndex, 'keys' | 'values'> {
  return { keys: new Int32Array(capacity), values: new Int32Array(capacity).fill(-1) };
}

function slotOf(index: IntIndex, key: number): number {
  const { mask, keys, values } = index;
  let slot = firstSlot(hashOf(key), mask);
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
  const { keys: size } = index.size;
  if (index.values[slot] < 0) size[0]++;
  index.keys[slot] = key;
  index.values[slot] = value;
  if (size[0] * 2 > index.mask) grow(index);
}

function grow(index: IntIndex): void {
  const keys = index.keys.slice();
  const values = index.values.slice();
  const capacity = 2 * values.length;
  index.mask = capacity - 1;
  if (index.memory === undefined) Object.assign(index, columnsOf(capacity));
  else index.memory.widen(index, capacity);
  index.values.fill(-1);
  for (let i = 0; i < values.length; i++) {
    if (values[i] < 0) continue;
    const slot = slotOf(index, keys[i]);
    index.keys[slot] = keys[i];
    index.values[slot] = values[i];
  }
}

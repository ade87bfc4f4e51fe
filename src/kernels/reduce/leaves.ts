/**
 * The total order over the leaves of several streams, as `engine/analysis/merge-runs.ts` makes it: a list of the leaves
 * by their next transitions, of which the first goes on as long as it comes before the second. A list and no heap: there
 * are few leaves, and of the steps to a leaf's new place a processor guesses all but the last.
 */
import { columnOf, i32At, setI32 } from '../columns';

// Bytes of a leaf, side by side (`engine/kernel/reduce/wasm-reducer.ts`): addresses of the columns of its transitions, of
// its first argument, of the indices of its texts, and of its packets.
export const TIME: usize = 0;
export const KIND: usize = 4;
export const CPU: usize = 8;
export const PLACE: usize = 12;
export const ARGS: usize = 16;
export const TEXTS: usize = 20;
export const PACKET_KIND: usize = 24;
export const PACKET_KEY: usize = 28;
/** Next transition, and how many there are. */
export const AT: usize = 32;
export const TO: usize = 36;
/** Of its stream in the total order. */
const ORDER: usize = 40;
/** CPU of the transition before: its number and its row, -1 not known. */
export const CPU_NUMBER: usize = 44;
export const CPU_ROW: usize = 48;
/** f64: time of the next transition, as it was when the list was last in order. */
const KEY: usize = 56;
const LEAF_SHIFT: usize = 6;

let leaf: usize = 0;
/** i32: addresses of leaves. */
let list: usize = 0;
let count: i32 = 0;

/** Directory of the table of leaves. */
export function placeLeaves(table: usize): void {
  leaf = columnOf(table, 0);
  list = columnOf(table, 1);
}

/** Begins with the first `leaves` rows, each of which has a next transition. */
export function begin(leaves: i32): void {
  count = leaves;
  for (let row = leaves - 1; row >= 0; row--) {
    const address = leaf + (<usize>row << LEAF_SHIFT);
    store<i32>(address, -1, CPU_ROW);
    insert(address, row);
  }
}

/** Row of a leaf. */
@inline
export function rowOf(address: usize): i32 {
  return <i32>((address - leaf) >> LEAF_SHIFT);
}

/** The leaf that was first when the list was last in order. */
@inline
export function first(): usize {
  return <usize>i32At(list, 0);
}

@inline
export function isDone(address: usize): bool {
  return load<i32>(address, AT) === load<i32>(address, TO);
}

/** The first leaf has gone on. */
@inline
export function reorder(): void {
  insert(first(), 0);
}

/** Puts a leaf before those behind `place` that come later. */
function insert(address: usize, place: i32): void {
  const key = load<f64>(<usize>load<i32>(address, TIME) + (<usize>load<i32>(address, AT) << 3));
  store<f64>(address, key, KEY);
  for (; place + 1 < count; place++) {
    const next = <usize>i32At(list, place + 1);
    if (isBefore(address, load<f64>(next, KEY), load<i32>(next, ORDER))) break;
    setI32(list, place, <i32>next);
  }
  setI32(list, place, <i32>address);
}

/** Whether the next transition of a leaf lies before this place in the total order. */
@inline
export function isBefore(address: usize, time: f64, order: f64): bool {
  const key = load<f64>(address, KEY);
  return key < time || (key === time && <f64>load<i32>(address, ORDER) < order);
}

/** Where the first leaf's run ends: time of what comes second, at most `limit`. */
@inline
export function endOfRun(limit: f64): f64 {
  return count > 1 ? min(limit, load<f64>(<usize>i32At(list, 1), KEY)) : limit;
}

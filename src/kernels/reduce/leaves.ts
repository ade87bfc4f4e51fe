/**
 * The total order over the leaves of several streams, as `engine/analysis/merge-runs.ts` makes it: a heap of the leaves
 * by their next transitions, of which the first goes on as long as it comes before the second.
 */
import { columnOf, f64At, i32At, setF64, setI32 } from '../columns';

// i32 by row: addresses of the columns of its transitions, of the indices of its texts, and of its packets.
export let time: usize = 0;
export let kind: usize = 0;
export let cpu: usize = 0;
export let args: usize = 0;
export let texts: usize = 0;
export let packetKind: usize = 0;
export let packetKey: usize = 0;
/** i32: next transition, and how many there are. */
export let at: usize = 0;
export let to: usize = 0;
export let order: usize = 0;
/** Time of the next transition, as it was when the heap was last in order. */
let key: usize = 0;
let heap: usize = 0;
let count: i32 = 0;

/** Directory of the table of leaves. */
export function placeLeaves(table: usize): void {
  time = columnOf(table, 0);
  kind = columnOf(table, 1);
  cpu = columnOf(table, 2);
  args = columnOf(table, 3);
  texts = columnOf(table, 4);
  packetKind = columnOf(table, 5);
  packetKey = columnOf(table, 6);
  at = columnOf(table, 7);
  to = columnOf(table, 8);
  order = columnOf(table, 9);
  key = columnOf(table, 10);
  heap = columnOf(table, 11);
}

/** Begins with the first `leaves` rows, each of which has a next transition. */
export function begin(leaves: i32): void {
  count = leaves;
  for (let row = 0; row < leaves; row++) {
    setI32(heap, row, row);
    setKey(row);
  }
  for (let place = (leaves >> 1) - 1; place >= 0; place--) siftDown(place);
}

/** Where the first row's run ends: the least of what the other rows tell, and what was given. */
export let limitTime: f64 = 0;
export let limitOrder: f64 = 0;

export function limitBy(limit: f64, limitingOrder: f64): void {
  limitTime = limit;
  limitOrder = limitingOrder;
  if (count > 1) limitByRow(i32At(heap, 1));
  if (count > 2) limitByRow(i32At(heap, 2));
}

@inline
function limitByRow(row: i32): void {
  if (!isBeforeLimit(row)) return;
  limitTime = f64At(key, row);
  limitOrder = f64At(order, row);
}

@inline
export function isBeforeLimit(row: i32): bool {
  const next = f64At(key, row);
  return next < limitTime || (next === limitTime && f64At(order, row) < limitOrder);
}

/** The row that was first when the heap was last in order. */
@inline
export function first(): i32 {
  return i32At(heap, 0);
}

@inline
export function isDone(row: i32): bool {
  return i32At(at, row) === i32At(to, row);
}

/** The first row has gone on. */
export function reorder(): void {
  setKey(first());
  siftDown(0);
}

@inline
function setKey(row: i32): void {
  setF64(key, row, f64At(i32At(time, row), i32At(at, row)));
}

@inline
function isBefore(a: i32, b: i32): bool {
  const keyOfA = f64At(key, a);
  const keyOfB = f64At(key, b);
  return keyOfA < keyOfB || (keyOfA === keyOfB && f64At(order, a) < f64At(order, b));
}

function siftDown(from: i32): void {
  let place = from;
  const row = i32At(heap, place);
  while (2 * place + 1 < count) {
    let child = 2 * place + 1;
    if (child + 1 < count && isBefore(i32At(heap, child + 1), i32At(heap, child))) child++;
    const other = i32At(heap, child);
    if (!isBefore(other, row)) break;
    setI32(heap, place, other);
    place = child;
  }
  setI32(heap, place, row);
}

/**
 * Blocking matrix for the page: who made whom wait, threads in order of blame, those beyond the first ones summed up.
 */
import type { BlockingMatrix, ThreadIndex } from '../../protocol/locks.ts';

/** Maximum number of threads of a side that are shown one by one. */
const MOST = 16;

/** A line of a side: a thread; -1: unknown; -2: all threads that are not shown one by one. */
export type Side = ThreadIndex;
export const NOBODY_KNOWN = -1;
export const OTHERS = -2;

export interface MatrixView {
  readonly waiters: readonly Side[];
  readonly holders: readonly Side[];
  /** ns and waits by waiter and holder: [waiter · holders + holder]. A wait for two holders counts for each. */
  readonly ns: Float64Array;
  readonly waits: Float64Array;
  /** ns of the largest cell. */
  readonly most: number;
  /** Number of threads summed up in OTHERS of each side. */
  readonly otherWaiters: number;
  readonly otherHolders: number;
}

/** @param threads number of threads that the indices of the matrix refer to */
export function matrixView(matrix: BlockingMatrix, threads: number): MatrixView {
  const { blame, waited } = timesOf(matrix, threads);
  // First the threads that others waited for longest, then those that waited longest.
  const order = [...blame.keys()].sort((a, b) => blame[b] - blame[a] || waited[b] - waited[a] || a - b);
  const waiters = order.filter((thread) => waited[thread] > 0);
  const holders: Side[] = order.filter((thread) => blame[thread] > 0);
  const isUnknown = matrix.holder.subarray(0, matrix.length).includes(NOBODY_KNOWN);
  const [rows, rowOf] = side(waiters, threads);
  const [columns, columnOf] = side(holders, threads);
  const unknownColumn = isUnknown ? columns.push(NOBODY_KNOWN) - 1 : -1;
  const ns = new Float64Array(rows.length * columns.length);
  const waits = new Float64Array(rows.length * columns.length);
  for (let i = 0; i < matrix.length; i++) {
    const holder = matrix.holder[i];
    const cell = rowOf[matrix.waiter[i]] * columns.length + (holder < 0 ? unknownColumn : columnOf[holder]);
    ns[cell] += matrix.ns[i];
    waits[cell] += matrix.waits[i];
  }
  return {
    waiters: rows,
    holders: columns,
    ns,
    waits,
    most: ns.reduce((most, value) => Math.max(most, value), 0),
    otherWaiters: Math.max(0, waiters.length - MOST),
    otherHolders: Math.max(0, holders.length - MOST),
  };
}

/** ns for which others waited for each thread, and for which it waited itself. */
export function timesOf({ length, waiter, holder, ns }: BlockingMatrix, threads: number) {
  const blame = new Float64Array(threads);
  const waited = new Float64Array(threads);
  for (let i = 0; i < length; i++) {
    waited[waiter[i]] += ns[i];
    if (holder[i] >= 0) blame[holder[i]] += ns[i];
  }
  return { blame, waited };
}

/** The lines of a side, and the line of each thread. */
function side(shown: readonly ThreadIndex[], threads: number): [Side[], Int32Array] {
  const first: Side[] = shown.slice(0, MOST);
  const lineOf = new Int32Array(threads).fill(first.length);
  first.forEach((thread, i) => (lineOf[thread] = i));
  if (shown.length > MOST) first.push(OTHERS);
  return [first, lineOf];
}

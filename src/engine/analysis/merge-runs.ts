/**
 * K-way merge of transition leaves: from leaves that arrive in any order to runs of transitions in the one total order
 * (time, order of the source, position). A run is as long as its source stays least, so that the cost per transition is
 * one comparison with the second least.
 *
 * The merge key of a transition is the greatest time so far in its source, packets' begins and first events included,
 * which the merger writes into the leaf: a stream whose time goes back keeps its own order. A source whose next leaf
 * has not arrived holds the others back at the time before which that leaf changes nothing.
 */
import { freeBuffers } from '../base/buffers.ts';
import type { MergedChunk, Reducer, TransitionChunk } from './contract.ts';

export interface RunSource {
  /** Ties in time go to the lesser; unique. */
  readonly order: number;
  /** Lower bound of the times of each leaf, in sequence; -Infinity: unknown. Undefined: it is not known how many will come. */
  readonly bounds: readonly number[] | undefined;
}

/** Takes the columns of a leaf that nobody reads any more. */
export type TakeSpent = (leaf: TransitionChunk) => void;

export type EmitRun = (source: number, leaf: TransitionChunk, from: number, to: number) => void;

export interface RunMerger {
  /**
   * Takes over the leaf: its times are changed, and its columns are given away when it is consumed.
   * @param floor nothing of the leaves after it changes anything earlier
   */
  put(source: number, sequence: number, leaf: TransitionChunk, floor?: number): void;
  /** Emits what is certain by now; nothing before the time returned will come. Infinity: all is emitted. */
  drain(): number;
}

interface Cursor {
  readonly source: number;
  readonly order: number;
  readonly bounds: readonly number[];
  /** Leaves in all. */
  readonly count: number;
  readonly spent: TakeSpent;
  readonly waiting: Map<number, { readonly leaf: TransitionChunk; readonly floor: number }>;
  /** Sequence number of the leaf after `leaf`. */
  next: number;
  leaf: TransitionChunk | undefined;
  /** Floor of `leaf`. */
  floor: number;
  at: number;
  /** Merge key of the transition at `at`; without a leaf, the least that the next one can have. */
  key: number;
}

/** @param merge takes transitions of several leaves at once; default: they are emitted run by run */
export function createRunMerger(
  sources: readonly RunSource[],
  emit: EmitRun,
  merge?: Reducer<TransitionChunk>['merge'],
  spent: TakeSpent = freeBuffers,
): RunMerger {
  const cursors = sources.map(({ order, bounds: known }, source): Cursor => {
    const bounds = known ?? [-Infinity];
    return {
      source,
      order,
      bounds,
      count: known === undefined ? Infinity : bounds.length,
      spent,
      waiting: new Map(),
      next: 0,
      leaf: undefined,
      floor: -Infinity,
      at: 0,
      key: bounds[0] ?? Infinity,
    };
  });
  const heap: Cursor[] = [];
  for (const cursor of cursors) if (cursor.count > 0) insert(heap, cursor);

  return {
    put(source, sequence, leaf, floor = -Infinity) {
      cursors[source].waiting.set(sequence, { leaf, floor });
    },
    drain() {
      while (heap.length > 0) {
        const cursor = heap[0];
        if (cursor.leaf !== undefined && merge !== undefined) mergeLoaded(heap, merge);
        else if (cursor.leaf !== undefined) runOf(cursor, secondOf(heap), emit);
        else if (cursor.next === cursor.count) removeFirst(heap);
        else if (!load(cursor)) return cursor.key;
        siftDown(heap);
      }
      return Infinity;
    },
  };
}

/** Emits from the least cursor up to the second least, and goes on to the next leaf when this one is done. */
function runOf(cursor: Cursor, second: Cursor | undefined, emit: EmitRun): void {
  const { leaf, at: from, source, order } = cursor;
  if (leaf === undefined) return;
  const { time, length } = leaf;
  const limit = second?.key ?? Infinity;
  const wins = second === undefined || order < second.order;
  let to = from;
  if (second === undefined) to = length;
  else if (wins) while (to < length && time[to] <= limit) to++;
  else while (to < length && time[to] < limit) to++;
  if (to > from) emit(source, leaf, from, to);
  cursor.at = to;
  renewKey(cursor, leaf);
}

/**
 * Leaves that are merged at once, at most. Each call of `merge` costs something for each of its leaves: with all leaves in
 * every call, the time would be quadratic in the number of streams.
 */
const MOST_MERGED = 64;

/** Has the leaves that come first taken as far as the order is certain, or until one of them is done. */
function mergeLoaded(heap: Cursor[], merge: NonNullable<Reducer<TransitionChunk>['merge']>): void {
  const leaves: (Cursor & MergedChunk<TransitionChunk>)[] = [];
  for (let first = heap.at(0); leaves.length < MOST_MERGED && first && isLoaded(first); first = heap.at(0)) {
    leaves.push(first);
    removeFirst(heap);
    siftDown(heap);
  }
  const next = heap.at(0);
  merge(leaves, { time: next?.key ?? Infinity, order: next?.order ?? Infinity });
  for (const cursor of leaves) {
    renewKey(cursor, cursor.leaf);
    insert(heap, cursor);
  }
}

function isLoaded(cursor: Cursor): cursor is Cursor & MergedChunk<TransitionChunk> {
  return cursor.leaf !== undefined;
}

/** Transitions of the cursor's leaf were taken, up to `at`. */
function renewKey(cursor: Cursor, leaf: TransitionChunk): void {
  const { time, length } = leaf;
  if (cursor.at < length) {
    cursor.key = time[cursor.at];
  } else {
    finishLeaf(cursor, length > 0 ? time[length - 1] : cursor.key);
    cursor.spent(leaf);
  }
}

function finishLeaf(cursor: Cursor, key: number): void {
  cursor.leaf = undefined;
  cursor.key = Math.max(key, cursor.floor, cursor.bounds[cursor.next] ?? -Infinity);
}

/** Takes the next leaf, if it has arrived, and lifts its times to the cursor's key. */
function load(cursor: Cursor): boolean {
  const next = cursor.waiting.get(cursor.next);
  if (next === undefined) return false;
  cursor.waiting.delete(cursor.next);
  cursor.next++;
  const { leaf } = next;
  cursor.floor = next.floor;
  const { time, length } = leaf;
  for (let i = 0; i < length && !(time[i] >= cursor.key); i++) time[i] = cursor.key;
  if (length === 0) finishLeaf(cursor, cursor.key);
  else {
    cursor.leaf = leaf;
    cursor.at = 0;
    cursor.key = time[0];
  }
  return true;
}

function isBefore(a: Cursor, b: Cursor): boolean {
  return a.key < b.key || (a.key === b.key && a.order < b.order);
}

/** The second least is one of the root's two children. */
function secondOf(heap: readonly Cursor[]): Cursor | undefined {
  if (heap.length < 3) return heap[1];
  return isBefore(heap[1], heap[2]) ? heap[1] : heap[2];
}

function removeFirst(heap: Cursor[]): void {
  const last = heap.pop();
  if (last !== undefined && heap.length > 0) heap[0] = last;
}

function insert(heap: Cursor[], cursor: Cursor): void {
  let at = heap.push(cursor) - 1;
  for (let parent = (at - 1) >> 1; at > 0 && isBefore(cursor, heap[parent]); parent = (at - 1) >> 1) {
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = cursor;
}

/** Moves the first one to its place. */
function siftDown(heap: Cursor[]): void {
  let at = 0;
  while (2 * at + 1 < heap.length) {
    let child = 2 * at + 1;
    if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
    if (!isBefore(heap[child], heap[at])) return;
    [heap[at], heap[child]] = [heap[child], heap[at]];
    at = child;
  }
}

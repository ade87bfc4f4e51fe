/**
 * K-way merge of transitions: from chunk results that arrive in any order to runs of transitions in the one total order
 * (time, order of the source, position). A run is as long as its source stays least, so that the cost per transition is
 * one comparison with the second least. The merge key of a transition is the greatest time so far in its source, packets'
 * begins and first events included, which the merger writes into the chunk result: a stream whose time goes back keeps its
 * own order. A source whose next chunk result has not arrived holds the others back at the time before which it changes
 * nothing.
 */
import { freeBuffers } from '../base/buffers.ts';
import type { MergedChunk, Reducer, TransitionChunk } from './contract.ts';

export interface RunSource {
  /** Breaks ties in time, the lesser first; unique. */
  readonly order: number;
  /**
   * Lower bound of the times of each chunk result, in sequence; -Infinity: unknown. Undefined: their number is unknown.
   */
  readonly bounds: readonly number[] | undefined;
}

/** Takes the columns of a chunk result that is no longer read. */
export type TakeSpent = (chunkResult: TransitionChunk) => void;

export type EmitRun = (source: number, chunkResult: TransitionChunk, from: number, to: number) => void;

export interface RunMerger {
  /**
   * Takes over the chunk result: its times are changed, and its columns are given away when it is used up.
   * @param floor lower bound of the merge keys of all later chunk results of the source
   */
  put(source: number, sequence: number, chunkResult: TransitionChunk, floor?: number): void;
  /** Emits what is certain so far; the time before which nothing more will come. Infinity: all is emitted. */
  drain(): number;
}

interface Cursor {
  readonly source: number;
  readonly order: number;
  readonly bounds: readonly number[];
  /** Number of chunk results in all. */
  readonly count: number;
  readonly spent: TakeSpent;
  readonly waiting: Map<number, { readonly chunkResult: TransitionChunk; readonly floor: number }>;
  /** Sequence number of the chunk result after `chunkResult`. */
  next: number;
  chunkResult: TransitionChunk | undefined;
  /** Floor of `chunkResult`. */
  floor: number;
  at: number;
  /** Merge key of the transition at `at`; without a chunk result, the least key that the next one can have. */
  key: number;
}

/** @param merge takes transitions of several chunk results at once; default: runs are emitted one by one */
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
      chunkResult: undefined,
      floor: -Infinity,
      at: 0,
      key: bounds[0] ?? Infinity,
    };
  });
  const heap: Cursor[] = [];
  for (const cursor of cursors) if (cursor.count > 0) insert(heap, cursor);

  return {
    put(source, sequence, chunkResult, floor = -Infinity) {
      cursors[source].waiting.set(sequence, { chunkResult, floor });
    },
    drain() {
      while (heap.length > 0) {
        const cursor = heap[0];
        if (cursor.chunkResult !== undefined && merge !== undefined) mergeLoaded(heap, merge);
        else if (cursor.chunkResult !== undefined) runOf(cursor, secondOf(heap), emit);
        else if (cursor.next === cursor.count) removeFirst(heap);
        else if (!load(cursor)) return cursor.key;
        siftDown(heap);
      }
      return Infinity;
    },
  };
}

/**
 * Emits a run from the least cursor up to the second least, and loads the next chunk result when this one is used up.
 */
function runOf(cursor: Cursor, second: Cursor | undefined, emit: EmitRun): void {
  const { chunkResult, at: from, source, order } = cursor;
  if (chunkResult === undefined) return;
  const { time, length } = chunkResult;
  const limit = second?.key ?? Infinity;
  const wins = second === undefined || order < second.order;
  let to = from;
  if (second === undefined) to = length;
  else if (wins) while (to < length && time[to] <= limit) to++;
  else while (to < length && time[to] < limit) to++;
  if (to > from) emit(source, chunkResult, from, to);
  cursor.at = to;
  renewKey(cursor, chunkResult);
}

/**
 * Chunk results that are merged at once, at most. Each call of `merge` costs something for each of its chunk results: with
 * all chunk results in every call, the time would be quadratic in the number of streams.
 */
const MOST_MERGED = 64;

/** Merges the chunk results that come first as far as the order is certain, or until one of them is used up. */
function mergeLoaded(heap: Cursor[], merge: NonNullable<Reducer<TransitionChunk>['merge']>): void {
  const chunkResults: (Cursor & MergedChunk<TransitionChunk>)[] = [];
  for (
    let first = heap.at(0);
    chunkResults.length < MOST_MERGED && first && isLoaded(first);
    first = heap.at(0)
  ) {
    chunkResults.push(first);
    removeFirst(heap);
    siftDown(heap);
  }
  const next = heap.at(0);
  merge(chunkResults, { time: next?.key ?? Infinity, order: next?.order ?? Infinity });
  for (const cursor of chunkResults) {
    renewKey(cursor, cursor.chunkResult);
    insert(heap, cursor);
  }
}

function isLoaded(cursor: Cursor): cursor is Cursor & MergedChunk<TransitionChunk> {
  return cursor.chunkResult !== undefined;
}

/** Renews the cursor's key after transitions up to `at` were taken. */
function renewKey(cursor: Cursor, chunkResult: TransitionChunk): void {
  const { time, length } = chunkResult;
  if (cursor.at < length) {
    cursor.key = time[cursor.at];
  } else {
    finishChunk(cursor, length > 0 ? time[length - 1] : cursor.key);
    cursor.spent(chunkResult);
  }
}

function finishChunk(cursor: Cursor, key: number): void {
  cursor.chunkResult = undefined;
  cursor.key = Math.max(key, cursor.floor, cursor.bounds[cursor.next] ?? -Infinity);
}

/** Loads the next chunk result, if it has arrived, and raises its times to the cursor's key. */
function load(cursor: Cursor): boolean {
  const next = cursor.waiting.get(cursor.next);
  if (next === undefined) return false;
  cursor.waiting.delete(cursor.next);
  cursor.next++;
  const { chunkResult } = next;
  cursor.floor = next.floor;
  const { time, length } = chunkResult;
  for (let i = 0; i < length && !(time[i] >= cursor.key); i++) time[i] = cursor.key;
  if (length === 0) finishChunk(cursor, cursor.key);
  else {
    cursor.chunkResult = chunkResult;
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

/** Moves the first cursor down to its place in the heap. */
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

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
  /** Ties in time go to the lesser; unique. */
  readonly order: number;
  /**
   * Lower bound of the times of each chunk result, in sequence; -Infinity: unknown. Undefined: it is not known how many
   * will come.
   */
  readonly bounds: readonly number[] | undefined;
}

/** Takes the columns of a chunk result that nobody reads any more. */
export type TakeSpent = (chunkResult: TransitionChunk) => void;

export type EmitRun = (source: number, chunkResult: TransitionChunk, from: number, to: number) => void;

export interface RunMerger {
  /**
   * Takes over the chunk result: its times are changed, and its columns are given away when it is consumed.
   * @param floor nothing of the chunk results after it changes anything earlier
   */
  put(source: number, sequence: number, chunkResult: TransitionChunk, floor?: number): void;
  /** Emits what is certain by now; nothing before the time returned will come. Infinity: all is emitted. */
  drain(): number;
}

interface Cursor {
  readonly source: number;
  readonly order: number;
  readonly bounds: readonly number[];
  /** Chunk results in all. */
  readonly count: number;
  readonly spent: TakeSpent;
  readonly waiting: Map<number, { readonly chunkResult: TransitionChunk; readonly floor: number }>;
  /** Sequence number of the chunk result after `chunkResult`. */
  next: number;
  chunkResult: TransitionChunk | undefined;
  /** Floor of `chunkResult`. */
  floor: number;
  at: number;
  /** Merge key of the transition at `at`; without a chunk result, the least that the next one can have. */
  key: number;
}

/** @param merge takes transitions of several chunk results at once; default: they are emitted run by run */
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

/** Emits from the least cursor up to the second least, and goes on to the next chunk result when this one is done. */
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

/** Has the chunk results that come first taken as far as the order is certain, or until one of them is done. */
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

/** Transitions of the cursor's chunk result were taken, up to `at`. */
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

/** Takes the next chunk result, if it has arrived, and lifts its times to the cursor's key. */
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

/** The threads of a chunk, each with a row of its own in the tables of its reader. */
import { INDEX } from '../../engine/analysis/compiled/int-index';
import { I32Column } from '../columns';
import { findInt, putInt } from '../int-index';

/** tid → row. */
let keys: I32Column = changetype<I32Column>(0);
let values: I32Column = changetype<I32Column>(0);
let mask: i32 = 0;

export let threads: i32 = 0;
let isFull: bool = false;

/** Begins without any. @param index twice as many slots as there may be threads, a power of two; all values are -1 */
export function openThreads(index: INDEX): void {
  keys = index.keys;
  values = index.values;
  mask = index.capacity - 1;
  threads = 0;
  isFull = false;
}

/** Whether there was one too many. */
export function threadsAreFull(): bool {
  return isFull;
}

/** The row of a thread, -1 at its first mention. */
@inline
export function findThread(tid: i32): i32 {
  return findInt(keys, values, mask, tid);
}

/** A row for a thread that has none; -1: there is none left. */
export function addThread(tid: i32): i32 {
  if (threads > mask >> 1) {
    isFull = true;
    return -1;
  }
  putInt(keys, values, mask, tid, threads);
  return threads++;
}

/** Chunk results of the analysis of memory (`memory.ts`). */
import { trimmed } from '../../../base/columns.ts';
import { f64, i32, joinTables, type ReadRows, type Table, tableOf } from '../../../base/tables.ts';
import type { StreamPart } from '../../../analysis/stream-merge.ts';
import { THREAD_ELSEWHERE, THREAD_LOST, THREAD_NEXT, THREAD_OPEN } from '../../events/values.ts';

/** Sums counted by thread. Pages are the kernel's, on most machines of 4 KiB. */
const MEMORY_SUMS = {
  allocatedPages: f64(),
  freedPages: f64(),
  allocatedObjects: f64(),
  /** Bytes of objects, as rounded up by the allocator. */
  objectBytes: f64(),
  freedObjects: f64(),
  userFaults: f64(),
  kernelFaults: f64(),
};

export type MemorySum = keyof typeof MEMORY_SUMS;
export const MEMORY_SUM_NAMES = Object.keys(MEMORY_SUMS) as readonly MemorySum[];

export const MEMORY = {
  /** tid, or THREAD_OPEN, THREAD_NEXT, THREAD_LOST, THREAD_ELSEWHERE. */
  tid: i32(),
  /** HostNs of the first event if the thread is open, next or elsewhere, distinct from events of other threads; else 0. */
  time: f64(),
  ...MEMORY_SUMS,
};

/** Consecutive chunks of one stream. */
export interface MemoryStreamPart extends StreamPart {
  /** Thread before the first switch, as told by it; THREAD_LOST: a loss came first, THREAD_OPEN: neither was seen. */
  readonly beginThread: number;
  /** Thread at the end; THREAD_NEXT: the next switch tells it, THREAD_OPEN: neither switch nor loss was seen. */
  readonly endThread: number;
  /** Sums in order of thread and time, without duplicates. */
  readonly rows: ReadRows<typeof MEMORY>;
}

/** Sums of one chunk, with the threads at its ends. */
export type MemoryOfChunk = Pick<MemoryStreamPart, 'beginThread' | 'endThread' | 'rows'>;

export type MemoryChunk = readonly MemoryStreamPart[];

/**
 * Sums by thread and time; one row each for open and next threads, as there is one such interval.
 * @param length number of rows that count
 */
export function addUpMemory(rows: Readonly<Table<typeof MEMORY>>, length: number): MemoryStreamPart['rows'] {
  const { tid, time } = rows;
  const order = Uint32Array.from(tid.subarray(0, length).keys());
  order.sort((a, b) => tid[a] - tid[b] || time[a] - time[b]);
  const added = tableOf(MEMORY, length);
  let last = -1;
  for (const row of order) {
    const isOther = last < 0 || added.tid[last] !== tid[row];
    if (isOther || (tid[row] === THREAD_ELSEWHERE && added.time[last] !== time[row])) {
      last++;
      added.tid[last] = tid[row];
      added.time[last] = time[row];
    }
    for (const name of MEMORY_SUM_NAMES) added[name][last] += rows[name][row];
  }
  return { length: last + 1, ...trimmed(added, last + 1) };
}

/** Joins parts; `a` lies before `b` in the stream: the unknown thread in `b` is the one at the end of `a`. */
export function joinMemory(a: MemoryStreamPart, b: MemoryStreamPart): MemoryStreamPart {
  const rows = joinTables(MEMORY, [a.rows, b.rows]);
  const { length } = rows.tid;
  // The thread open in `b` and told by its first switch, if that did not come yet.
  const next = b.beginThread === THREAD_OPEN ? THREAD_NEXT : b.beginThread;
  const open = a.endThread === THREAD_NEXT ? next : a.endThread;
  for (let row = 0; row < length; row++) {
    if (row < a.rows.length ? rows.tid[row] === THREAD_NEXT : rows.tid[row] === THREAD_OPEN)
      setThread(rows, row, row < a.rows.length ? next : open);
  }
  return {
    ...a,
    last: b.last,
    beginThread: a.beginThread === THREAD_OPEN ? b.beginThread : a.beginThread,
    endThread: b.endThread === THREAD_OPEN ? open : b.endThread,
    rows: addUpMemory(rows, length),
  };
}

/** Sets the thread of rows; rows of known and lost threads have no time. */
export function setThread(
  rows: Pick<Table<typeof MEMORY>, 'tid' | 'time'>,
  row: number,
  thread: number,
): void {
  rows.tid[row] = thread;
  if (thread >= 0 || thread === THREAD_LOST) rows.time[row] = 0;
}

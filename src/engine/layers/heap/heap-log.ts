/** Log of heap events of a host's programs, in total order, which `heap-sums.ts` sums over ranges. */
import { f64, i32, type ReadRows } from '../../base/tables.ts';
import type { EventThread, ThreadNumber } from '../contract/event-threads.ts';

/** Blocks in the order in which they were allocated. */
export const BLOCKS = {
  /** HostNs. */
  time: f64(),
  /** HostNs at which it was freed; NaN: not seen. */
  end: f64(),
  /** Requested bytes; NaN: not known. */
  size: f64(),
  /** Row of `threads`: the thread that allocated it. */
  thread: i32(),
  /** Row of `threads` that freed it; -1: not recorded; with an `end` its address was then reused. */
  freedBy: i32(),
  /** Row of `sites`. */
  site: i32(),
};

/** Steps in the total order of events. */
export const STEPS = {
  /** HostNs. */
  time: f64(),
  kind: i32(),
  /** Row of `blocks` or of `threads`; -1. */
  of: i32(),
};

/** A block was allocated. */
export const ALLOCATED = 0;
/** A block was freed, or its address was reused. */
export const ENDED = 1;
/** A thread freed an address whose allocation was not seen. */
export const FREED_UNKNOWN = 2;
/** An allocation of a thread failed. */
export const FAILED = 3;
/** Events of programs were lost before this time, so that blocks may have been freed. */
export const LOST = 4;

export interface HeapProcess extends Pick<ThreadNumber, 'ns'> {
  readonly pid: number;
}

interface HeapThread extends EventThread {
  /** Row of `processes`. */
  readonly of: number;
}

/** A place in the program that called the allocator. */
export interface HeapSite {
  /** Row of `processes`. */
  readonly process: number;
  /** Words of the address; both 0: not recorded. */
  readonly low: number;
  readonly high: number;
}

export interface HeapLog {
  readonly blocks: ReadRows<typeof BLOCKS>;
  readonly steps: ReadRows<typeof STEPS>;
  readonly threads: readonly HeapThread[];
  readonly processes: readonly HeapProcess[];
  readonly sites: readonly HeapSite[];
  /** Number of events without process or address. */
  readonly unplaced: number;
}

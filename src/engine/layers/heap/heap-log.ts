/**
 * Log of what the events of one host say about the heaps of programs, in the total order of events. The reducer of the
 * layer writes it; `heap-sums.ts` adds it up over any range.
 */
import { trimmed, widen } from '../../base/columns.ts';
import { f64, i32, type ReadRows, tableOf } from '../../base/tables.ts';
import type { EventThread, ThreadNumber } from '../contract/event-threads.ts';

/** Blocks in the order in which they were allocated. */
const BLOCKS = {
  /** HostNs. */
  time: f64(),
  /** HostNs at which it was freed; NaN: that was not seen. */
  end: f64(NaN),
  /** Bytes that were asked for; NaN: not known. */
  size: f64(),
  /** Row of `threads`: who allocated it. */
  thread: i32(),
  /** Row of `threads` that freed it; -1: none is recorded, and with an `end` its address was given out again. */
  freedBy: i32(-1),
  /** Row of `sites`. */
  site: i32(),
};

/** Steps in the total order of events. */
const STEPS = {
  /** HostNs. */
  time: f64(),
  /** A_BLOCK …, see below. */
  kind: i32(),
  /** Row of `blocks` or of `threads`; -1. */
  of: i32(-1),
};

/** A block was allocated. */
export const ALLOCATED = 0;
/** A block was freed, or its address was given out again. */
export const ENDED = 1;
/** A thread freed an address of which no allocation was seen. */
export const FREED_UNKNOWN = 2;
/** An allocation of a thread failed. */
export const FAILED = 3;
/** Events of programs were lost before this time: what became of the blocks until then is not known. */
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
  /** Events that say no process or no address. */
  readonly unplaced: number;
}

/** The columns of a log while they are written. */
export class HeapWriter {
  readonly #blocks = tableOf(BLOCKS, 0);
  readonly #steps = tableOf(STEPS, 0);
  #blockCount = 0;
  #stepCount = 0;

  /** Number of blocks so far. */
  get blockCount(): number {
    return this.#blockCount;
  }

  sizeOf(block: number): number {
    return this.#blocks.size[block];
  }

  threadOf(block: number): number {
    return this.#blocks.thread[block];
  }

  /** @returns its row */
  allocate(time: number, thread: number, size: number, site: number): number {
    const blocks = this.#blocks;
    if (this.#blockCount === blocks.time.length) widen(blocks);
    const row = this.#blockCount++;
    blocks.time[row] = time;
    blocks.end[row] = NaN;
    blocks.size[row] = size;
    blocks.thread[row] = thread;
    blocks.freedBy[row] = -1;
    blocks.site[row] = site;
    this.step(time, ALLOCATED, row);
    return row;
  }

  /** @param thread -1: its address was given out again */
  end(time: number, block: number, thread: number): void {
    this.#blocks.end[block] = time;
    this.#blocks.freedBy[block] = thread;
    this.step(time, ENDED, block);
  }

  /** @param of a row of blocks or of threads, as the kind has it */
  step(time: number, kind: number, of: number): void {
    const steps = this.#steps;
    if (this.#stepCount === steps.time.length) widen(steps);
    const row = this.#stepCount++;
    steps.time[row] = time;
    steps.kind[row] = kind;
    steps.of[row] = of;
  }

  /** Tables of what was written, in buffers of their own. */
  tables(): Pick<HeapLog, 'blocks' | 'steps'> {
    return {
      blocks: { length: this.#blockCount, ...trimmed(this.#blocks, this.#blockCount) },
      steps: { length: this.#stepCount, ...trimmed(this.#steps, this.#stepCount) },
    };
  }
}

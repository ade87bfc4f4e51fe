/** Heap logs summed over a range: by thread, by process, and by caller of the allocator. */
import { f64, type ReadRows, type Table, tableOf } from '../../base/tables.ts';
import type { HostNs } from '../../base/units.ts';
import { ALLOCATED, ENDED, FAILED, FREED_UNKNOWN, type HeapLog } from './heap-log.ts';

/** Bytes are those requested; NaN: not known. */
const SUMS = {
  allocations: f64(),
  allocatedBytes: f64(),
  /** Frees of blocks of the trace, counted for the freeing thread and for the site that allocated the block. */
  frees: f64(),
  freedBytes: f64(),
  /** Frees of addresses whose allocation was before the trace, or was lost. */
  unknownFrees: f64(),
  failures: f64(),
  /** Blocks of the range not freed before its end. NaN: not known, as events were lost. */
  left: f64(),
  leftBytes: f64(),
};

/** Memory in use by a process, of its allocations in the trace. NaN: events were lost before. */
const IN_USE = {
  /** Bytes at the end of the range. */
  inUse: f64(),
  /** Most bytes at any time of the range. */
  peak: f64(),
  /** HostNs of the first time at the peak; NaN if there is no peak. */
  peakTime: f64(),
};

const OF_PROCESS = { ...SUMS, ...IN_USE };

export type HeapSum = keyof typeof SUMS;
export const HEAP_SUM_NAMES = Object.keys(SUMS) as readonly HeapSum[];

export interface HeapSums {
  /** Sums by row of the log. */
  readonly threads: ReadRows<typeof SUMS>;
  readonly processes: ReadRows<typeof OF_PROCESS>;
  readonly sites: ReadRows<typeof SUMS>;
}

type Sums = Table<typeof SUMS>;

/** Sums of what happened in [from, to). */
export function heapSums(log: HeapLog, from: HostNs, to: HostNs): HeapSums {
  const threads = tableOf(SUMS, log.threads.length);
  const processes = tableOf(OF_PROCESS, log.processes.length);
  const sites = tableOf(SUMS, log.sites.length);
  const adder = new Adder(log, { threads, processes, sites }, from);
  const end = adder.steps(to);
  adder.left(end);
  return {
    threads: { length: log.threads.length, ...threads },
    processes: { length: log.processes.length, ...processes },
    sites: { length: log.sites.length, ...sites },
  };
}

interface Tables {
  readonly threads: Sums;
  readonly processes: Table<typeof OF_PROCESS>;
  readonly sites: Sums;
}

/** Place up to which the log was read. */
interface End {
  readonly to: HostNs;
  /** Blocks that were allocated until then. */
  readonly blocks: number;
  /** Blocks before this one may have been freed during a loss of events. */
  readonly firstSure: number;
}

class Adder {
  constructor(
    private readonly log: HeapLog,
    private readonly tables: Tables,
    private readonly from: HostNs,
  ) {}

  /** Adds steps, and follows the bytes in use from the begin of the log. */
  steps(to: HostNs): End {
    const { steps, blocks, threads } = this.log;
    const { inUse, peak, peakTime } = this.tables.processes;
    const { time, kind, of } = steps;
    const from = this.from;
    let allocated = 0;
    let firstSure = 0;
    let isBefore = true;
    peakTime.fill(from);
    for (let i = 0; i < steps.length && time[i] < to; i++) {
      if (isBefore && time[i] >= from) {
        isBefore = false;
        peak.set(inUse);
      }
      const row = of[i];
      if (kind[i] <= ENDED) {
        const process = threads[blocks.thread[row]].of;
        const size = blocks.size[row];
        inUse[process] += kind[i] === ALLOCATED ? size : -size;
        if (kind[i] === ALLOCATED) allocated++;
        if (!isBefore) this.#count(kind[i], row, size);
        // An unknown sum stays unknown.
        if (!isBefore && !(inUse[process] <= peak[process])) {
          peak[process] = inUse[process];
          peakTime[process] = time[i];
        }
      } else if (kind[i] === FREED_UNKNOWN || kind[i] === FAILED) {
        const sum = kind[i] === FAILED ? 'failures' : 'unknownFrees';
        if (!isBefore) this.#add(sum, row, 1);
      } else {
        firstSure = allocated;
        inUse.fill(NaN);
      }
    }
    if (isBefore) peak.set(inUse);
    for (let process = 0; process < inUse.length; process++)
      if (Number.isNaN(inUse[process])) peak[process] = peakTime[process] = NaN;
      else if (peak[process] === 0) peakTime[process] = NaN;
    return { to, blocks: allocated, firstSure };
  }

  /** Counts the blocks of the range that were not freed in it. */
  left({ to, blocks: allocated, firstSure }: End): void {
    const { time, end, size, thread, site } = this.log.blocks;
    for (let block = 0; block < allocated; block++) {
      if (time[block] < this.from || end[block] < to) continue;
      const isSure = block >= firstSure;
      this.#add('left', thread[block], isSure ? 1 : NaN, site[block]);
      this.#add('leftBytes', thread[block], isSure ? size[block] : NaN, site[block]);
    }
  }

  #count(kind: number, block: number, size: number): void {
    const { thread, freedBy, site } = this.log.blocks;
    if (kind === ALLOCATED) {
      this.#add('allocations', thread[block], 1, site[block]);
      this.#add('allocatedBytes', thread[block], size, site[block]);
    } else if (freedBy[block] >= 0) {
      this.#add('frees', freedBy[block], 1, site[block]);
      this.#add('freedBytes', freedBy[block], size, site[block]);
    }
  }

  #add(sum: HeapSum, thread: number, value: number, site = -1): void {
    const { threads, processes, sites } = this.tables;
    threads[sum][thread] += value;
    processes[sum][this.log.threads[thread].of] += value;
    if (site >= 0) sites[sum][site] += value;
  }
}

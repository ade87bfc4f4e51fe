/** What the threads of a host did by the time: system calls, bytes, page faults between two times. */
import { lowerBound } from '../base/lower-bound.ts';
import type { DisplayNs, HostNs } from '../base/units.ts';
import type { Counts } from './marks/marks.ts';

export class ThreadCounts {
  /** By what is counted: events of thread t are [start[t], start[t + 1]). */
  readonly #tables: readonly ThreadTable[];

  /**
   * @param threads how many the kernel's table has
   * @param counted how many sorts of things are counted
   */
  constructor(counts: Counts, threads: number, counted: number, toDisplay: (time: HostNs) => DisplayNs) {
    this.#tables = Array.from({ length: counted }, (_, sort) => tableOf(counts, sort, threads, toDisplay));
  }

  /** Amount in [from, to). */
  within(counted: number, thread: number, from: DisplayNs, to: DisplayNs): number {
    const { start, time, before } = this.#tables[counted];
    const own = time.subarray(start[thread], start[thread + 1]);
    return before[start[thread] + lowerBound(own, to)] - before[start[thread] + lowerBound(own, from)];
  }
}

interface ThreadTable {
  readonly start: Int32Array;
  /** Ascending within a thread. */
  readonly time: Float64Array;
  /** Sum of the amounts before an event; one more than there are events. */
  readonly before: Float64Array;
}

function tableOf(
  { length, time, thread, counted, amount }: Counts,
  sort: number,
  threads: number,
  toDisplay: (time: HostNs) => DisplayNs,
): ThreadTable {
  const start = new Int32Array(threads + 1);
  for (let i = 0; i < length; i++) if (counted[i] === sort) start[thread[i] + 1]++;
  for (let i = 0; i < threads; i++) start[i + 1] += start[i];
  const next = start.slice();
  const times = new Float64Array(start[threads]);
  const amounts = new Float64Array(start[threads]);
  for (let i = 0; i < length; i++) {
    if (counted[i] !== sort) continue;
    const at = next[thread[i]]++;
    times[at] = toDisplay(time[i]);
    amounts[at] = amount[i];
  }
  const before = new Float64Array(start[threads] + 1);
  for (let i = 0; i < amounts.length; i++) before[i + 1] = before[i] + amounts[i];
  return { start, time: times, before };
}

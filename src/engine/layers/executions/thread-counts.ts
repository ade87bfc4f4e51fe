/**
 * Counts of one sort of what the threads of a host did by the time: system calls, bytes, waits for locks between two
 * times.
 */
import { lowerBound } from '../../base/lower-bound.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import type { Counts } from './delimiters/marks.ts';

export class ThreadCounts {
  /** Events of thread t are [start[t], start[t + 1]). */
  readonly #start: Int32Array;
  /** Ascending within a thread. */
  readonly #time: Float64Array;
  /** Sum of the amounts before an event; one more than there are events. */
  readonly #before: Float64Array;

  /**
   * @param sort as in `counts.counted`
   * @param threads how many the kernel's table has
   */
  constructor(
    { length, time, thread, counted, amount }: Counts,
    sort: number,
    threads: number,
    toDisplay: (time: HostNs) => DisplayNs,
  ) {
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
    this.#start = start;
    this.#time = times;
    this.#before = before;
  }

  /** Amount in [from, to). */
  within(thread: number, from: DisplayNs, to: DisplayNs): number {
    const first = this.#start[thread];
    const own = this.#time.subarray(first, this.#start[thread + 1]);
    return this.#before[first + lowerBound(own, to)] - this.#before[first + lowerBound(own, from)];
  }
}

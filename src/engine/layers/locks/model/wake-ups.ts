/** Wake-ups of threads by threads, by the thread that was woken, in order of time. */
import { firstWhere } from '../../../base/lower-bound.ts';

export interface WakeUps {
  /** First row by thread: wake-ups of thread t are rows start[t] … start[t + 1]. */
  readonly start: Int32Array;
  /** TimeNs. */
  readonly time: Float64Array;
  /** Row of the model's threads. */
  readonly by: Int32Array;
}

/** First wake-up of a thread behind `time`. */
export function firstWakeBehind({ start, time }: WakeUps, thread: number, after: number): number {
  return firstWhere(start[thread], start[thread + 1], (row) => time[row] > after);
}

/** Time of the last wake-up of a thread by another one in (after, until]; NaN: there is none. */
export function lastWakeBy(wakes: WakeUps, thread: number, by: number, after: number, until: number): number {
  const first = firstWakeBehind(wakes, thread, after);
  for (let row = firstWakeBehind(wakes, thread, until) - 1; row >= first; row--)
    if (wakes.by[row] === by) return wakes.time[row];
  return NaN;
}

/** Threads while they wait, as the kernel shows them: intervals of their states, and who woke them. */
import { firstWhere } from '../../../base/lower-bound.ts';
import { SignalIndex } from '../../../graph/thread-edges.ts';
import { meantThreadValue } from '../../../linux/states/reduce/kernel-tables.ts';
import type { LayerKernel } from '../../contract/layer.ts';
import * as values from '../../../linux/events/values.ts';
import { readIntervals, type ThreadTimes } from './thread-times.ts';

/** Intervals of states by thread, in order of time. Those of which nothing is known are left out. */
export interface ThreadWaits {
  /** First row by thread: intervals of thread t are rows start[t] … start[t + 1]. */
  readonly start: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Number of the state. */
  readonly state: Uint8Array;
  /** Row of the kernel's thread table that ended a blocked interval, and when it gave the signal; -1 and NaN: none. */
  readonly waker: Int32Array;
  readonly signal: Float64Array;
}

export function noThreadWaits(threads: number): ThreadWaits {
  const none = new Float64Array(0);
  const start = new Int32Array(threads + 1);
  return { start, begin: none, end: none, state: new Uint8Array(0), waker: new Int32Array(0), signal: none };
}

/** @param rows by thread: its row in the kernel's table, -1 none */
export async function readThreadWaits(
  times: ThreadTimes,
  rows: readonly number[],
  kernel: LayerKernel,
): Promise<ThreadWaits> {
  const { start, begin, end, value } = await readIntervals(times, rows, kernel);
  const { signals } = await kernel.logs();
  const index = new SignalIndex(signals, kernel.tables.threads.length);
  const state = new Uint8Array(value.length);
  const waker = new Int32Array(value.length).fill(-1);
  const signal = new Float64Array(value.length).fill(NaN);
  rows.forEach((ofKernel, thread) => {
    for (let row = start[thread]; row < start[thread + 1]; row++) {
      state[row] = values.stateOf(meantThreadValue(kernel.tables, ofKernel, value[row]));
      if (!isBlocked(state[row]) || values.causeOf(value[row]) !== values.CAUSE_THREAD) continue;
      waker[row] = values.detailOf(value[row]);
      // Some signals were given before the thread had gone to sleep.
      const given = index.find(ofKernel, end[row]);
      signal[row] = given < 0 ? end[row] : signals.signal[given];
    }
  });
  return { start, begin, end, state, waker, signal };
}

export function isBlocked(state: number): boolean {
  return state >= values.STATE_BLOCKED_S && state <= values.STATE_PARKED;
}

/** Tells whether a thread is on no CPU: blocked, or it waits for one. */
function isAway(state: number): boolean {
  return isBlocked(state) || state === values.STATE_PREEMPTED || state === values.STATE_WOKEN;
}

/** HostNs at which a thread that is on no CPU at `time` left it, `since` at the earliest; `time`: it is on one. */
export function awaySince(
  { start, begin, end, state }: ThreadWaits,
  thread: number,
  since: number,
  time: number,
): number {
  let row = firstWhere(start[thread], start[thread + 1], (each) => end[each] >= time);
  let from = time;
  if (row === start[thread + 1]) return time;
  for (; row >= start[thread] && isAway(state[row]) && begin[row] < from && from <= end[row]; row--)
    from = begin[row];
  return Math.max(since, from);
}

/** First interval of a thread that ends behind `time`. */
export function firstIntervalBehind({ start, end }: ThreadWaits, thread: number, time: number): number {
  return firstWhere(start[thread], start[thread + 1], (row) => end[row] > time);
}

/** Rows of a thread's intervals that overlap [from, to). */
function* rowsWithin(threadWaits: ThreadWaits, thread: number, from: number, to: number): Generator<number> {
  let row = firstIntervalBehind(threadWaits, thread, from);
  for (; row < threadWaits.start[thread + 1] && threadWaits.begin[row] < to; row++) yield row;
}

/** ns of [from, to] in which a thread was on a CPU. */
export function onCpuNs(threadWaits: ThreadWaits, thread: number, from: number, to: number): number {
  const { begin, end, state } = threadWaits;
  let ns = 0;
  for (const row of rowsWithin(threadWaits, thread, from, to))
    if (values.isRunning(state[row])) ns += Math.min(to, end[row]) - Math.max(from, begin[row]);
  return ns;
}

/** Tells whether a thread slept in [from, to], interruptibly. */
export function hasSlept(threadWaits: ThreadWaits, thread: number, from: number, to: number): boolean {
  for (const row of rowsWithin(threadWaits, thread, from, to))
    if (threadWaits.state[row] === values.STATE_BLOCKED_S) return true;
  return false;
}

/** Wake-ups of threads by threads, by the thread that was woken, in order of time. */
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

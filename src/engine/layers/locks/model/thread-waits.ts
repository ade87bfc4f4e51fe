/** Threads while they wait, as the kernel shows them: intervals of their states, and who woke them. */
import { firstWhere } from '../../../base/lower-bound.ts';
import { rowsBy } from '../../../base/rows-by.ts';
import { SignalIndex } from '../../../graph/signal-index.ts';
import { meantThreadValue } from '../../../linux/states/reduce/kernel-tables.ts';
import type { LayerKernel } from '../../contract/layer.ts';
import * as v from '../../../linux/events/values.ts';
import { IntervalRows, type ThreadTimes } from './thread-times.ts';

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

const NO_INTERVALS = {
  begin: new Float64Array(0),
  end: new Float64Array(0),
  state: new Uint8Array(0),
  waker: new Int32Array(0),
  signal: new Float64Array(0),
};

export function noThreadWaits(threads: number): ThreadWaits {
  return { start: new Int32Array(threads + 1), ...NO_INTERVALS };
}

/** @param rows by thread: its row in the kernel's table, -1 none */
export async function readThreadWaits(
  times: ThreadTimes,
  rows: readonly number[],
  { tables, query, logs }: LayerKernel,
): Promise<ThreadWaits> {
  const { groups, from, to } = times.byThread(rows.length);
  const { stateAttribute } = tables.threads;
  const wanted = rows
    .map((_, thread) => thread)
    .filter((thread) => rows[thread] >= 0 && groups.start[thread] < groups.start[thread + 1])
    .filter((thread) => stateAttribute[rows[thread]] >= 0);
  const reader = new IntervalRows(wanted, { groups, from, to }, (state) => state !== v.STATE_UNKNOWN);
  const { signals } = await logs();
  const index = new SignalIndex(signals, tables.threads.length);
  // Some signals were given before the thread had gone to sleep.
  const signalOf = (thread: number, end: number) => {
    const row = index.find(rows[thread], end);
    return row < 0 ? end : signals.signal[row];
  };
  const attributes = wanted.map((thread) => stateAttribute[rows[thread]]);
  await query.scan(attributes, -Infinity, Infinity, (place, piece) => reader.take(place, piece));
  return threadWaitsOf(reader, rows.length, signalOf, (thread, value) =>
    meantThreadValue(tables, rows[thread], value),
  );
}

/**
 * @param signalOf when the signal was given that ended a blocked interval of a thread then
 * @param meantBy the value of a thread's state as it is meant
 */
function threadWaitsOf(
  { rows, length }: IntervalRows,
  threads: number,
  signalOf: (thread: number, end: number) => number,
  meantBy: (thread: number, value: number) => number,
): ThreadWaits {
  const { start, order } = rowsBy(rows.thread, threads, length);
  const stateOf = (row: number) => v.stateOf(meantBy(rows.thread[row], rows.value[row]));
  const isWoken = (row: number) => isBlocked(stateOf(row)) && v.causeOf(rows.value[row]) === v.CAUSE_THREAD;
  return {
    start,
    begin: Float64Array.from(order, (row) => rows.begin[row]),
    end: Float64Array.from(order, (row) => rows.end[row]),
    state: Uint8Array.from(order, stateOf),
    waker: Int32Array.from(order, (row) => (isWoken(row) ? v.detailOf(rows.value[row]) : -1)),
    signal: Float64Array.from(order, (row) =>
      isWoken(row) ? signalOf(rows.thread[row], rows.end[row]) : NaN,
    ),
  };
}

export function isBlocked(state: number): boolean {
  return state >= v.STATE_BLOCKED_S && state <= v.STATE_PARKED;
}

/** Tells whether a thread is on no CPU: blocked, or it waits for one. */
function isAway(state: number): boolean {
  return isBlocked(state) || state === v.STATE_PREEMPTED || state === v.STATE_WOKEN;
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

/** ns of [from, to] in which a thread was on a CPU. */
export function onCpuNs(threadWaits: ThreadWaits, thread: number, from: number, to: number): number {
  const { start, begin, end, state } = threadWaits;
  let ns = 0;
  for (
    let row = firstIntervalBehind(threadWaits, thread, from);
    row < start[thread + 1] && begin[row] < to;
    row++
  )
    if (v.isRunning(state[row])) ns += Math.min(to, end[row]) - Math.max(from, begin[row]);
  return ns;
}

/** Tells whether a thread slept in [from, to], interruptibly. */
export function hasSlept(threadWaits: ThreadWaits, thread: number, from: number, to: number): boolean {
  const { start, begin, state } = threadWaits;
  for (
    let row = firstIntervalBehind(threadWaits, thread, from);
    row < start[thread + 1] && begin[row] < to;
    row++
  )
    if (state[row] === v.STATE_BLOCKED_S) return true;
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

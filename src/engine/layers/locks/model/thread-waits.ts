/** Threads while they wait, by the kernel's trace: intervals of their states, and who woke them. */
import { firstWhere } from '../../../base/lower-bound.ts';
import { signalIndex } from '../../../graph/thread-edges.ts';
import { meantThreadValue } from '../../../linux/states/reduce/kernel-tables.ts';
import * as values from '../../../linux/events/values.ts';
import { GrowingTable, ordered } from '../../../base/columns.ts';
import { type RowGroups, rowsBy, sortGroups } from '../../../base/rows-by.ts';
import { f64, i32, type Table, tableOf } from '../../../base/tables.ts';
import type { IntervalPart } from '../../../history/query-types.ts';
import type { LayerKernel } from '../../contract/layer.ts';

/** Intervals of states by thread, in order of time, without unknown ones. */
export interface ThreadWaits {
  /** First row by thread: intervals of thread t are rows start[t] … start[t + 1]. */
  readonly start: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
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
  const findSignal = signalIndex(signals, kernel.tables.threads.length);
  const state = new Uint8Array(value.length);
  const waker = new Int32Array(value.length).fill(-1);
  const signal = new Float64Array(value.length).fill(NaN);
  rows.forEach((ofKernel, thread) => {
    for (let row = start[thread]; row < start[thread + 1]; row++) {
      state[row] = values.stateOf(meantThreadValue(kernel.tables, ofKernel, value[row]));
      if (!values.isAsleep(state[row]) || values.causeOf(value[row]) !== values.CAUSE_THREAD) continue;
      waker[row] = values.detailOf(value[row]);
      // Some signals were given before the thread had gone to sleep.
      const given = findSignal(ofKernel, end[row]);
      signal[row] = given < 0 ? end[row] : signals.signal[given];
    }
  });
  return { start, begin, end, state, waker, signal };
}

/** Whether a thread is on no CPU: blocked, or waiting for one. */
function isAway(state: number): boolean {
  return values.isAsleep(state) || values.isRunnable(state);
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

/** First interval of a thread that ends after `time`. */
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

/** Whether a thread slept interruptibly in [from, to]. */
export function hasSlept(threadWaits: ThreadWaits, thread: number, from: number, to: number): boolean {
  for (const row of rowsWithin(threadWaits, thread, from, to))
    if (threadWaits.state[row] === values.STATE_BLOCKED_S) return true;
  return false;
}

/** Wake-ups of threads by threads, by the woken thread, in order of time. */
export interface WakeUps {
  /** First row by thread: wake-ups of thread t are rows start[t] … start[t + 1]. */
  readonly start: Int32Array;
  /** HostNs. */
  readonly time: Float64Array;
  /** Row of the model's threads. */
  readonly by: Int32Array;
}

/** First wake-up of a thread after `time`. */
export function firstWakeBehind({ start, time }: WakeUps, thread: number, after: number): number {
  return firstWhere(start[thread], start[thread + 1], (row) => time[row] > after);
}

export interface TimesByThread {
  readonly groups: RowGroups;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

const TIMES = { thread: i32(), from: f64(), to: f64() };

export class ThreadTimes extends GrowingTable<Table<typeof TIMES>> {
  constructor() {
    super(tableOf(TIMES, 0));
  }

  add(thread: number, from: number, to: number): void {
    const row = this.addRow();
    this.rows.thread[row] = thread;
    this.rows.from[row] = from;
    this.rows.to[row] = to;
  }

  /** Groups the times by thread, each thread's by begin. */
  byThread(threads: number): TimesByThread {
    const groups = rowsBy(this.rows.thread, threads, this.length);
    sortGroups(groups, this.rows.from);
    const { from, to } = ordered(this.rows, groups.order);
    return { groups, from, to };
  }
}

const INTERVALS = { thread: i32(), begin: f64(), end: f64(), value: f64() };

/** Pieces of threads' states that overlap some of their times. Pieces that segments have cut are joined. */
class IntervalRows extends GrowingTable<Table<typeof INTERVALS>> {
  readonly #threads: readonly number[];
  readonly #times: TimesByThread;
  /** First of its times that may not have ended, by place of the thread; its interval that may go on, -1 none. */
  readonly #next: Int32Array;
  readonly #last: Int32Array;

  constructor(threads: readonly number[], times: TimesByThread) {
    super(tableOf(INTERVALS, 0));
    this.#threads = threads;
    this.#times = times;
    this.#next = Int32Array.from(threads, (thread) => times.groups.start[thread]);
    this.#last = new Int32Array(threads.length).fill(-1);
  }

  /** Takes a piece of the thread at a place of the list. */
  take(place: number, { begin, end, value }: IntervalPart): void {
    if (values.stateOf(value) === values.STATE_UNKNOWN || !this.#overlaps(place, begin, end)) return;
    const rows = this.rows;
    const last = this.#last[place];
    if (last >= 0 && rows.end[last] === begin && rows.value[last] === value) {
      rows.end[last] = end;
      return;
    }
    const row = this.addRow();
    rows.thread[row] = this.#threads[place];
    rows.begin[row] = begin;
    rows.end[row] = end;
    rows.value[row] = value;
    this.#last[place] = row;
  }

  /** Whether a piece overlaps a time. Times come by begin, so that enclosing ones are passed late. */
  #overlaps(place: number, begin: number, end: number): boolean {
    const { groups, from, to } = this.#times;
    const stop = groups.start[this.#threads[place] + 1];
    let next = this.#next[place];
    while (next < stop && to[next] < begin) next++;
    this.#next[place] = next;
    return next < stop && from[next] <= end;
  }
}

/** Intervals of states by thread, in order of time: those of thread t are rows start[t] … start[t + 1]. */
interface ThreadIntervals {
  readonly start: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/** Reads the states of threads that overlap their times, as far as known. @param rows of the kernel's table, -1 none */
export async function readIntervals(
  times: ThreadTimes,
  rows: readonly number[],
  { tables, query }: Pick<LayerKernel, 'tables' | 'query'>,
): Promise<ThreadIntervals> {
  const byThread = times.byThread(rows.length);
  const { start: first } = byThread.groups;
  const attributes = rows.map((row) => tables.threads.stateAttribute[row] ?? -1);
  const wanted = [...rows.keys()].filter(
    (thread) => first[thread] < first[thread + 1] && attributes[thread] >= 0,
  );
  const reader = new IntervalRows(wanted, byThread);
  await query.scan(
    wanted.map((thread) => attributes[thread]),
    -Infinity,
    Infinity,
    (place, piece) => reader.take(place, piece),
  );
  const { start, order } = rowsBy(reader.rows.thread, rows.length, reader.length);
  const { begin, end, value } = ordered(reader.rows, order);
  return { start, begin, end, value };
}

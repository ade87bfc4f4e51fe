/** What the kernel shows of threads while they wait: stretches of their states. */
import { trimmed, widen } from '../../base/columns.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import { type RowGroups, rowsBy } from '../../base/rows-by.ts';
import { stableOrder } from '../../base/stable-order.ts';
import { SignalIndex } from '../../graph/signal-index.ts';
import type { LayerKernel } from '../../layers/layer.ts';
import * as v from '../../linux/values.ts';

/** Times in which threads wait. */
export class WaitingTimes {
  length = 0;
  readonly #rows = { thread: new Int32Array(0), from: new Float64Array(0), to: new Float64Array(0) };

  add(thread: number, from: number, to: number): void {
    if (this.length === this.#rows.thread.length) widen(this.#rows);
    this.#rows.thread[this.length] = thread;
    this.#rows.from[this.length] = from;
    this.#rows.to[this.length++] = to;
  }

  /** By thread; those of one in order of begin. */
  byThread(threads: number): {
    readonly groups: RowGroups;
    readonly from: Float64Array;
    readonly to: Float64Array;
  } {
    const rows = trimmed(this.#rows, this.length);
    const order = stableOrder(rows.from);
    const thread = Int32Array.from(order, (row) => rows.thread[row]);
    const groups = rowsBy(thread, threads);
    const place = groups.order;
    const from = Float64Array.from(place, (at) => rows.from[order[at]]);
    const to = Float64Array.from(place, (at) => rows.to[order[at]]);
    return { groups, from, to };
  }
}

/** By thread, in order of time. Those that the threads spent neither on a CPU nor blocked are left out. */
export interface Stretches {
  /** Those of thread t are rows start[t] … start[t + 1]. */
  readonly start: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Number of the state. */
  readonly state: Uint8Array;
  /** Row of the kernel's thread table that ended a blocked stretch, and when it gave the signal; -1 and NaN: none. */
  readonly waker: Int32Array;
  readonly signal: Float64Array;
}

const NO_STRETCHES = {
  begin: new Float64Array(0),
  end: new Float64Array(0),
  state: new Uint8Array(0),
  waker: new Int32Array(0),
  signal: new Float64Array(0),
};

export function noStretches(threads: number): Stretches {
  return { start: new Int32Array(threads + 1), ...NO_STRETCHES };
}

/** @param rows by thread: its row in the kernel's table, -1 none */
export async function readStretches(
  times: WaitingTimes,
  rows: readonly number[],
  { tables, query, logs }: LayerKernel,
): Promise<Stretches> {
  const { groups, from, to } = times.byThread(rows.length);
  const { stateAttribute } = tables.threads;
  const wanted = rows
    .map((_, thread) => thread)
    .filter((thread) => rows[thread] >= 0 && groups.start[thread] < groups.start[thread + 1])
    .filter((thread) => stateAttribute[rows[thread]] >= 0);
  const reader = new StretchReader(wanted, groups, from, to);
  const { signals } = await logs();
  const index = new SignalIndex(signals, tables.threads.length);
  // Some signals were given before the thread had gone to sleep.
  const signalOf = (thread: number, end: number) => {
    const row = index.find(rows[thread], end);
    return row < 0 ? end : signals.signal[row];
  };
  const attributes = wanted.map((thread) => stateAttribute[rows[thread]]);
  await query.scan(attributes, -Infinity, Infinity, (place, piece) => reader.take(place, piece));
  return reader.finish(rows.length, signalOf);
}

/** Keeps what overlaps the times in which a thread waits, and joins what segments have cut. */
class StretchReader {
  readonly #threads: readonly number[];
  readonly #groups: RowGroups;
  readonly #from: Float64Array;
  readonly #to: Float64Array;
  /** By place of the thread: the first of its times that may not have ended; its stretch that may go on, -1 none. */
  readonly #next: Int32Array;
  readonly #last: Int32Array;
  #length = 0;
  readonly #rows = {
    thread: new Int32Array(0),
    begin: new Float64Array(0),
    end: new Float64Array(0),
    value: new Float64Array(0),
  };

  constructor(threads: readonly number[], groups: RowGroups, from: Float64Array, to: Float64Array) {
    this.#threads = threads;
    this.#groups = groups;
    this.#from = from;
    this.#to = to;
    this.#next = Int32Array.from(threads, (thread) => groups.start[thread]);
    this.#last = new Int32Array(threads.length).fill(-1);
  }

  take(place: number, { begin, end, value }: { begin: number; end: number; value: number }): void {
    const state = v.stateOf(value);
    const isKept = isOnCpu(state) || isBlocked(state);
    if (!isKept || !this.#overlaps(place, begin, end)) return;
    const rows = this.#rows;
    const last = this.#last[place];
    if (last >= 0 && rows.end[last] === begin && rows.value[last] === value) {
      rows.end[last] = end;
      return;
    }
    if (this.#length === rows.thread.length) widen(rows);
    const row = this.#length++;
    rows.thread[row] = this.#threads[place];
    rows.begin[row] = begin;
    rows.end[row] = end;
    rows.value[row] = value;
    this.#last[place] = row;
  }

  /** Times come in order of their begins, so that of nested ones the outer one is passed late. */
  #overlaps(place: number, begin: number, end: number): boolean {
    const stop = this.#groups.start[this.#threads[place] + 1];
    let next = this.#next[place];
    while (next < stop && this.#to[next] < begin) next++;
    this.#next[place] = next;
    for (let i = next; i < stop && this.#from[i] <= end; i++) if (this.#to[i] >= begin) return true;
    return false;
  }

  /** @param signalOf when the signal was given that ended a blocked stretch of a thread then */
  finish(threads: number, signalOf: (thread: number, end: number) => number): Stretches {
    const rows = this.#rows;
    const { start, order } = rowsBy(rows.thread, threads, this.#length);
    const isWoken = (row: number) =>
      isBlocked(v.stateOf(rows.value[row])) && v.causeOf(rows.value[row]) === v.CAUSE_THREAD;
    return {
      start,
      begin: Float64Array.from(order, (row) => rows.begin[row]),
      end: Float64Array.from(order, (row) => rows.end[row]),
      state: Uint8Array.from(order, (row) => v.stateOf(rows.value[row])),
      waker: Int32Array.from(order, (row) => (isWoken(row) ? v.detailOf(rows.value[row]) : -1)),
      signal: Float64Array.from(order, (row) =>
        isWoken(row) ? signalOf(rows.thread[row], rows.end[row]) : NaN,
      ),
    };
  }
}

export function isOnCpu(state: number): boolean {
  return state === v.STATE_USER || state === v.STATE_KERNEL || state === v.STATE_INTERRUPTED;
}

export function isBlocked(state: number): boolean {
  return state >= v.STATE_BLOCKED_S && state <= v.STATE_PARKED;
}

/** First stretch of a thread that ends behind `time`. */
export function firstStretchBehind({ start, end }: Stretches, thread: number, time: number): number {
  return firstWhere(start[thread], start[thread + 1], (row) => end[row] > time);
}

/** ns of [from, to] in which a thread was on a CPU. */
export function onCpuNs(stretches: Stretches, thread: number, from: number, to: number): number {
  const { start, begin, end, state } = stretches;
  let ns = 0;
  for (
    let row = firstStretchBehind(stretches, thread, from);
    row < start[thread + 1] && begin[row] < to;
    row++
  )
    if (isOnCpu(state[row])) ns += Math.min(to, end[row]) - Math.max(from, begin[row]);
  return ns;
}

/** Whether a thread slept in [from, to], interruptibly. */
export function hasSlept(stretches: Stretches, thread: number, from: number, to: number): boolean {
  const { start, begin, state } = stretches;
  for (
    let row = firstStretchBehind(stretches, thread, from);
    row < start[thread + 1] && begin[row] < to;
    row++
  )
    if (state[row] === v.STATE_BLOCKED_S) return true;
  return false;
}

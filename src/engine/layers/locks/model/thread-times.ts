/** Times of threads at which the model asks what the kernel shows (waits, calls, holds), and states meanwhile. */
import { GrowingTable, ordered } from '../../../base/columns.ts';
import { type RowGroups, rowsBy, sortGroups } from '../../../base/rows-by.ts';
import { f64, i32, type Table, tableOf } from '../../../base/tables.ts';
import type { IntervalPart } from '../../../history/query-types.ts';
import * as values from '../../../linux/events/values.ts';
import type { LayerKernel } from '../../contract/layer.ts';

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

  /** Groups the times by thread; those of one in order of begin. */
  byThread(threads: number): TimesByThread {
    const groups = rowsBy(this.rows.thread, threads, this.length);
    sortGroups(groups, this.rows.from);
    const { from, to } = ordered(this.rows, groups.order);
    return { groups, from, to };
  }
}

const INTERVALS = { thread: i32(), begin: f64(), end: f64(), value: f64() };

/** Pieces of the states of threads that overlap some times of theirs. What segments have cut is joined. */
class IntervalRows extends GrowingTable<Table<typeof INTERVALS>> {
  readonly #threads: readonly number[];
  readonly #times: TimesByThread;
  /** First of its times that may not have ended by place of the thread; its interval that may go on, -1 none. */
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

  /** Times come in order of their begins, so that of nested ones the outer one is passed late. */
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
export interface ThreadIntervals {
  readonly start: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/**
 * Reads the states of threads that overlap times of theirs. Those of which nothing is known are left out.
 * @param rows by thread: its row in the kernel's table, -1 none
 */
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

/**
 * Edges of one thread in one segment of its state history (`LABELS` of `path-codes.ts`): adjacent intervals of one
 * label are joined, but each wait is an edge of its own. The signal of a wait follows from its value and, rarely,
 * from `SignalRows`.
 */
import { IntervalCursor } from '../history/interval-cursor.ts';
import { trimmed, widen } from '../base/columns.ts';
import { f64, i32, noRows, type ReadRows, u8 } from '../base/tables.ts';
import type { SignalRows } from '../linux/states/reduce/signal-rows.ts';
import * as values from '../linux/events/values.ts';
import { type GraphWorker, NOBODY } from './execution-graph.ts';
import { BLOCKED, PREEMPTED, RUNNING, UNKNOWN } from './path-codes.ts';
import { firstWhere } from '../base/lower-bound.ts';
import { rowsBy } from '../base/rows-by.ts';

const EDGES = {
  begin: f64(),
  end: f64(),
  label: u8(),
  /** Cause of blocked edges, a `causeNumber`, else 0. */
  cause: f64(),
  /** Source of blocked edges, like `Edge.source`, `Edge.interrupt` and `Edge.frame`, else NOBODY and 0. */
  source: i32(),
  interrupt: i32(),
  frame: i32(),
};

/** Edges in order of time, contiguous except where blocks of the history cannot be read. */
export interface EdgeColumns extends ReadRows<typeof EDGES> {
  /** Place of the edge that was asked for last. */
  hint: number;
  /** Whether the first one continues the last one of the segment before. */
  readonly continued: boolean;
}

/** Bytes of an edge. */
export const EDGE_BYTES = 37;

export const NO_EDGES: EdgeColumns = { length: 0, hint: -1, continued: false, ...noRows(EDGES) };

/** Label of a thread that has ended. */
const NO_LABEL = 255;

/** Label by state number, as stored. */
const LABEL_OF_STATE = Uint8Array.of(
  UNKNOWN,
  RUNNING,
  RUNNING,
  RUNNING,
  PREEMPTED,
  PREEMPTED,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  BLOCKED,
  PREEMPTED,
  NO_LABEL,
  NO_LABEL,
  RUNNING,
  RUNNING,
);

/** Causes whose detail is part of their words: a thread, another interrupt, why it is unknown. */
const HAS_DETAIL = new Set<number>([values.CAUSE_THREAD, values.CAUSE_OTHER, values.CAUSE_UNKNOWN]);

/** The part of a blocked value that gives the cause in words; equal numbers are equal words. 0: it did not end. */
export function causeNumber(value: number): number {
  const cause = values.causeOf(value);
  return values.blockedValue(0, cause, HAS_DETAIL.has(cause) ? values.detailOf(value) : -1);
}

/** Data of the host that decoding needs. */
export interface EdgeContext {
  readonly signals: SignalRows;
  /** See `signalIndex`. */
  readonly findSignal: (thread: number, end: number) => number;
  readonly toGraph: (time: number) => number;
  /** Number of the host's first thread; others add their row. */
  readonly firstWorker: GraphWorker;
  readonly interruptWorker: (cpu: number) => GraphWorker;
}

/** Decodes the intervals after the position of `cursor`, one row after the other. */
export class EdgeDecoder {
  #length = 0;
  readonly #columns = noRows(EDGES);

  decode(cursor: IntervalCursor, thread: number, continued: boolean, context: EdgeContext): EdgeColumns {
    this.#length = 0;
    while (cursor.next()) {
      const label = LABEL_OF_STATE[values.stateOf(cursor.value)];
      if (label === NO_LABEL) break;
      this.#take(cursor, label, thread, context);
    }
    const length = this.#length;
    return { length, hint: length - 1, continued, ...trimmed(this.#columns, length) };
  }

  #take(cursor: IntervalCursor, label: number, thread: number, context: EdgeContext): void {
    const c = this.#columns;
    const begin = context.toGraph(cursor.begin);
    const end = context.toGraph(cursor.end);
    const last = this.#length - 1;
    if (label !== BLOCKED && last >= 0 && c.label[last] === label && c.end[last] === begin) {
      c.end[last] = end;
      return;
    }
    // Two times of the host may be one of the graph.
    if (end <= begin) return;
    if (this.#length === c.begin.length) widen(c);
    const at = this.#length++;
    c.begin[at] = begin;
    c.end[at] = end;
    c.label[at] = label;
    c.cause[at] = label === BLOCKED ? causeNumber(cursor.value) : 0;
    c.source[at] = c.interrupt[at] = NOBODY;
    c.frame[at] = 0;
    if (label === BLOCKED) this.#takeSignal(at, cursor, thread, context);
  }

  #takeSignal(at: number, cursor: IntervalCursor, thread: number, context: EdgeContext): void {
    const { signals } = context;
    const row = context.findSignal(thread, cursor.end);
    const c = this.#columns;
    if (row < 0) {
      if (values.causeOf(cursor.value) === values.CAUSE_THREAD)
        c.source[at] = context.firstWorker + values.detailOf(cursor.value);
    } else if (signals.cpu[row] >= 0) {
      c.interrupt[at] = context.interruptWorker(signals.cpu[row]);
      c.frame[at] = signals.frame[row];
      if (signals.hasPacket[row] === 1) c.source[at] = c.interrupt[at];
    }
  }
}

/** Finds the row of the signal that ended a thread's blocking at `end` (HostNs); -1: the history alone tells the signal. */
export function signalIndex(
  { thread: ofThread, end: ends, length }: SignalRows,
  threads: number,
): (thread: number, end: number) => number {
  // Rows are in order of time: so are those of each thread.
  const { start, order } = rowsBy(ofThread, threads, length);
  return (thread, end) => {
    const stop = start[thread + 1];
    const low = firstWhere(start[thread], stop, (index) => !(ends[order[index]] < end));
    return low < stop && ends[order[low]] === end ? order[low] : -1;
  };
}

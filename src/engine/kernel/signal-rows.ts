/**
 * Signals that ended blockings, where the state history does not tell enough (spec 04 section 1, Q8): those given before
 * the blocking began, and those of interrupts that may have received a packet. One row per such signal, in order.
 */
import { f64, i32, TableLog, type TableMemory } from '../base/tables.ts';
import { trimmed } from './columns.ts';

export interface SignalRows {
  readonly length: number;
  /** The woken thread and the end of its blocking (TimeNs). */
  readonly thread: Int32Array;
  readonly end: Float64Array;
  /** When the signal was given: before the blocking began, where that is earlier than its end. */
  readonly signal: Float64Array;
  /** Interrupt of cause `network` that gave it: the CPU and the serial number of the frame; -1 and 0 of others. */
  readonly cpu: Int32Array;
  readonly frame: Int32Array;
}

/** As `SignalRows`. */
const SIGNAL = { thread: i32(), end: f64(), signal: f64(), cpu: i32(), frame: i32() };

/** The rows while they are written. */
export type SignalLog = TableLog<typeof SIGNAL>;

export function createSignalLog(memory: TableMemory): SignalLog {
  return new TableLog(memory, SIGNAL, 256);
}

/** A signal given at `signal` ended a blocking at `end`; `cpu` and `frame` as in `SignalRows`. */
export function addSignal(
  log: SignalLog,
  thread: number,
  end: number,
  signal: number,
  cpu: number,
  frame: number,
): void {
  const row = log.add();
  const { rows } = log;
  rows.thread[row] = thread;
  rows.end[row] = end;
  rows.signal[row] = signal;
  rows.cpu[row] = cpu;
  rows.frame[row] = frame;
}

/** What was written, in buffers of its own. */
export function signalRows({ rows, length }: SignalLog): SignalRows {
  return { length, ...trimmed(rows, length) };
}

/**
 * Signals that ended blockings, where the state history does not tell enough (spec 04 section 1, Q8): those given before
 * the blocking began, and those of interrupts that may have received a packet. One row per such signal, in order.
 */
import { f64, i32, type Table, type TableMemory } from '../base/tables.ts';
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
/** How many there are, in one row. */
const COUNT = { length: i32() };

/** The rows while they are written. */
export interface SignalLog {
  readonly memory: TableMemory;
  readonly rows: Table<typeof SIGNAL>;
  readonly count: Table<typeof COUNT>;
}

export function createSignalLog(memory: TableMemory): SignalLog {
  return { memory, rows: memory.table(SIGNAL, 256), count: memory.table(COUNT, 1) };
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
  const { memory, rows, count } = log;
  const row = count.length[0]++;
  if (row === rows.thread.length) memory.widen(rows, 2 * row);
  rows.thread[row] = thread;
  rows.end[row] = end;
  rows.signal[row] = signal;
  rows.cpu[row] = cpu;
  rows.frame[row] = frame;
}

/** What was written, in buffers of its own. */
export function signalRows({ rows, count }: SignalLog): SignalRows {
  const length = count.length[0];
  return { length, ...trimmed(rows, length) };
}

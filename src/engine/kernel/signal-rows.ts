/**
 * Signals that ended blockings, where the state history does not tell enough (spec 04 section 1, Q8): those given before
 * the blocking began, and those of interrupts that may have received a packet. One row per such signal, in order.
 */
import { trimmed, widen } from './columns.ts';
import type { Columns } from './columns.ts';

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

/** The rows while they are written. */
export interface SignalLog {
  length: number;
  readonly columns: {
    thread: Int32Array;
    end: Float64Array;
    signal: Float64Array;
    cpu: Int32Array;
    frame: Int32Array;
  };
}

export function createSignalLog(): SignalLog {
  return {
    length: 0,
    columns: {
      thread: new Int32Array(0),
      end: new Float64Array(0),
      signal: new Float64Array(0),
      cpu: new Int32Array(0),
      frame: new Int32Array(0),
    },
  };
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
  const { columns } = log;
  if (log.length === columns.thread.length) widen(columns satisfies Columns);
  const row = log.length++;
  columns.thread[row] = thread;
  columns.end[row] = end;
  columns.signal[row] = signal;
  columns.cpu[row] = cpu;
  columns.frame[row] = frame;
}

/** What was written, in buffers of its own. */
export function signalRows({ length, columns }: SignalLog): SignalRows {
  return { length, ...trimmed(columns, length) };
}

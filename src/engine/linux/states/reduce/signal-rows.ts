/**
 * Signals that ended blockings, where the state history does not hold enough: those given before the blocking began,
 * those of interrupts that had received a packet, and those of softirqs that were seen to be raised. One row per such
 * signal, in order.
 */
import { f64, i32, noRows, type ReadRows, type TableLog, u8 } from '../../../base/tables.ts';

export const SIGNAL = {
  /** The woken thread and the end of its blocking (HostNs). */
  thread: i32(),
  end: f64(),
  /** When the signal was given: before the blocking began, where that is earlier than its end. */
  signal: f64(),
  /** The interrupt that gave it: the CPU and the serial number of the frame; -1 and 0 of signals given before. */
  cpu: i32(),
  frame: i32(),
  /** 1: that interrupt had received a packet. */
  hasPacket: u8(),
};

export type SignalRows = ReadRows<typeof SIGNAL>;

export const NO_SIGNALS: SignalRows = { length: 0, ...noRows(SIGNAL) };

/** The rows while they are written. */
export type SignalLog = TableLog<typeof SIGNAL>;

/**
 * Signals that ended blockings, if the state history does not hold enough: those given before the blocking began,
 * those of interrupts that had received a packet, and those of softirqs whose raise was seen. One row per signal, in
 * order.
 */
import { f64, i32, noRows, type ReadRows, type TableLog, u8 } from '../../../base/tables.ts';

export const SIGNAL = {
  /** The woken thread and the end of its blocking (HostNs). */
  thread: i32(),
  end: f64(),
  /** HostNs when the signal was given: before the blocking began, if earlier than its end. */
  signal: f64(),
  /** The interrupt that gave it: CPU and serial number of the frame; -1 and 0 for signals given before the blocking. */
  cpu: i32(),
  frame: i32(),
  /** 1: that interrupt had received a packet. */
  hasPacket: u8(),
};

export type SignalRows = ReadRows<typeof SIGNAL>;

export const NO_SIGNALS: SignalRows = { length: 0, ...noRows(SIGNAL) };

/** Rows while they are written. */
export type SignalLog = TableLog<typeof SIGNAL>;

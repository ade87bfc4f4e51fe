/** The events of one host that delimit executions, and what its threads did meanwhile. */
import { f64, i32, noRows, type ReadRows, u8 } from '../../../base/tables.ts';
import type { EventThread } from '../../contract/event-threads.ts';

/** Events in the total order of the host's events. */
export const DELIMITERS = {
  /** HostNs. */
  time: f64(),
  /** Index in the settings' definitions. */
  definition: u8(),
  /** 1: a begin; 0: an end. An event that is both has two rows, the end first. */
  isBegin: u8(),
  /** Index in `threads`; -1 not known. */
  thread: i32(),
  cpu: i32(),
  /** 1: an event of user space. */
  ofProgram: u8(),
  /** Index in `keys`. */
  key: i32(),
  /** 1: the conditions about fields hold. */
  matches: u8(),
  /** Index in `values` of the first of the numbers that the definition reads of such events. */
  firstValue: i32(),
};

/** Counts in the total order of events. Only threads that the kernel's trace knows. */
export const COUNTS = {
  /** HostNs. */
  time: f64(),
  /** Row of the kernel's thread table. */
  thread: i32(),
  /** Index in the settings' `counted`. */
  counted: u8(),
  /** Events or bytes. */
  amount: f64(),
};

export type Counts = ReadRows<typeof COUNTS>;

export interface Delimiters extends ReadRows<typeof DELIMITERS> {
  /** NaN: the event does not have it. */
  readonly values: Float64Array;
  /** Digits of the values that a double cannot hold, by their place in `values`. */
  readonly exact: ReadonlyMap<number, string>;
  readonly keys: readonly string[];
  readonly threads: readonly EventThread[];
  readonly counts: Counts;
}

/** Table of a host that has none. */
export const NO_DELIMITERS: Delimiters = {
  length: 0,
  ...noRows(DELIMITERS),
  values: new Float64Array(0),
  exact: new Map(),
  keys: [],
  threads: [],
  counts: { length: 0, ...noRows(COUNTS) },
};

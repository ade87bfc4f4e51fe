/** The events of one host that delimit executions, and what its threads did meanwhile. */
import type { EventThread } from '../../contract/event-threads.ts';

export interface Delimiters {
  readonly length: number;
  /** HostNs. In the total order of the host's events. */
  readonly time: Float64Array;
  /** Index in the settings' definitions. */
  readonly definition: Uint8Array;
  /** 1: a begin; 0: an end. An event that is both has two rows, the end first. */
  readonly isBegin: Uint8Array;
  /** Index in `threads`; -1 not known. */
  readonly thread: Int32Array;
  readonly cpu: Int32Array;
  /** 1: an event of user space. */
  readonly ofProgram: Uint8Array;
  /** Index in `keys`. */
  readonly key: Int32Array;
  /** 1: the conditions about fields hold. */
  readonly matches: Uint8Array;
  /** Index in `values` of the first of the numbers that the definition reads of such events. */
  readonly firstValue: Int32Array;
  /** NaN: the event does not have it. */
  readonly values: Float64Array;
  readonly keys: readonly string[];
  readonly threads: readonly EventThread[];
  readonly counts: Counts;
}

/** Counts in the total order of events. Only threads that the kernel's trace knows. */
export interface Counts {
  readonly length: number;
  /** HostNs. */
  readonly time: Float64Array;
  /** Row of the kernel's thread table. */
  readonly thread: Int32Array;
  /** Index in the settings' `counted`. */
  readonly counted: Uint8Array;
  /** Events or bytes. */
  readonly amount: Float64Array;
}

/** Table of a host that has none. */
export const NO_DELIMITERS: Delimiters = {
  length: 0,
  time: new Float64Array(0),
  definition: new Uint8Array(0),
  isBegin: new Uint8Array(0),
  thread: new Int32Array(0),
  cpu: new Int32Array(0),
  ofProgram: new Uint8Array(0),
  key: new Int32Array(0),
  matches: new Uint8Array(0),
  firstValue: new Int32Array(0),
  values: new Float64Array(0),
  keys: [],
  threads: [],
  counts: {
    length: 0,
    time: new Float64Array(0),
    thread: new Int32Array(0),
    counted: new Uint8Array(0),
    amount: new Float64Array(0),
  },
};

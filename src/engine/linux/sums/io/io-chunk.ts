/**
 * Chunk results of the i/o analysis: per chunk its calls and facts as columns, with unknown parts left open: the
 * thread before the first switch, entries without exit, exits without entry. These are resolved once every stream is
 * there: a call may begin on one CPU and end on another.
 * Memory grows with the calls that transfer bytes or change descriptors, 49 bytes each, and not with other events; if
 * exits do not name the call, also with other calls that a switch cuts.
 */
import { f64, i32, type ReadRows, u8 } from '../../../base/tables.ts';
import type { StreamPart } from '../../../analysis/stream-merge.ts';

/** One row per call, or half of one; and one per loss of events, which is no call and ends those of a thread. */
export const CALLS = {
  /** tid, or THREAD_OPEN, THREAD_NEXT, THREAD_LOST. */
  thread: i32(),
  /** Number of the call (`io-calls.ts`). */
  call: u8(),
  /** HostNs; NaN: earlier or elsewhere. */
  entry: f64(),
  /** HostNs; NaN: later or elsewhere; Infinity: lost. */
  exit: f64(),
  /** -1: not known. Of two descriptors the one written or copied, or the first of a range or pair. */
  fd: i32(),
  /** The other descriptor: the one read, or the last of a range, or the second of a pair. */
  fd2: i32(),
  /** Flags of calls that make or copy descriptors or close a range; command of fcntl. */
  flags: i32(),
  /** Path of open: index in the part's texts, -1 none. */
  path: i32(),
  /** NaN: not known. */
  ret: f64(),
};

export type CallColumns = ReadRows<typeof CALLS>;

/** tid, pid; wide: the address of its table of files, 0 unknown. */
export const FACT_PROCESS = 0;
/** child tid, child pid, parent pid. */
export const FACT_FORK = 1;
/** pid (-1 unknown), descriptor; wide: address of the table of files; text: path. */
export const FACT_FILE = 2;
/** tid; text: name. */
export const FACT_NAME = 3;
/** device; text: name. */
export const FACT_DISK = 4;
/** device, sectors, tid, flags (-1 unknown); wide: first sector; text: the flags as letters. */
export const FACT_INSERT = 5;
export const FACT_ISSUE = 6;
export const FACT_COMPLETE = 7;
export const FACT_REQUEUE = 8;
export const FACT_MERGE = 9;

/** Values of facts; each kind uses some. */
export const FACTS = {
  time: f64(),
  kind: u8(),
  a: i32(),
  b: i32(),
  c: i32(),
  d: i32(),
  wide: f64(),
  text: i32(),
};

export type FactColumns = ReadRows<typeof FACTS>;

/** The latest name of each thread: index of its text. */
export const NAMES = { tid: i32(), text: i32(), time: f64() };

/** Calls and facts of one chunk. */
export interface IoPart {
  readonly calls: CallColumns;
  readonly facts: FactColumns;
  readonly texts: readonly string[];
  /** Whether a switch or a loss determined who runs. */
  readonly changed: boolean;
  /** Thread before the first switch, THREAD_LOST if a loss came first; thread at the end, possibly THREAD_NEXT. */
  readonly beginThread: number;
  readonly endThread: number;
  /** Row of the pending call of the thread at the end, and of the exit of one of the thread at the begin; -1 none. */
  readonly pending: number;
  readonly closing: number;
  /** Whether an entry, an exit, a switch or a loss ended the call pending before the chunk. */
  readonly endsPending: boolean;
}

/** Consecutive chunks of one stream. */
export interface IoStreamPart extends StreamPart {
  /** Whether its events have no switches: another stream of the CPU tells the thread by time. */
  readonly switchesElsewhere: boolean;
  readonly parts: readonly IoPart[];
}

export type IoChunk = readonly IoStreamPart[];

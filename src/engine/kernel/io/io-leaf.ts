/**
 * Leaves of the i/o analysis: per chunk, its calls and facts as columns, with what the chunk cannot know left open:
 * who ran before its first switch, entries without their exit, exits without their entry. All of it is closed at the
 * end, when every stream is there: a call may begin on one CPU and end on another.
 *
 * Memory grows with the calls that move bytes or change descriptors, 49 bytes each, and not with other events; where
 * exits do not say of what, also with other calls that a switch cuts.
 */
import { f64, i32, u8 } from '../../base/tables.ts';
import type { StreamPiece } from '../stream-pieces.ts';

/** One row per call, or half of one; and one where events were lost, which is no call and ends those of a thread. */
export interface CallColumns {
  readonly length: number;
  /** tid, or THREAD_OPEN, THREAD_NEXT, THREAD_LOST. */
  readonly thread: Int32Array;
  /** Number of the call (`io-calls.ts`). */
  readonly call: Uint8Array;
  /** TimeNs; NaN: before, elsewhere. */
  readonly entry: Float64Array;
  /** TimeNs; NaN: later, elsewhere; Infinity: lost. */
  readonly exit: Float64Array;
  /** -1 not told. Of two descriptors the one written, or the one that is copied, or the first of a range or pair. */
  readonly fd: Int32Array;
  /** The other one: read, or the last of a range, or the second of a pair. */
  readonly fd2: Int32Array;
  /** Flags of what makes or copies descriptors or closes a range, command of fcntl. */
  readonly flags: Int32Array;
  /** Path of open: index in the part's texts, -1 none. */
  readonly path: Int32Array;
  /** NaN: not told. */
  readonly ret: Float64Array;
}

/** See `CallColumns`. */
export const CALLS = {
  thread: i32(),
  call: u8(),
  entry: f64(),
  exit: f64(),
  fd: i32(),
  fd2: i32(),
  flags: i32(),
  path: i32(),
  ret: f64(),
};

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
/** device, sectors, tid, 1 write or 2 discard (perf tells neither in a number: 3); wide: first sector. */
export const FACT_INSERT = 5;
export const FACT_ISSUE = 6;
export const FACT_COMPLETE = 7;

export interface FactColumns {
  readonly length: number;
  readonly time: Float64Array;
  readonly kind: Uint8Array;
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly c: Int32Array;
  readonly d: Int32Array;
  readonly wide: Float64Array;
  readonly text: Int32Array;
}

/** See `FactColumns`. */
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

/** The latest name told of each thread: index of its text. */
export const NAMES = { tid: i32(), text: i32(), time: f64() };

/** What one chunk tells. */
export interface IoPart {
  readonly calls: CallColumns;
  readonly facts: FactColumns;
  readonly texts: readonly string[];
  /** Whether a switch or a loss told who runs. */
  readonly changed: boolean;
  /** Who ran before the first one, THREAD_LOST where a loss came first; who runs at the end, perhaps THREAD_NEXT. */
  readonly beginThread: number;
  readonly endThread: number;
}

/** Consecutive chunks of one stream. */
export interface IoPiece extends StreamPiece {
  /** Of all its events; -1 where they differ. */
  readonly cpu: number;
  /** Its events tell no switches: by the time of a call another stream of the CPU does. */
  readonly switchesElsewhere: boolean;
  readonly parts: readonly IoPart[];
}

export type IoLeaf = readonly IoPiece[];

/** Pieces of which each goes on where the one before ends. */
export function joinIo(pieces: readonly IoPiece[]): IoPiece {
  return { ...pieces[0], last: pieces[pieces.length - 1].last, parts: pieces.flatMap(({ parts }) => parts) };
}

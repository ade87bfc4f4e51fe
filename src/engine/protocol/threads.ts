/** Requests and answers about one thread. Types only; durations are ns. */
import type { DisplayNs } from '../base/units.ts';
import type { TimeRange } from './range.ts';

export interface ThreadRequest {
  /** Id of a thread's row. */
  readonly row: string;
  /** Undefined: the whole trace. */
  readonly range?: TimeRange;
}

/** Asks for the meaning of a descriptor in a system call of a thread. */
export interface DescriptorRequest {
  /** Id of the thread's row. */
  readonly row: string;
  readonly fd: number;
  /** Entry and exit of the call. */
  readonly from: DisplayNs;
  readonly to: DisplayNs;
}

/** A thread that another one has to do with. */
export interface ThreadLink {
  /** Id of its row. */
  readonly row: string;
  readonly name: string;
  readonly tid: number;
}

/** A thread that woke the one asked about, or was woken by it. */
export interface WakingLine extends ThreadLink {
  /** Wake-ups in the range. */
  readonly count: number;
  /** Time in the range that the thread was blocked until these wakers woke it, ns. */
  readonly ns: number;
}

export interface ThreadSummary {
  /** Undefined: not recorded. */
  readonly pid: number | undefined;
  readonly ppid: number | undefined;
  /** The thread that forked it, else the first one of the parent process; undefined: the trace has none. */
  readonly parent: ThreadLink | undefined;
  /** Its fork was recorded, at `firstNs`. */
  readonly isForkSeen: boolean;
  /** First that is known of it. */
  readonly firstNs: DisplayNs;
  /** When it exited; undefined: it lived to the end of the trace, or of what is read. */
  readonly endedNs: DisplayNs | undefined;
  /** Time of the range in each state (`THREAD_STATES`). */
  readonly statesNs: readonly number[];
  /** Time of the range blocked by each cause (`CAUSES`). */
  readonly blockedNs: readonly number[];
  /** Wakers by which it was blocked longest first. */
  readonly wakers: readonly WakingLine[];
  /** Most often first. */
  readonly woken: readonly WakingLine[];
  /** When it came to a CPU last in the range, and to which; undefined: never, or not known. */
  readonly lastSwitchIn: { readonly timeNs: DisplayNs; readonly cpu: number } | undefined;
}

/** Requests and answers about an active path, in plain columns. Types only. */
import type { DisplayNs, Times } from '../base/units.ts';
import type { GuestChoice } from '../graph/guests.ts';
import type { LockTurns } from './locks.ts';
import type { TimeRange } from './range.ts';

/** The criteria of `graph/path.ts`; `lock-holder` needs lock events: see `LockEvents`. */
export type PathCriterion = 'main-task' | 'reconvergence' | 'marked-unrelated' | 'exact' | 'lock-holder';

/** State of a trace's locks: not read yet, no waits recorded, or waits recorded. */
export type LockEvents = 'not read yet' | 'none' | 'there';

export interface PathRequest {
  /** Id of a thread's row. */
  readonly row: string;
  /** Default: the life of the thread. */
  readonly range?: TimeRange;
  readonly criterion: PathCriterion;
  /** Rows that criterion `marked-unrelated` goes back from. */
  readonly marked?: readonly string[];
  /** Whether the waits of an event loop are merged into one (`graph/folding.ts`). */
  readonly foldLoops?: boolean;
  /** The user's statements about virtual machines among the hosts. */
  readonly guests?: readonly GuestChoice[];
  /** Names that the user gave to locks, by id of the lock. */
  readonly lockNames?: ReadonlyMap<string, string>;
}

export interface PathPartsRequest {
  /** Id of the path, from its answer. */
  readonly path: number;
}

export interface PathWorker {
  /** Id of its row; undefined for interrupts, which the row of their CPU shows. */
  readonly row: string | undefined;
  /** "http-1", "Interrupts of CPU 2". */
  readonly name: string;
  /** Name with the tid where several threads have it. */
  readonly label: string;
  readonly tid: number | undefined;
  readonly host: number;
  /** CPU of an interrupt worker. */
  readonly cpu: number | undefined;
  /** Process of a thread; a thread whose process is not known stands for itself. */
  readonly process?: { readonly id: string; readonly name: string; readonly pid: number };
}

/** Segments, oldest first; they tile the range. */
export interface PathSegments {
  readonly length: number;
  /** Index in `workers`. */
  readonly worker: Int32Array;
  readonly from: Times<DisplayNs>;
  readonly to: Times<DisplayNs>;
  /** LABELS of the execution graph. */
  readonly label: Uint8Array;
  /** Index in `causes`; -1: none. */
  readonly cause: Int32Array;
  /** Nesting depth of waits: 0 for the thread studied. */
  readonly depth: Int32Array;
  /** VIA_* of graph/path.ts: how the path came here from the segment before. */
  readonly via: Uint8Array;
}

/** Time on the path by worker and state. */
export interface PathPart {
  readonly worker: number;
  /** A stored value of a thread's state (kernel/values), for its colour and word, or one of graph/path-codes. */
  readonly value: number;
  /** The system call or interrupt that it was in, or the lock that it waited for; '' for none. */
  readonly detail: string;
  readonly ns: number;
  /** Number of segments with such a part. */
  readonly segments: number;
  /**
   * Blockers that took the time while the worker could not go on, most first; they add up to `ns`, or there are none.
   */
  readonly blockers: readonly PathBlocker[];
  /** Requests that disks served during waits for them; as disks serve several at a time, they may add up to more. */
  readonly served: readonly PathBlocker[];
}

/** A thread, an interrupt, or a disk request, by name. */
export interface PathBlocker {
  readonly text: string;
  readonly ns: number;
}

/** "Waits for" as a tree, parents first: a worker, its states, below these the worker waited for, who took the time. */
export interface WaitsFor {
  readonly length: number;
  /** -1: the thread studied. */
  readonly parent: Int32Array;
  /** Index in `workers` of a worker's frame, else -1. */
  readonly worker: Int32Array;
  /** State of a state's frame, as `PathPart.value`; NO_STATE of others. */
  readonly value: Int32Array;
  /** Index in `texts`; for waits for locks, of the lock alone. */
  readonly text: Int32Array;
  readonly texts: readonly string[];
  readonly ns: Float64Array;
}

/** A wait for a lock that nobody handed over, with what its holder waited for meanwhile. */
export interface VainLockWait {
  /** Index in `workers`. */
  readonly worker: number;
  /** Within the range. */
  readonly ns: number;
  /** The lock and its holder, then the lock that the holder waited for, and so on; holder -1: not known. */
  readonly chain: readonly { readonly lock: string; readonly holder: number }[];
  /** Whether the last holder is itself one of the waiting threads: a deadlock. */
  readonly isCircle: boolean;
}

/** Waits of the thread studied for a lock, as a path by `lock-holder` divides them by holder. */
export interface DividedLockWait extends LockTurns {
  readonly lock: string;
  readonly waits: number;
  /** ns of segments: of the turns and of the time in which nobody held it. */
  readonly ns: number;
  /** Workers that were ready to run while nobody held the lock, longest first. */
  readonly ready: readonly { readonly worker: number; readonly ns: number }[];
}

/** Time of the thread studied that it waited for a lock of the kernel, running or blocked. */
export interface KernelLockTime {
  /** `rwsem 0x…d5f0 of the kernel`. */
  readonly lock: string;
  readonly ns: number;
  readonly waits: number;
  /** Label of the thread whose wake-ups ended the longest waits; undefined: nobody woke it. */
  readonly by: string | undefined;
}

/** The active path of a thread. The parts of its time take longer to compute: `PathParts`. */
export interface PathAnswer extends TimeRange {
  /** Unique id, by which the path's parts are asked for. */
  readonly id: number;
  readonly row: string;
  readonly criterion: PathCriterion;
  readonly workers: readonly PathWorker[];
  readonly causes: readonly string[];
  readonly segments: PathSegments;
  /** ns of the path of which nothing is known. */
  readonly unexplainedNs: number;
  readonly foldedWaits: number;
  /** Lock waits by any criterion, once locks are known: of the thread that is asked for, and of others on the path. */
  readonly vainWaits: readonly VainLockWait[];
  /** Divided waits by lock, longest first; none by other criteria than `lock-holder`. */
  readonly lockWaits: readonly DividedLockWait[];
  /** Waits for locks of the kernel by lock, longest first. */
  readonly kernelWaits: readonly KernelLockTime[];
  /** Events that were not recorded and would explain more: a sentence, and the command that records them. */
  readonly missing: readonly { readonly text: string; readonly command: string }[];
}

/** Groups of workers that totals are by; a program is all processes of one name on a host. */
export type PathGrouping = 'thread' | 'program' | 'process' | 'host';

export interface PathReportRequest {
  /** Id of a path's answer. */
  readonly path: number;
  readonly by: PathGrouping;
  /** Default: without folded stacks. */
  readonly isFolded?: boolean;
}

/** A path for the command line, where a worker is `1234`, `1234#2`, `irq/cpu3`, with several hosts `HOST:1234`. */
export interface PathReport {
  /** Worker that was asked for. */
  readonly worker: string;
  /** Worker and cause of each segment; '' none. */
  readonly workers: readonly string[];
  readonly causes: readonly string[];
  /** Time by group, label and kind of cause, most first. */
  readonly totals: readonly {
    readonly group: string;
    readonly label: string;
    readonly cause: string;
    readonly ns: number;
    readonly segments: number;
  }[];
  /** Time by group, state and system call, most first, with its blockers. */
  readonly parts: readonly (Pick<PathPart, 'ns' | 'blockers' | 'served'> & {
    readonly group: string;
    readonly state: string;
    readonly call: string;
  })[];
  /** Folded stacks of what was waited for: `frame;frame ns`. */
  readonly stacks: readonly string[];
  /** Waits for locks that nobody handed over; holder undefined: not known. */
  readonly vainWaits: readonly (Pick<VainLockWait, 'ns' | 'isCircle'> & {
    readonly worker: string;
    readonly chain: readonly { readonly lock: string; readonly holder: string | undefined }[];
  })[];
  /** Hosts on the path that are taken for virtual machines without the user's word. */
  readonly machines: readonly { readonly guest: string; readonly machine: string; readonly host: string }[];
}

/** Parts of a path's time. */
export interface PathParts {
  /** Workers of the path, as its answer has them, then others that took its time. */
  readonly workers: readonly PathWorker[];
  /** State that most of each segment was in, as `PathPart.value`, by segment. */
  readonly states: Int32Array;
  /** Parts, most time first. */
  readonly parts: readonly PathPart[];
  readonly waitsFor: WaitsFor;
}

/** `PathParts` as transferred to the page (`packed-parts.ts`). */
export interface PackedPathParts extends Omit<PathParts, 'parts'> {
  readonly parts: PackedParts;
}

/** `PathPart`s as columns: a long path has too many to copy them one by one. */
export interface PackedParts {
  readonly length: number;
  /** Words of details and blockers, each once. */
  readonly texts: readonly string[];
  readonly worker: Int32Array;
  readonly value: Int32Array;
  /** Index in `texts`. */
  readonly detail: Int32Array;
  readonly ns: Float64Array;
  readonly segments: Int32Array;
  /** Blockers of part i are [start[i], start[i + 1]), and so for `served`. */
  readonly blockers: PackedBlockers;
  readonly served: PackedBlockers;
}

export interface PackedBlockers {
  readonly start: Int32Array;
  /** Index in `texts`. */
  readonly text: Int32Array;
  readonly ns: Float64Array;
}

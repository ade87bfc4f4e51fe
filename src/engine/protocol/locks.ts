/** Requests and answers about locks. Types only. Durations are ns. */
import type { Fault } from '../base/fault.ts';
import type { DisplayNs } from '../base/units.ts';
import type { EventShape } from '../layers/contract/event-shapes.ts';
import type { LockKind } from '../layers/locks/lock-log.ts';
import type { HoldPart, LockCount, OUTCOMES, WAYS } from '../layers/locks/model/lock-model.ts';
import type { ProfileTree } from '../layers/stacks/profile.ts';
import type { LockTimes } from '../layers/executions/ranking/ranking.ts';
import type { LockSums } from '../layers/locks/results/lock-sums.ts';
import type { LockProvider } from '../layers/locks/providers.ts';
import type { TimeRange } from './range.ts';

/** A thread that waits, holds or wakes. */
export interface LockThreadInfo {
  /** Id of its row, by which other requests name it, even if the tree of rows leaves it out. */
  readonly row: string;
  /** Name in output of the command line: `1234`, a later life of the same id `1234#2`. */
  readonly key: string;
  readonly host: number;
  /** `fight-2`; '' unknown. */
  readonly name: string;
  /** Name, with the tid where several threads share it. */
  readonly label: string;
  readonly tid: number;
  readonly pid: number | undefined;
  /** Number of a colour of spans (`layers/locks/results/colours.ts`). */
  readonly colour: number;
}

/** Index in `LocksAnswer.threads`, -1: nobody known. */
export type ThreadIndex = number;

/** Intervals of time of threads, such as executions, as columns in any order. */
export interface LocksWithinRequest {
  /** Ids of rows of threads. */
  readonly rows: readonly string[];
  /** Index in `rows`. */
  readonly thread: Int32Array;
  /** DisplayNs. */
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/** Time that the threads waited for locks held by others, by interval; intervals without any are left out. */
export interface LocksWithin extends LockTimes {
  /** True: there are too many waits, and none are returned. */
  readonly isCut?: boolean;
}

/** Successive holders of a lock while a thread waited for it. */
export interface LockTurns {
  /** `times`: holds that followed each other. Holder: index of a thread, or of a path's worker; -1: nobody known. */
  readonly turns: readonly { readonly holder: number; readonly times: number; readonly ns: number }[];
  /** ns in which nobody held it. */
  readonly freeNs: number;
}

export interface LockLine extends LockSums {
  /** Id by which other requests name the lock, with the host first: `0:mutex:231:0x55d0c1a0f260`. */
  readonly id: string;
  readonly host: number;
  /** `mutex 0x…f260 of wk-lockfight`, where its symbol is known `rwlock g_rw of wk-locks`; `/tmp/.ZendSem.x`. */
  readonly name: string;
  readonly kind: LockKind;
  /** -1: of no single process. */
  readonly pid: number;
  /** '' unknown, or of no single process. */
  readonly process: string;
  /** `0x…`; of files the path. */
  readonly address: string;
  /** Number of a colour of spans, as of threads. */
  readonly colour: number;
  readonly maxWaiters: number;
  /** Jain's index of fairness of the threads' contended waits in millionths; undefined: nobody waited. */
  readonly jainPpm: number | undefined;
  /** Acquisitions that overtook an earlier request of another thread. */
  readonly barging: number;
  /** ns of its holds by what the holder did; undefined: unknown, without a kernel's trace. */
  readonly holdParts: Readonly<Record<HoldPart, number>> | undefined;
  /** Whether holders wait for work while they hold it, so that waiting for it is idleness; undefined: not known. */
  readonly isIdle: boolean | undefined;
  readonly counts: Readonly<Record<LockCount, number>>;
}

/** Cells with time, ordered by waiter and holder. */
export interface BlockingMatrix {
  readonly length: number;
  /** Indices of threads. */
  readonly waiter: Int32Array;
  /** -1: no holder is known. */
  readonly holder: Int32Array;
  readonly ns: Float64Array;
  /** Number of waits that have a part in the cell. */
  readonly waits: Int32Array;
}

/** a waits for b while b waits for c. */
export interface LockChain extends TimeRange {
  readonly waiter: ThreadIndex;
  /** Ids of locks. */
  readonly lock: string;
  readonly holder: ThreadIndex;
  readonly nextLock: string;
  readonly nextHolder: ThreadIndex;
}

/** A queue of waiters that did not drain. */
export interface Convoy extends LockEpisode {
  readonly lock: string;
}

/** Deadlock: thread i waits for lock i, which thread i + 1 holds, and the last thread for a lock of the first. */
export interface Deadlock extends TimeRange {
  /** `unfinished`: it never ended; `failed`: a wait was given up. */
  readonly ended: 'failed' | 'unfinished';
  readonly threads: readonly ThreadIndex[];
  readonly locks: readonly string[];
}

/** A cycle of locks that different threads take in an order that could become a deadlock. */
export interface Inversion {
  readonly locks: readonly string[];
  readonly orders: readonly LockOrder[];
}

/** `second` is requested while `first` is held. */
export interface LockOrder {
  readonly first: string;
  readonly second: string;
  readonly by: readonly {
    readonly thread: ThreadIndex;
    readonly times: number;
    readonly firstNs: DisplayNs;
  }[];
}

/** A futex with known waiters and wakers, but an unknown holder. */
export interface FutexLine {
  /** Id by which its waits are asked for: `0:futex:231:0x55d0c1a0f260`. */
  readonly id: string;
  /** Id of the lock that contains the futex, if known. */
  readonly lock: string | undefined;
  readonly host: number;
  /** Name of the lock that contains it, or else `futex cache_lock of wk-server`, `futex 0x…a060 of postgres`. */
  readonly name: string;
  readonly pid: number;
  readonly process: string;
  readonly address: string;
  readonly waits: number;
  /** Waits in which the thread was blocked; those that another thread's futex call, or its end, ended. */
  readonly blocked: number;
  readonly woken: number;
  /** Waits that the end of a thread ended, as in pthread_join: there is no lock. */
  readonly ended: number;
  readonly blockedNs: number;
  /** Waits that timed out, by waiter, most time first. */
  readonly timeOuts: readonly ThreadTime[];
  /** Threads that woke others, most wake-ups first. */
  readonly wakers: readonly { readonly thread: ThreadIndex; readonly times: number }[];
  /** Single waits, if everything was asked for. */
  readonly list?: readonly FutexWait[];
}

/** A wait in a futex call, or for a lock of the kernel. */
export interface HolderlessWait extends TimeRange {
  readonly waiter: ThreadIndex;
  /** Result of the call or of the acquisition; undefined: not known. */
  readonly result: number | undefined;
  /** Thread that ended the wait. */
  readonly waker: ThreadIndex;
  /** Time of the wake-up; undefined: not known. */
  readonly wokenNs: DisplayNs | undefined;
}

interface FutexWait extends HolderlessWait {
  readonly blockedNs: number;
}

interface KernelLockWait extends HolderlessWait {
  /** Flags of the kernel's event, which say the kind of lock. */
  readonly flags: number;
}

/** Waits of a thread, or waits that it ended. */
interface ThreadTime {
  readonly thread: ThreadIndex;
  readonly times: number;
  readonly ns: number;
}

/** A lock of the kernel with contended waits. */
export interface KernelLockLine {
  /** Id by which its waits are asked for: `0:kernel:0xff2240fc8231d5f0`. */
  readonly id: string;
  readonly host: number;
  /** `rwsem 0x…d5f0 of the kernel`. */
  readonly name: string;
  /**
   * Most frequent place of its waits, which distinguishes it from others: `mostly in rename`, `outside of system
   * calls`; `system calls not recorded`.
   */
  readonly place: string;
  readonly address: string;
  /** `mutex`, `rwsem`, `rtmutex`; several where waits differ: ` or `. */
  readonly kind: string;
  readonly wait: LockSums['wait'];
  readonly maxWaiters: number;
  /** Threads that waited, most time first. */
  readonly waiters: readonly ThreadTime[];
  /**
   * Waits by who woke the waiter last, and so let it in, however long it held the lock; -1: nobody, the waiter spun.
   */
  readonly wakers: readonly ThreadTime[];
  /** Waits by the system call in which threads waited; '': in none (a page fault); undefined: not recorded. */
  readonly calls: readonly {
    readonly call: string | undefined;
    readonly times: number;
    readonly ns: number;
  }[];
  readonly longest: HolderlessWait;
  /** Single waits, if everything was asked for. */
  readonly list?: readonly KernelLockWait[];
}

/** Everything about the locks of some hosts but single waits. undefined while they are being read. */
export interface LocksAnswer {
  /** Threads of all hosts, to which other parts of the answer refer by index. */
  readonly threads: readonly LockThreadInfo[];
  readonly locks: readonly LockLine[];
  readonly threadSums: readonly (LockSums & { readonly thread: ThreadIndex })[];
  /** Over all locks. */
  readonly matrix: BlockingMatrix;
  readonly deadlocks: readonly Deadlock[];
  readonly inversions: readonly Inversion[];
  /** Number of chains; the longest of them, or all in order of time if everything was asked for. */
  readonly chains: { readonly count: number; readonly listed: readonly LockChain[] };
  readonly convoys: readonly Convoy[];
  readonly futexes: readonly FutexLine[];
  /** Locks of the kernel, on each host the longest waited for first. */
  readonly kernelLocks: readonly KernelLockLine[];
  readonly problems: readonly { readonly text: string; readonly count: number }[];
  /** How to record who holds the locks, where only futexes are known. */
  readonly recordCommand: string | undefined;
  /** Rows of the user's own that were read. */
  readonly own: readonly LockProvider[];
  readonly faults: readonly Fault[];
}

/** Cost of a lock: the time of waits that is due to it, by the critical path of each wait. */
export interface LockRank {
  /** Id of the lock. */
  readonly lock: string;
  /** ns; undefined: not known, as the paths of the waits are too long. */
  readonly pathNs: number | undefined;
}

/** A place where threads request a lock, or from which they let others in, with its waits and holds. Times are ns. */
export interface LockPlaceLine {
  /** Id of the lock, or of the futex. */
  readonly lock: string;
  /** Name of the lock, of the kernel with its most common place. */
  readonly name: string;
  /** Innermost function and system call: `cache_lookup › futex`; `not recorded`, `outside of system calls`. */
  readonly place: string;
  readonly requests: number;
  /** Contended requests made there; for futexes the blocked ones. */
  readonly waits: number;
  readonly waitNs: number;
  readonly maxNs: number;
  /** Holds of requests made there; none for futexes and locks of the kernel, whose holds are unknown. */
  readonly holds: number;
  readonly holdNs: number;
  /**
   * Waits of others for holds requested there, or for threads that let them in from there; of a lock they add up to
   * all.
   */
  readonly blameNs: number;
}

export interface LockPlacesRequest {
  /** Id of a lock, a futex or a lock of the kernel; default: all. */
  readonly lock?: string;
}

/** undefined: locks are being read, or no states are known. */
export interface LockPlaces {
  /** Places by lock, most waits first. */
  readonly places: readonly LockPlaceLine[];
  /**
   * Waits by lock and the requester's stack, then `←` and, innermost first, that of the holder's request or of the
   * waker.
   */
  readonly tree: ProfileTree;
}

export interface LocksRequest {
  /** Indices of hosts; default: all. */
  readonly hosts?: readonly number[];
  /** Whether everything is listed; default: only the longest, and no single waits. */
  readonly isWhole?: boolean;
}

/** Events of programs that are read as events of locks, or could be. undefined while the trace is being read. */
export interface LockProvidersAnswer {
  /** Rows of the user's own. */
  readonly own: readonly LockProvider[];
  /** All events that the trace declares. */
  readonly events: readonly EventShape[];
  /** Number of events that are known as lock events without a row of the user's. */
  readonly known: number;
  /** How to record such events, where there are none. */
  readonly recordCommand: string | undefined;
  /** Whether the files are there, so that something else can be read. */
  readonly hasFiles: boolean;
  readonly faults: readonly Fault[];
}

/** Time in which a thread held locks, as part of the tree of critical sections. */
export interface CriticalSectionLine {
  /** Index of the enclosing section, which comes before; -1: a thread. */
  readonly parent: number;
  /** Kind of the section: all of a thread, a lock that it held, or a lock that it waited for meanwhile. */
  readonly kind: 'thread' | 'hold' | 'wait';
  readonly thread: ThreadIndex;
  /** Id of the lock; '' of a thread's. */
  readonly lock: string;
  /** ns, including sections within it. */
  readonly ns: number;
}

/** Conditions of the wanted waits, all of which must hold. Times are display ns. */
export interface LockWaitsRequest {
  /** Id of a lock. */
  readonly lock?: string;
  /** Row of the thread that waits. */
  readonly waiter?: string;
  /** Row of a thread that part of the wait was for; null: unknown. */
  readonly holder?: string | null;
  /** Waits that overlap [from, to). */
  readonly from?: number;
  readonly to?: number;
  /** Whether uncontended requests are included. */
  readonly all?: boolean;
  /**
   * Whether waits for kernel locks are included, if no holder is asked for; one such lock, or a futex, is asked for by
   * id.
   */
  readonly kernel?: boolean;
  /** Whether lines have `holders` and `turns`. */
  readonly holders?: boolean;
  readonly order: 'longest' | 'earliest';
  readonly limit: number;
}

export interface LockWaitLine extends TimeRange {
  readonly lock: string;
  readonly waiter: ThreadIndex;
  /** Part of the wait that was for the wanted holder, or else all of it. */
  readonly ns: number;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly way: (typeof WAYS)[number];
  /** undefined: this kind of lock has no owner. */
  readonly mode: 'exclusive' | 'shared' | undefined;
  readonly isContended: boolean;
  /** Thread that handed the lock over, or held it at the end; of futexes and kernel locks the waker. */
  readonly by: ThreadIndex;
  /** Time of the hand-over; undefined: there was none. */
  readonly handOverNs: DisplayNs | undefined;
  readonly via: 'wake-up' | 'release' | undefined;
  /** undefined: not known, of futexes and locks of the kernel. */
  readonly spinningNs: number | undefined;
  /** Threads that the wait was for, as in the matrix, longest first: they add up to the wait if any is known. */
  readonly holders?: readonly { readonly thread: ThreadIndex; readonly ns: number }[];
  /** Holders in turn up to the hand-over, as on the path of the wait. */
  readonly turns?: LockTurns;
  /** System call in which the thread waited for a lock of the kernel; '': in none, undefined: none were recorded. */
  readonly call?: string;
  /** End of the hold; undefined: not acquired, or the kind has no owner. */
  readonly heldToNs: DisplayNs | undefined;
  /** Whether the hold ended before its release was recorded. */
  readonly isLate: boolean;
  /** Whether the hold did not end in the trace. */
  readonly isOpen: boolean;
  /** Whether lock events were lost meanwhile. */
  readonly isLossy: boolean;
}

export interface LockWaitsAnswer {
  /** Threads, as in `LocksAnswer`. */
  readonly threads: readonly LockThreadInfo[];
  /** Number of all waits, and their ns. */
  readonly count: number;
  readonly totalNs: number;
  readonly waits: readonly LockWaitLine[];
}

export interface LockRequest {
  /** Id of a lock. */
  readonly lock: string;
  /** Lists all episodes. */
  readonly isWhole?: boolean;
}

/** Time from the first waiter until there are none. */
export interface LockEpisode extends TimeRange {
  readonly maxWaiters: number;
  readonly handOvers: number;
}

/** One lock in detail; undefined: there is none of that id. */
export interface LockAnswer {
  readonly lock: LockLine;
  readonly threadSums: readonly (LockSums & { readonly thread: ThreadIndex })[];
  readonly matrix: BlockingMatrix;
  /** Number of episodes, and those with most hand-overs, in order of time. */
  readonly episodes: { readonly count: number; readonly largest: readonly LockEpisode[] };
  readonly longestWait: LockWaitLine | undefined;
}

/**
 * Model of locks of a host: who waited for which lock and for whom, and who held it. Plain columns that can be
 * stored; HostNs.
 */
import { f64, i32, type ReadRows, u8 } from '../../../base/tables.ts';
import type { EventThread } from '../../contract/event-threads.ts';
import { type LockAddress, type LockKind, type LockName, SHARED } from '../lock-log.ts';

/** Ends of requests. */
export const OUTCOMES = ['acquired', 'failed', 'unfinished'] as const;

export const ACQUIRED = 0;
/** A request returned without the lock: time-out, deadlock. */
export const FAILED = 1;
/** No end was recorded. */
export const UNFINISHED = 2;

/** Ways to ask for a lock. */
export const WAYS = ['lock', 'timed', 'try', 'cond', 'kept'] as const;

export const BY_LOCK = 0;
export const BY_TIMED_LOCK = 1;
export const BY_TRY = 2;
/** Taken again at the end of a wait for a condition. */
export const BY_CONDITION = 3;
/** Not requested: a file lock passed to another process that has its open file description. */
export const BY_KEEPING = 4;

/** Mode of kinds of locks without owner, besides EXCLUSIVE and SHARED. */
export const NO_MODE = 2;

/** Flags of a wait. The wait was for another thread. */
export const CONTENDED = 1;
/** The hand-over is a wake-up of the waiter, else a release. */
export const WOKEN = 2;
/** The hold ended before its release was recorded, by an action of others. */
export const LATE = 4;
/** The hold has no end. */
export const OPEN = 8;
/** The giver had taken the lock: always so with an owner; a semaphore may only be given. */
export const TAKEN = 16;
/** Lock events were lost during the wait or the hold. */
export const LOSSY = 32;

/** Rows of requests, without nested ones and failed attempts; in order of request, end, thread. */
export const LOCK_WAITS = {
  /** Row of `threads`. */
  thread: i32(),
  /** Row of `locks`. */
  lock: i32(),
  request: f64(),
  /** The wait is [request, end]. */
  end: f64(),
  /** The hold is [end, to]; NaN: not acquired, or the kind has no owner. */
  to: f64(),
  /** Time when the thread gave back what it took of a semaphore, else the latest possible; NaN: other kinds. */
  back: f64(),
  /** Index of OUTCOMES. */
  outcome: u8(),
  mode: u8(),
  /** Index of WAYS. */
  way: u8(),
  flags: u8(),
  /** Row of `threads` of who handed over, or held the lock at the end if it was not acquired; -1 nobody known. */
  by: i32(),
  /** Time of the hand-over, NaN none. */
  link: f64(),
  /** End of the wait on a path: the hand-over, else its end; for an unfinished one no later than its thread's next event. */
  until: f64(),
  /** Time of a contended wait, up to the hand-over, in which the kernel shows the waiter on a CPU, ns. */
  spinning: f64(),
};

export type LockWaits = ReadRows<typeof LOCK_WAITS>;

/** Times that threads made others wait for a lock; for each lock and waiter they sum to its contended waits. */
export const BLOCKING_CELLS = {
  /** Row of `locks`. */
  lock: i32(),
  waiter: i32(),
  /** -1: nobody known. */
  holder: i32(),
  ns: f64(),
  /** Number of waits with a part for the holder. */
  waits: i32(),
};

export type BlockingCells = ReadRows<typeof BLOCKING_CELLS>;

/** Releases by threads that were not seen to acquire, in order of time for each lock. */
export interface StrayRows {
  readonly length: number;
  readonly lock: Int32Array;
  readonly thread: Int32Array;
  readonly time: Float64Array;
}

/** Waits within the futex system call, whose holders are not visible. In order of time for each futex. */
export const FUTEX_WAITS = {
  thread: i32(),
  /** Row of `futexes`. */
  futex: i32(),
  from: f64(),
  to: f64(),
  /** Result of the call; NaN: it did not return. */
  result: f64(),
  /** ns in which the thread was blocked. */
  blocked: f64(),
  /** Thread whose futex call or end woke it, row of `threads`, and when; -1 and NaN: not known. */
  waker: i32(),
  at: f64(),
  /** 1: the waker ended, so that the kernel woke its waiters. */
  byEnd: u8(),
};

export type FutexWaits = ReadRows<typeof FUTEX_WAITS>;

/** Contended waits for kernel locks, whose holders are not visible. */
export const KERNEL_LOCK_WAITS = {
  thread: i32(),
  /** Row of `kernelLocks`. */
  lock: i32(),
  from: f64(),
  to: f64(),
  /** Flags of `contention_begin`; `kernelLockKind` has the words. */
  flags: i32(),
  /** Result of the wait; NaN: no end was recorded. */
  result: f64(),
  /** Thread that woke the waiter last, row of `threads`, and when; -1 and NaN: none. */
  waker: i32(),
  at: f64(),
};

export type KernelLockWaits = ReadRows<typeof KERNEL_LOCK_WAITS>;

/** Counts of each lock besides its waits. */
export const LOCK_COUNTS = [
  'nested',
  'failedTries',
  'lateReleases',
  'missingReleases',
  'releaseWithoutAcquire',
  'acquireWithoutRequest',
  'requestWithoutEnd',
] as const;

export type LockCount = (typeof LOCK_COUNTS)[number];

/**
 * Parts of the time in which a lock was held. `accept`: blocked in a call that waits for connections or for events of
 * files. `lock`: waited for a lock. `thread`: blocked until another thread woke it.
 */
export const HOLD_PARTS = [
  'running',
  'runnable',
  'disk',
  'network',
  'timer',
  'lock',
  'accept',
  'thread',
  'other',
  'unknown',
] as const;

export type HoldPart = (typeof HOLD_PARTS)[number];

/** A thread of the model: first those of the log by their rows there, then others that woke waiters. */
export interface ModelThread extends EventThread {
  /** Name in output: `1234`, `1234#2`, `0/cpu3`. */
  readonly key: string;
  /** Last name, '' unknown. */
  readonly name: string;
}

export interface LockModel {
  readonly threads: readonly ModelThread[];
  readonly locks: readonly LockName[];
  readonly waits: LockWaits;
  readonly cells: BlockingCells;
  readonly strays: StrayRows;
  /** Counts by row of `locks`. */
  readonly counts: Readonly<Record<LockCount, Int32Array>>;
  /** ns by row of `locks` and HOLD_PARTS: lock · parts + part. undefined: there is no kernel's trace. */
  readonly holdParts: Float64Array | undefined;
  readonly futexes: readonly LockAddress[];
  readonly futexWaits: FutexWaits;
  readonly kernelLocks: readonly LockAddress[];
  readonly kernelWaits: KernelLockWaits;
  /** Counts of events that were not used or are inconsistent, by reason. */
  readonly problems: Readonly<Record<string, number>>;
}

const OWNED: ReadonlySet<LockKind> = new Set(['mutex', 'spin', 'rwlock', 'file']);

/** Whether locks of a kind have an owner while they are held. */
export function hasOwner(kind: LockKind): boolean {
  return OWNED.has(kind);
}

/** Whether threads in two modes exclude each other: all but two readers do. */
export function conflicts(mode: number, other: number): boolean {
  return mode !== SHARED || other !== SHARED;
}

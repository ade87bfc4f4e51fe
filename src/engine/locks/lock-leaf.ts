/** What one chunk contributes to the log of locks, in stream order. */
import type { TransitionLeaf } from '../analysis/contract.ts';

/**
 * An event of a program: index in the settings' events, row of `contexts`, the lock's address (low and high words), status,
 * row of `mutexes` or -1.
 */
export const L_USER = 0;
/** The same of a lock that has a name: index of its text, then 0. */
export const L_USER_NAME = 1;
/** An event that tells no lock. */
export const L_WITHOUT_LOCK = 2;
/** Who runs on the CPU: tid. */
export const L_SWITCH = 3;
/** Events were lost before this one: 1 of programs, 0 of the kernel. */
export const L_LOSS = 4;

/** Of the following the first argument is the thread as a context tells it, -1: the one that runs. */
/** Operation, address and second address (low and high words each). */
export const L_FUTEX = 5;
/** Index in `FILE_CALLS`, descriptor, second descriptor or the last one, command or flags, text of the path. */
export const L_CALL = 6;
/** Index in `FILE_CALLS`, FUTEX_CALL or ANY_CALL, result. */
export const L_RETURN = 7;
/** Address, flags. */
export const L_CONTENTION_BEGIN = 8;
/** Address, result. */
export const L_CONTENTION_END = 9;

/** Child tid, child pid, parent pid. */
export const L_FORK = 10;
/** Pid, address of its table of files (low, high). */
export const L_PROCESS = 11;
/** Pid or -1, descriptor, text of the path, address of the table of files (low, high). */
export const L_FILE = 12;

/** Threads as contexts of events tell them. */
export interface LeafContexts {
  readonly length: number;
  /** -1: not told. */
  readonly vtid: Int32Array;
  readonly vpid: Int32Array;
  /** Inode number of the pid namespace of both (low 32 bits), 0 not told. */
  readonly namespace: Int32Array;
  /** Index in the leaf's texts, -1 none. */
  readonly process: Int32Array;
}

export interface LockLeaf extends TransitionLeaf {
  readonly kind: Uint8Array;
  readonly cpu: Int32Array;
  /** Index of its first argument. */
  readonly place: Uint32Array;
  readonly args: Int32Array;
  readonly contexts: LeafContexts;
  /** Addresses: low and high words in turn. */
  readonly mutexes: Int32Array;
  readonly texts: readonly string[];
}

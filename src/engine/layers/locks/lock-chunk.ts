/** Chunk result of locks, in stream order. */
import { E_OWN, type EventLeaf } from '../contract/event-chunk.ts';

/**
 * An event of a program: index in the settings' events, row of `contexts`, the lock's address (low and high words), status,
 * row of `mutexes` or -1.
 */
export const L_USER = E_OWN;
/** The same of a lock that has a name: index of its text, then 0. */
export const L_USER_NAME = E_OWN + 1;
/** An event that tells no lock. */
export const L_WITHOUT_LOCK = E_OWN + 2;
// The first argument of these kinds is the thread as a context tells it, -1: the one that runs.
/** Operation, address and second address (low and high words each). */
export const L_FUTEX = E_OWN + 3;
/** Index in `FILE_CALLS`, descriptor, second descriptor or the last one, command or flags, text of the path. */
export const L_CALL = E_OWN + 4;
/** Index in `FILE_CALLS`, FUTEX_CALL or ANY_CALL, result. */
export const L_RETURN = E_OWN + 5;
/** Address, flags. */
export const L_CONTENTION_BEGIN = E_OWN + 6;
/** Address, result. */
export const L_CONTENTION_END = E_OWN + 7;

/** Child tid, child pid, parent pid. */
export const L_FORK = E_OWN + 8;
/** Pid, address of its table of files (low, high). */
export const L_PROCESS = E_OWN + 9;
/** Pid or -1, descriptor, text of the path, address of the table of files (low, high). */
export const L_FILE = E_OWN + 10;

export interface LockLeaf extends EventLeaf {
  /** Addresses: low and high words in turn. */
  readonly mutexes: Int32Array;
}

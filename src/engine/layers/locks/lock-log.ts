/** Log of lock events of a host, in total order: the layer's reducer writes it, `model/` reads it. */
import type { EventThread } from '../contract/event-threads.ts';
import type { LoadedModule, ProcessMemory } from '../stacks/stack-tables.ts';
import { GrowingTable } from '../../base/columns.ts';
import { f64, i32, type ReadRows, type Table, tableOf, u8 } from '../../base/tables.ts';

export const LOCK_KINDS = ['mutex', 'spin', 'rwlock', 'sem', 'cond', 'barrier', 'file'] as const;

export type LockKind = (typeof LOCK_KINDS)[number];

/** Modes of a request: exclusive, shared. */
export const EXCLUSIVE = 0;
export const SHARED = 1;

/** A thread begins to request a lock, with `mode`. */
export const REQUEST = 0;
/** Request with a time limit. */
export const TIMED_REQUEST = 1;
/** A request ended. `value`: status, 0 if not recorded. */
export const ACQUIRE = 2;
/** A non-waiting request, as one event. `value`: status. */
export const TRY = 3;
/** `value`: status. */
export const RELEASE = 4;
/** A thread begins to wait for a condition; `other`: the mutex that it releases, -1 not recorded. */
export const COND_BEGIN = 5;
/** `value`: status; `other` as before. */
export const COND_END = 6;
export const SIGNAL = 7;
export const BROADCAST = 8;
export const BARRIER_BEGIN = 9;
export const BARRIER_END = 10;
/** A semaphore is posted. */
export const POST = 11;
/** The lock at this address is destroyed; a later one is another lock. */
export const DESTROY = 12;
/** Entry of flock. `value`: operation; `lock`: the descriptor's file; `other`: number of the file description, the owner. */
export const FLOCK_ENTER = 13;
/** Entry of fcntl, F_(OFD_)SETLK (`value` 0) or -LKW (1). `other`: file description for F_OFD_…, -1: the process owns it. */
export const FCNTL_ENTER = 14;
/** Exit of the thread's latest flock or fcntl. `value`: result; `lock` -1. */
export const FILE_EXIT = 15;
/** A thread closes a descriptor of the file: its process loses its fcntl locks on it. */
export const FILE_CLOSE = 16;
/**
 * Process `value` has left file description `other`. `thread`: main thread of the smallest process that still has it;
 * -1: none.
 */
export const FILE_LEFT = 17;
/** Entry of futex. `value`: its operation; `lock` and `other`: rows of `futexes` for its two addresses, -1 none. */
export const FUTEX_ENTER = 18;
/** `value`: result. */
export const FUTEX_EXIT = 19;
/** A thread ends, by the kernel's trace. */
export const THREAD_END = 20;
/** `value`: flags; `lock`: row of `kernelLocks`. */
export const CONTENTION_BEGIN = 21;
/** `value`: result; `lock` as before. */
export const CONTENTION_END = 22;
/** Events of a stream were lost before this time: `thread` and `lock` -1; `value`: its CPU, `other` 1 for streams of user space. */
export const LOSS = 23;

const ROWS = {
  /** HostNs of the host, ascending. */
  time: f64(),
  op: u8(),
  /** Row of `threads`. */
  thread: i32(),
  /** Row of `locks`, or of the tables of futexes or kernel locks; -1 none. */
  lock: i32(),
  other: i32(),
  value: i32(),
  mode: u8(),
};

export interface LockLog extends ReadRows<typeof ROWS> {
  readonly threads: readonly EventThread[];
  readonly locks: readonly LockName[];
  readonly futexes: readonly LockAddress[];
  readonly kernelLocks: readonly LockAddress[];
  /** Programs and libraries, if programs or futex calls identify locks. */
  readonly modules: readonly LoadedModule[];
  readonly memories: readonly ProcessMemory[];
  /** Last event of the host, HostNs. */
  readonly end: number;
  /** Events that were not used, by reason. */
  readonly problems: Readonly<Record<string, number>>;
}

export interface LockAddress {
  /** Process, by the kernel's trace if there is one; -1: of no single one (kernel locks, files). */
  readonly process: number;
  /** Address as text, `0x…`; for files their path, else `fd 3 of 41`; in users' rows possibly a name. */
  readonly address: string;
}

/** Address of a lock or futex as a number; undefined: a name from a user's row. */
export function addressNumber(address: string): bigint | undefined {
  return /^0x[0-9a-f]{1,16}$/.test(address) ? BigInt(address) : undefined;
}

export interface LockName extends LockAddress {
  readonly kind: LockKind;
  /** Other addresses of a lock in memory shared between processes; absent: none is known. */
  readonly aliases?: readonly LockAddress[];
}

/** Columns of a log being written. */
export class LogWriter extends GrowingTable<Table<typeof ROWS>> {
  /** Threads with rows, in order of their first one, as numbered by the caller. */
  readonly threads: number[] = [];
  /** Index in `threads` by the caller's number. */
  readonly #placeOf: number[] = [];

  constructor() {
    super(tableOf(ROWS, 0));
  }

  /** Adds a row; `other`, `value` and `mode` depend on the operation. */
  add(
    time: number,
    op: number,
    thread: number,
    lock: number,
    other: number,
    value: number,
    mode: number,
  ): void {
    const columns = this.rows;
    const row = this.addRow();
    columns.time[row] = time;
    columns.op[row] = op;
    columns.thread[row] = thread < 0 ? thread : this.#place(thread);
    columns.lock[row] = lock;
    columns.other[row] = other;
    columns.value[row] = value;
    columns.mode[row] = mode;
  }

  #place(thread: number): number {
    this.#placeOf[thread] ??= this.threads.push(thread) - 1;
    return this.#placeOf[thread];
  }
}

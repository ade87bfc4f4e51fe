/**
 * Locks of files from calls of flock and fcntl. LTTng records neither what fcntl wants nor for which bytes: a call in
 * which the thread slept asked for the lock, one of a process that has it gives it back, and one while nobody has it asks
 * for it. While another has it, a call that did not sleep was about other bytes.
 */
import * as l from '../lock-log.ts';
import type { LockLog } from '../lock-log.ts';
import { BY_LOCK } from './lock-model.ts';
import type { FileExits } from './log-index.ts';
import type { OwnedLock } from './owned-lock.ts';

/** Operations of flock. */
const LOCK_SH = 1;
const LOCK_EX = 2;
const LOCK_NB = 4;
const LOCK_UN = 8;

/** Effects of a thread's call: none, a request, an attempt. */
const NOTHING = 0;
const WAITS = 1;
const TRIES = 2;

export class FileLock {
  readonly #log: LockLog;
  readonly #lock: OwnedLock;
  readonly #exits: FileExits;
  readonly #hasSlept: (enter: number, exit: number) => boolean;
  /** Effect of the thread's call, and its mode, by thread. */
  readonly #call: Uint8Array;
  readonly #mode: Uint8Array;
  /** 1: its last call was fcntl; by thread. */
  readonly #isOfProcess: Uint8Array;

  /** @param hasSlept whether the thread slept between two rows of the log */
  constructor(
    log: LockLog,
    lock: OwnedLock,
    exits: FileExits,
    hasSlept: (enter: number, exit: number) => boolean,
  ) {
    this.#log = log;
    this.#lock = lock;
    this.#exits = exits;
    this.#hasSlept = hasSlept;
    this.#call = new Uint8Array(log.threads.length);
    this.#mode = new Uint8Array(log.threads.length);
    this.#isOfProcess = new Uint8Array(log.threads.length);
  }

  /** @param row of the log, an event of the lock that `lock` is at */
  take(row: number): void {
    const { op, thread, value } = this.#log;
    if (op[row] === l.FLOCK_ENTER) this.#enterFlock(row, thread[row], value[row]);
    else if (op[row] === l.FCNTL_ENTER) this.#enterFcntl(row, thread[row], value[row] === 1);
    else if (op[row] === l.FILE_EXIT) this.#exit(row, thread[row], value[row] === 0);
    else if (op[row] === l.FILE_CLOSE) this.#giveBack(this.#ofProcess(thread[row]), row);
  }

  #enterFlock(row: number, thread: number, operation: number): void {
    const mode = (operation & LOCK_SH) !== 0 ? l.SHARED : l.EXCLUSIVE;
    const asks = (operation & (LOCK_SH | LOCK_EX)) !== 0 && (operation & LOCK_UN) === 0;
    const isHeld = this.#own(thread) >= 0;
    // The call converts the lock, or gives it back.
    if (isHeld || !asks) this.#giveBack(thread, row);
    this.#isOfProcess[thread] = 0;
    if (asks) this.#begin(row, thread, mode, (operation & LOCK_NB) !== 0 ? TRIES : WAITS);
    else this.#call[thread] = NOTHING;
  }

  #enterFcntl(row: number, thread: number, waits: boolean): void {
    const exit = this.#exits.exitOf(row);
    const holder = this.#ofProcess(thread);
    this.#call[thread] = NOTHING;
    this.#isOfProcess[thread] = 1;
    if (waits && this.#hasSlept(row, exit)) {
      // Converted, or given back by a call that was not recorded.
      this.#giveBack(holder, row);
      this.#begin(row, thread, l.EXCLUSIVE, WAITS);
    } else if (holder >= 0) {
      this.#giveBack(holder, row);
    } else if (waits && !this.#lock.isHeldByOther(thread)) {
      this.#begin(row, thread, l.EXCLUSIVE, WAITS);
    } else if (!waits && exit >= 0 && this.#log.value[exit] < 0) {
      this.#begin(row, thread, l.EXCLUSIVE, TRIES);
    }
  }

  #begin(row: number, thread: number, mode: number, call: number): void {
    this.#call[thread] = call;
    this.#mode[thread] = mode;
    if (call === WAITS) this.#lock.request(thread, this.#log.time[row], mode, BY_LOCK);
  }

  #exit(row: number, thread: number, isDone: boolean): void {
    const time = this.#log.time[row];
    const status = isDone ? 0 : 1;
    if (this.#call[thread] === WAITS) this.#lock.acquire(thread, time, this.#mode[thread], BY_LOCK, status);
    if (this.#call[thread] === TRIES) this.#lock.attempt(thread, time, this.#mode[thread], status);
    this.#call[thread] = NOTHING;
  }

  /** Ends the hold of a thread; -1: of none. */
  #giveBack(holder: number, row: number): void {
    if (holder >= 0) this.#lock.release(holder, this.#log.time[row]);
  }

  #own(thread: number): number {
    return this.#lock.holder((holder) => holder === thread);
  }

  /** Locks by fcntl belong to processes: the thread if it holds the lock, else one of its process, -1 none. */
  #ofProcess(thread: number): number {
    const own = this.#own(thread);
    const { pid } = this.#log.threads[thread];
    if (own >= 0 || pid < 0) return own;
    return this.#lock.holder(
      (holder) => this.#isOfProcess[holder] === 1 && this.#log.threads[holder].pid === pid,
    );
  }
}

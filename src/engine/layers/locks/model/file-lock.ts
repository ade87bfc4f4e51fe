/**
 * File locks from calls of flock and fcntl. LTTng records neither the command of fcntl nor its range: a call in which
 * the thread slept requested the lock, a call by its owner releases it, and a call while nobody has it requests it.
 * While another has it, a call that did not sleep was about another range. Owners are open file descriptions (flock,
 * F_OFD_SETLK) or processes (F_SETLK); the thread that took a lock for one holds it.
 */
import * as lockLog from '../lock-log.ts';
import type { LockLog } from '../lock-log.ts';
import { BY_LOCK } from './lock-model.ts';
import type { FileExits } from './log-index.ts';
import { processOf } from './model-threads.ts';
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

/** Kinds of locks, which exclude each other only within a kind. */
const FLOCK = 'flock';
const OF_DESCRIPTION = 'description';
const OF_PROCESS = 'process';

interface Hold {
  readonly thread: number;
  readonly mode: number;
  /** Whether it was taken by fcntl. */
  readonly isOfRange: boolean;
}

/** Processes one file after the other, translating calls for a lock with an owner. */
export class FileLock {
  readonly #log: LockLog;
  readonly #lock: OwnedLock;
  readonly #exits: FileExits;
  readonly #hasSlept: (enter: number, exit: number) => boolean;
  readonly #endOf: (thread: number) => number;
  /** Effect of the thread's call, its mode and its owner, by thread. */
  readonly #call: Uint8Array;
  readonly #mode: Uint8Array;
  readonly #owner: string[] = [];
  /** Holds of the file by owner. */
  readonly #held = new Map<string, Hold>();

  /** @param hasSlept whether the thread slept between two rows @param endOf HostNs until which a thread may go on */
  constructor(
    log: LockLog,
    lock: OwnedLock,
    exits: FileExits,
    hasSlept: (enter: number, exit: number) => boolean,
    endOf: (thread: number) => number,
  ) {
    this.#log = log;
    this.#lock = lock;
    this.#exits = exits;
    this.#hasSlept = hasSlept;
    this.#endOf = endOf;
    this.#call = new Uint8Array(log.threads.length);
    this.#mode = new Uint8Array(log.threads.length);
  }

  get isIdle(): boolean {
    return this.#lock.isIdle && this.#held.size === 0;
  }

  begin(lock: number): void {
    this.#held.clear();
    this.#lock.begin(lock);
  }

  lose(time: number): void {
    this.#held.clear();
    this.#lock.lose(time);
  }

  destroy(time: number): void {
    this.#lock.destroy(time);
  }

  end(endOf: (thread: number) => number): void {
    this.#lock.end(endOf);
  }

  /** @param row of the log, an event of the file that `begin` named */
  take(row: number): void {
    const { op, thread, value, other } = this.#log;
    switch (op[row]) {
      case lockLog.FLOCK_ENTER:
        return this.#enterFlock(row, thread[row], value[row], `${FLOCK} ${other[row]}`);
      case lockLog.FCNTL_ENTER:
        return this.#enterFcntl(row, thread[row], value[row] === 1);
      case lockLog.FILE_EXIT:
        return this.#exit(row, thread[row], value[row] >= 0);
      case lockLog.FILE_CLOSE:
        return this.#giveBack(this.#processKey(thread[row]), row);
      case lockLog.FILE_LEFT:
        this.#leave(row, `${FLOCK} ${other[row]}`);
        return this.#leave(row, `${OF_DESCRIPTION} ${other[row]}`);
    }
  }

  #enterFlock(row: number, thread: number, operation: number, owner: string): void {
    const mode = (operation & LOCK_SH) !== 0 ? lockLog.SHARED : lockLog.EXCLUSIVE;
    const asks = (operation & (LOCK_SH | LOCK_EX)) !== 0 && (operation & LOCK_UN) === 0;
    // The call converts the lock, or releases it.
    this.#giveBack(owner, row);
    if (asks) this.#begin(row, thread, mode, (operation & LOCK_NB) !== 0 ? TRIES : WAITS, owner);
    else this.#call[thread] = NOTHING;
  }

  #enterFcntl(row: number, thread: number, waits: boolean): void {
    const exit = this.#exits.exitOf(row);
    const description = this.#log.other[row];
    const owner = description >= 0 ? `${OF_DESCRIPTION} ${description}` : this.#processKey(thread);
    const isHeld = this.#held.has(owner);
    this.#call[thread] = NOTHING;
    // Converted, or released by a call that was not recorded.
    this.#giveBack(owner, row);
    if (waits && this.#hasSlept(row, exit)) this.#begin(row, thread, lockLog.EXCLUSIVE, WAITS, owner);
    else if (isHeld) return;
    else if (waits && !this.#isRangeHeld(this.#log.time[row]))
      this.#begin(row, thread, lockLog.EXCLUSIVE, WAITS, owner);
    else if (!waits && exit >= 0 && this.#log.value[exit] < 0)
      this.#begin(row, thread, lockLog.EXCLUSIVE, TRIES, owner);
  }

  /** Whether anybody alive holds a lock by fcntl. */
  #isRangeHeld(time: number): boolean {
    for (const { thread, isOfRange } of this.#held.values())
      if (isOfRange && this.#endOf(thread) >= time) return true;
    return false;
  }

  #begin(row: number, thread: number, mode: number, call: number, owner: string): void {
    this.#call[thread] = call;
    this.#mode[thread] = mode;
    this.#owner[thread] = owner;
    if (call === WAITS) this.#lock.request(thread, this.#log.time[row], mode, BY_LOCK);
  }

  #exit(row: number, thread: number, isDone: boolean): void {
    const time = this.#log.time[row];
    const status = isDone ? 0 : 1;
    const [call, mode, owner] = [this.#call[thread], this.#mode[thread], this.#owner[thread]];
    if (call === WAITS) this.#lock.acquire(thread, time, mode, BY_LOCK, status);
    if (call === TRIES) this.#lock.attempt(thread, time, mode, status);
    if (call !== NOTHING && isDone) this.#own(owner, thread, mode);
    this.#call[thread] = NOTHING;
  }

  #own(owner: string, thread: number, mode: number): void {
    const isOfRange = !owner.startsWith(FLOCK);
    // Releases of other ranges were not seen.
    if (isOfRange) for (const [other, hold] of this.#held) if (hold.isOfRange) this.#held.delete(other);
    this.#held.set(owner, { thread, mode, isOfRange });
  }

  /** Ends the hold of an owner, if any, whoever calls. */
  #giveBack(owner: string, row: number): void {
    const hold = this.#held.get(owner);
    if (hold === undefined) return;
    this.#held.delete(owner);
    this.#lock.release(hold.thread, this.#log.time[row]);
  }

  /** Handles that a process has no descriptor of the owner left: another process keeps the lock, or it ends. */
  #leave(row: number, owner: string): void {
    const { thread, value, time } = this.#log;
    const hold = this.#held.get(owner);
    const keeper = thread[row];
    if (hold === undefined || (keeper >= 0 && this.#processOf(hold.thread) !== value[row])) return;
    this.#giveBack(owner, row);
    if (keeper < 0) return;
    this.#lock.keep(keeper, time[row], hold.mode);
    this.#held.set(owner, { ...hold, thread: keeper });
  }

  #processKey(thread: number): string {
    return `${OF_PROCESS} ${this.#processOf(thread)}`;
  }

  #processOf(thread: number): number {
    return processOf(this.#log.threads[thread]);
  }
}

/**
 * The events of a log, lock by lock, as waits and holds. The kernel's trace is used later, except for whether a
 * thread slept in a call that locks a file, which distinguishes its locks from its releases.
 */
import { lowerBound } from '../../../base/lower-bound.ts';
import type { RowGroups } from '../../../base/rows-by.ts';
import * as lockLog from '../lock-log.ts';
import type { LockKind, LockLog } from '../lock-log.ts';
import { type LockCounts, noCounts, WaitTable } from './model-tables.ts';
import { FileLock } from './file-lock.ts';
import { BY_LOCK, BY_TIMED_LOCK } from './lock-model.ts';
import { eventsOfThreads, type FileExits, fileExits, lossesOf, rowsOfLocks } from './log-index.ts';
import { OwnedLock, type SleepOf } from './owned-lock.ts';
import type { ThreadTimes } from './thread-waits.ts';
import { Barrier, Condition, Semaphore } from './unowned-locks.ts';

/** Rows of a table that belong to a lock. */
export interface LockSpan {
  readonly from: number;
  readonly to: number;
}

/** Spans of each lock's rows in the tables; undefined: it was not read. */
export interface LockSpans {
  readonly waits: LockSpan;
  /** Rows of locks with an owner in the `strays` of `OwnedLock`. */
  readonly strays: LockSpan;
  /** Rows of semaphores and conditions: posts, signals. */
  readonly gifts: LockSpan;
}

/** A mutex that was retaken after a wait for a condition. */
export interface Retake {
  /** Rows of the waits for both. */
  readonly mutex: number;
  readonly condition: number;
  /** Row of the thread's wait for the mutex before, -1 none. */
  readonly before: number;
}

interface Machine {
  readonly isIdle: boolean;
  begin(lock: number): void;
  lose(time: number): void;
  destroy(time: number): void;
  end(endOf: (thread: number) => number): void;
}

export class LockReader {
  readonly waits = new WaitTable();
  readonly counts: LockCounts;
  readonly owned: OwnedLock;
  readonly semaphore: Semaphore;
  readonly condition: Condition;
  readonly barrier: Barrier;
  /** Time of a thread's first event of any lock after a time; Infinity: there is none. HostNs. */
  readonly nextEvent: (thread: number, time: number) => number;
  /** Spans by row of the lock. */
  readonly spans: (LockSpans | undefined)[] = [];
  readonly #log: LockLog;
  readonly #endOf: (thread: number) => number;
  readonly #exits: FileExits;
  readonly #rows: RowGroups;
  readonly #files: FileLock;
  readonly #userLosses: Int32Array;
  readonly #kernelLosses: Int32Array;
  /** Waits for conditions by the row of the log at which they end, and rows at which mutexes were retaken. */
  readonly #conditionWaits = new Map<number, number>();
  readonly #retaken: (Omit<Retake, 'condition'> & { readonly at: number })[] = [];

  /**
   * @param hasSlept whether the thread of a call slept from its row to that of its end @param endOf HostNs until
   * which it may go on
   */
  constructor(
    log: LockLog,
    endOf: (thread: number) => number,
    hasSlept: (enter: number, exit: number) => boolean,
    sleepOf?: SleepOf,
  ) {
    const threads = log.threads.length;
    const { waits } = this;
    this.#log = log;
    this.#endOf = endOf;
    this.counts = noCounts(log.locks.length);
    this.owned = new OwnedLock(threads, waits, this.counts, sleepOf);
    this.semaphore = new Semaphore(threads, waits, this.counts);
    this.condition = new Condition(threads, waits, this.counts);
    this.barrier = new Barrier(threads, waits, this.counts);
    this.#exits = fileExits(log);
    this.#files = new FileLock(log, this.owned, this.#exits, hasSlept, endOf);
    this.#rows = rowsOfLocks(log, this.#exits);
    this.nextEvent = eventsOfThreads(log);
    this.#userLosses = lossesOf(log, true);
    this.#kernelLosses = lossesOf(log, false);
  }

  read(isWanted: (kind: LockKind) => boolean): void {
    this.#log.locks.forEach(({ kind }, lock) => {
      if (isWanted(kind)) this.#readLock(lock, kind);
    });
  }

  /** Adds the times of calls that may lock files. */
  addFileCalls(times: ThreadTimes): void {
    const { op, thread, time, length } = this.#log;
    for (let row = 0; row < length; row++) {
      if (op[row] !== lockLog.FLOCK_ENTER && op[row] !== lockLog.FCNTL_ENTER) continue;
      const exit = this.#exits.exitOf(row);
      times.add(thread[row], time[row], exit < 0 ? this.#endOf(thread[row]) : time[exit]);
    }
  }

  /** Mutexes that were retaken after waits for conditions. */
  retakes(): Retake[] {
    return this.#retaken.flatMap(({ at, mutex, before }) => {
      const condition = this.#conditionWaits.get(at);
      return condition === undefined ? [] : [{ mutex, condition, before }];
    });
  }

  #readLock(lock: number, kind: LockKind): void {
    const { waits, owned } = this;
    const machine = this.#machineOf(kind);
    const gifts = kind === 'sem' ? this.semaphore.posts : this.condition.signals;
    const lengths = () => [waits.length, owned.strays.length, gifts.length];
    const before = lengths();
    machine.begin(lock);
    const losses = kind === 'file' ? this.#kernelLosses : this.#userLosses;
    const { start, order } = this.#rows;
    let loss = 0;
    for (let at = start[lock]; at < start[lock + 1]; at++) {
      const row = order[at];
      if (losses.length > 0) loss = this.#passLosses(machine, losses, loss, row);
      if (this.#log.op[row] === lockLog.DESTROY) machine.destroy(this.#log.time[row]);
      else this.#take(kind, row);
    }
    if (losses.length > 0) this.#passLosses(machine, losses, loss, this.#log.length);
    machine.end(this.#endOf);
    const after = lengths();
    const [ofWaits, strays, ofGifts] = before.map((from, i) => ({ from, to: after[i] }));
    this.spans[lock] = { waits: ofWaits, strays, gifts: ofGifts };
  }

  /** Applies the losses before a row of the log; those before `from` have been applied. */
  #passLosses(machine: Machine, losses: Int32Array, from: number, row: number): number {
    const to = lowerBound(losses, row);
    if (!machine.isIdle) for (let i = from; i < to; i++) machine.lose(this.#log.time[losses[i]]);
    return to;
  }

  #machineOf(kind: LockKind): Machine {
    if (kind === 'file') return this.#files;
    if (kind === 'sem') return this.semaphore;
    if (kind === 'cond') return this.condition;
    return kind === 'barrier' ? this.barrier : this.owned;
  }

  #take(kind: LockKind, row: number): void {
    if (kind === 'file') this.#files.take(row);
    else if (kind === 'sem') this.#takeOfSemaphore(row);
    else if (kind === 'cond') this.#takeOfCondition(row);
    else if (kind === 'barrier') this.#takeOfBarrier(row);
    else this.#takeOfOwned(row);
  }

  #takeOfOwned(row: number): void {
    const { op, thread: threads, time: times, value, mode } = this.#log;
    const { owned } = this;
    const thread = threads[row];
    const time = times[row];
    switch (op[row]) {
      case lockLog.REQUEST:
        return owned.request(thread, time, mode[row], BY_LOCK);
      case lockLog.TIMED_REQUEST:
        return owned.request(thread, time, mode[row], BY_TIMED_LOCK);
      case lockLog.ACQUIRE:
        return owned.acquire(thread, time, mode[row], BY_LOCK, value[row]);
      case lockLog.TRY:
        return owned.attempt(thread, time, mode[row], value[row]);
      case lockLog.RELEASE:
        if (value[row] === 0) owned.release(thread, time);
        return;
      case lockLog.COND_BEGIN:
        return owned.release(thread, time);
      case lockLog.COND_END:
        return this.#retake(row, thread, time);
    }
  }

  #retake(row: number, thread: number, time: number): void {
    const before = this.owned.latestOf(thread);
    const mutex = this.owned.retake(thread, time);
    if (mutex >= 0) this.#retaken.push({ at: row, mutex, before });
  }

  #takeOfSemaphore(row: number): void {
    const { op, thread: threads, time: times, value } = this.#log;
    const { semaphore } = this;
    const [thread, time] = [threads[row], times[row]];
    switch (op[row]) {
      case lockLog.REQUEST:
        return semaphore.request(thread, time);
      case lockLog.TIMED_REQUEST:
        return semaphore.request(thread, time, BY_TIMED_LOCK);
      case lockLog.ACQUIRE:
        return void semaphore.acquire(thread, time, value[row]);
      case lockLog.TRY:
        return semaphore.attempt(thread, time, value[row]);
      case lockLog.POST:
        return semaphore.post(thread, time);
    }
  }

  #takeOfCondition(row: number): void {
    const { op, thread: threads, time: times, value } = this.#log;
    const [thread, time] = [threads[row], times[row]];
    switch (op[row]) {
      case lockLog.COND_BEGIN:
        return this.condition.request(thread, time);
      case lockLog.COND_END:
        this.#conditionWaits.set(row, this.condition.acquire(thread, time, value[row]));
        return;
      case lockLog.SIGNAL:
      case lockLog.BROADCAST:
        return this.condition.signal(thread, time);
    }
  }

  #takeOfBarrier(row: number): void {
    const { op, thread, time, value } = this.#log;
    if (op[row] === lockLog.BARRIER_BEGIN) this.barrier.request(thread[row], time[row]);
    else if (op[row] === lockLog.BARRIER_END) this.barrier.leave(thread[row], time[row], value[row]);
  }
}

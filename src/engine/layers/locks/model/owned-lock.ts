/**
 * Locks with an owner (mutex, spin, rwlock, file), from their events to waits and holds. A hold ends at its release,
 * or when another thread acquires in a conflicting mode: wrappers record a release after it happened, so that the
 * next owner is often seen first. The later release then ends nothing.
 */
import { GrowingTable } from '../../../base/columns.ts';
import type { LockCounts, WaitTable } from './model-tables.ts';
import { EXCLUSIVE } from '../lock-log.ts';
import * as lockModel from './lock-model.ts';
import { ThreadSet } from './thread-set.ts';
import { WaitingThreads } from './waiting-threads.ts';

/** Status of an acquired lock whose owner died. */
const OWNER_DIED = 130;

function isAcquired(status: number): boolean {
  return status === 0 || status === OWNER_DIED;
}

/**
 * HostNs at which a thread that took a lock at `since` went to sleep for something else, and still slept at `time`;
 * NaN: it did not.
 */
export type SleepOf = (lock: number, thread: number, since: number, time: number) => number;

/** Serves one lock after the other. */
export class OwnedLock extends WaitingThreads {
  /** Releases by threads that were not seen to acquire, lock by lock, in order of time. */
  readonly strays = new GrowingTable({ thread: new Int32Array(0), time: new Float64Array(0) });
  lostHolds = 0;
  /** Rows whose holds others ended, at a time when the thread may long have been away. */
  readonly lateHolds: number[] = [];
  /** Threads that hold, or released too late; each may do both, and wait. */
  readonly #holding: ThreadSet;
  readonly #owing: ThreadSet;
  /** Row of the hold, and how often the thread took the lock, by thread. A wait of row -1 requests a lock that its thread has. */
  readonly #hold: Int32Array;
  readonly #depth: Int32Array;
  /** Releases still to come of holds that others ended. */
  readonly #owed: Int32Array;
  /** Time at which it requested a lock that it has, and the way. */
  readonly #again: Float64Array;
  readonly #againWay: Uint8Array;
  /** Row of its last wait for any lock, by thread. */
  readonly #latest: Int32Array;

  readonly #sleepOf: SleepOf;

  constructor(threads: number, waits: WaitTable, counts: LockCounts, sleepOf: SleepOf = () => NaN) {
    super(threads, waits, counts);
    this.#sleepOf = sleepOf;
    this.#holding = new ThreadSet(threads);
    this.#owing = new ThreadSet(threads);
    this.#hold = new Int32Array(threads);
    this.#depth = new Int32Array(threads);
    this.#owed = new Int32Array(threads);
    this.#again = new Float64Array(threads);
    this.#againWay = new Uint8Array(threads);
    this.#latest = new Int32Array(threads).fill(-1);
  }

  override get isIdle(): boolean {
    return super.isIdle && this.#holding.length === 0;
  }

  /** Row of the thread's last wait for the lock, -1 none. */
  latestOf(thread: number): number {
    const latest = this.#latest[thread];
    return latest >= 0 && this.waits.rows.lock[latest] === this.lock ? latest : -1;
  }

  request(thread: number, time: number, mode: number, way: number): void {
    this.forget(thread, time);
    this.waiting.add(thread);
    if (this.#holding.has(thread) && mode === this.waits.rows.mode[this.#hold[thread]]) {
      this.wait[thread] = -1;
      this.#again[thread] = time;
      this.#againWay[thread] = way;
    } else {
      this.wait[thread] = this.#add(thread, time, mode, way);
    }
  }

  /** @param request when a thread that was not seen to request began to wait */
  acquire(thread: number, time: number, mode: number, way: number, status: number): void {
    const isAsked = this.waiting.delete(thread);
    const row = isAsked ? this.wait[thread] : -1;
    if (!isAcquired(status)) {
      if (row >= 0) this.waits.finish(row, time, lockModel.FAILED);
      return;
    }
    if (isAsked) {
      if (row < 0 && this.#holding.has(thread)) this.#nest(thread);
      else this.#take(this.rowOf(thread), time);
      return;
    }
    this.counts.acquireWithoutRequest[this.lock]++;
    if (this.#holding.has(thread)) this.#nest(thread);
    else this.#take(this.#add(thread, time, mode, way), time);
  }

  attempt(thread: number, time: number, mode: number, status: number): void {
    if (!isAcquired(status)) {
      this.counts.failedTries[this.lock]++;
      return;
    }
    this.forget(thread, time);
    if (this.#holding.has(thread)) this.#nest(thread);
    else this.#take(this.#add(thread, time, mode, lockModel.BY_TRY), time);
  }

  /** Takes the lock again after a wait for a condition. @returns row of the wait, -1: it had not been released */
  retake(thread: number, time: number): number {
    this.forget(thread, time);
    if (this.#holding.has(thread)) {
      this.#nest(thread);
      return -1;
    }
    const row = this.#add(thread, time, EXCLUSIVE, lockModel.BY_CONDITION);
    this.#take(row, time);
    return row;
  }

  /** Passes the hold of another process to a thread that did not request it. */
  keep(thread: number, time: number, mode: number): void {
    this.#take(this.#add(thread, time, mode, lockModel.BY_KEEPING), time);
  }

  release(thread: number, time: number): void {
    if (this.#owing.has(thread)) {
      this.counts.lateReleases[this.lock]++;
      if (--this.#owed[thread] === 0) this.#owing.delete(thread);
    } else if (!this.#holding.has(thread)) {
      this.counts.releaseWithoutAcquire[this.lock]++;
      this.#addStray(thread, time);
    } else if (--this.#depth[thread] === 0) {
      this.#holding.delete(thread);
      this.waits.rows.to[this.#hold[thread]] = time;
    }
  }

  /** Ends all holds at a loss, as they may have been released. */
  override lose(time: number): void {
    super.lose(time);
    this.lostHolds += this.#holding.length;
    this.#abandon(() => time, lockModel.LOSSY);
  }

  /** Ends all holds, as the lock was released before. */
  override destroy(time: number): void {
    super.end(() => time);
    while (this.#holding.length > 0) this.#endLate(this.#holding.at(0), time);
  }

  override end(endOf: (thread: number) => number): void {
    super.end(endOf);
    this.#abandon(endOf, 0);
    while (this.#owing.length > 0) this.#forgive(this.#owing.at(0));
  }

  /** Adds a wait if the thread requested a lock that it had. */
  protected override rowOf(thread: number): number {
    if (this.wait[thread] < 0) {
      const own = this.waits.rows.mode[this.#hold[thread]];
      this.wait[thread] = this.#add(thread, this.#again[thread], own, this.#againWay[thread]);
    }
    return this.wait[thread];
  }

  /** Ends holds without a recorded end. */
  #abandon(endOf: (thread: number) => number, flag: number): void {
    const { end, to } = this.waits.rows;
    while (this.#holding.length > 0) {
      const thread = this.#holding.at(0);
      const row = this.#hold[thread];
      this.#holding.delete(thread);
      to[row] = Math.max(end[row], endOf(thread));
      this.waits.flag(row, lockModel.OPEN | flag);
    }
  }

  #add(thread: number, request: number, mode: number, way: number): number {
    this.#latest[thread] = this.waits.add(this.lock, thread, request, mode, way);
    return this.#latest[thread];
  }

  #nest(thread: number): void {
    this.counts.nested[this.lock]++;
    this.#depth[thread]++;
  }

  #take(row: number, time: number): void {
    const { thread: threads, mode, to } = this.waits.rows;
    const thread = threads[row];
    this.#endOthers(thread, mode[row], time);
    // In another mode: the lock was converted.
    if (this.#holding.has(thread)) to[this.#hold[thread]] = time;
    this.#forgive(thread);
    this.waits.finish(row, time, lockModel.ACQUIRED);
    this.#holding.add(thread);
    this.#hold[thread] = row;
    this.#depth[thread] = 1;
  }

  /** Ends holds of others; holders are readers or one thread, so all of them conflict or none. */
  #endOthers(thread: number, mode: number, time: number): void {
    const { mode: modes } = this.waits.rows;
    for (let i = this.#holding.length - 1; i >= 0; i--) {
      const other = this.#holding.at(i);
      if (other !== thread && lockModel.conflicts(mode, modes[this.#hold[other]])) this.#endLate(other, time);
    }
  }

  /**
   * Ends a hold before its release. If the thread sleeps for something else, it released the lock when it went to
   * sleep, as within pthread_cond_wait, and takes it again without an event: its release belongs to that.
   */
  #endLate(thread: number, time: number): void {
    const row = this.#hold[thread];
    const { end, to } = this.waits.rows;
    const sleep = this.#sleepOf(this.lock, thread, end[row], time);
    this.#holding.delete(thread);
    this.waits.flag(row, lockModel.LATE);
    to[row] = Number.isNaN(sleep) ? time : sleep;
    if (!Number.isNaN(sleep)) return;
    this.lateHolds.push(row);
    this.#owing.add(thread);
    this.#owed[thread] = this.#depth[thread];
  }

  /** Stops expecting a release. */
  #forgive(thread: number): void {
    if (this.#owing.delete(thread)) this.counts.missingReleases[this.lock]++;
  }

  #addStray(thread: number, time: number): void {
    const row = this.strays.addRow();
    this.strays.rows.thread[row] = thread;
    this.strays.rows.time[row] = time;
  }
}

/** Threads that wait for a lock while its events are read, lock by lock. */
import { LOSSY, UNFINISHED } from './lock-model.ts';
import type { LockCounts, WaitTable } from './model-tables.ts';
import { ThreadSet } from './thread-set.ts';

export class WaitingThreads {
  protected readonly waits: WaitTable;
  protected readonly counts: LockCounts;
  protected readonly waiting: ThreadSet;
  /** Row of each waiting thread's wait. */
  protected readonly wait: Int32Array;
  protected lock = -1;

  constructor(threads: number, waits: WaitTable, counts: LockCounts) {
    this.waits = waits;
    this.counts = counts;
    this.waiting = new ThreadSet(threads);
    this.wait = new Int32Array(threads);
  }

  begin(lock: number): void {
    this.lock = lock;
  }

  get isIdle(): boolean {
    return this.waiting.length === 0;
  }

  protected rowOf(thread: number): number {
    return this.wait[thread];
  }

  /** Gives up a request whose end was not seen before the thread's next one. */
  protected forget(thread: number, time: number): void {
    if (!this.waiting.has(thread)) return;
    this.counts.requestWithoutEnd[this.lock]++;
    this.#giveUp(thread, time);
  }

  /** Ends a wait whose end was not seen. */
  #giveUp(thread: number, time: number): void {
    const row = this.rowOf(thread);
    this.waiting.delete(thread);
    this.waits.finish(row, Math.max(time, this.waits.rows.request[row]), UNFINISHED);
  }

  /** Handles a loss of events before `time`. */
  lose(_time: number): void {
    for (let i = 0; i < this.waiting.length; i++) this.waits.flag(this.rowOf(this.waiting.at(i)), LOSSY);
  }

  /** Handles the destruction of the lock; another one may use its address afterwards. */
  destroy(time: number): void {
    this.end(() => time);
  }

  /** Ends the lock with its events. @param endOf HostNs until which a thread may go on */
  end(endOf: (thread: number) => number): void {
    while (this.waiting.length > 0) {
      const thread = this.waiting.at(0);
      this.#giveUp(thread, endOf(thread));
    }
  }
}

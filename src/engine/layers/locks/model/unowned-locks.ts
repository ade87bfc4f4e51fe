/**
 * Locks without owner, from their events to waits: semaphores, conditions, barriers. Each object processes one lock
 * after the other.
 */
import { GrowingTable } from '../../../base/columns.ts';
import { addTo } from '../../../base/group-by.ts';
import { f64, i32, type Table, tableOf, u8 } from '../../../base/tables.ts';
import { ACQUIRED, BY_LOCK, BY_TRY, FAILED } from './lock-model.ts';
import { WaitingThreads } from './waiting-threads.ts';

const SERIAL_THREAD = -1;

/** Waits that begin with a request and end with an acquire. */
class PlainWaits extends WaitingThreads {
  request(thread: number, time: number, way = BY_LOCK): void {
    this.forget(thread, time);
    this.waiting.add(thread);
    this.wait[thread] = this.waits.addPlain(this.lock, thread, time, way);
  }

  /** @returns the row of the wait that ended */
  acquire(thread: number, time: number, status: number): number {
    const isAsked = this.waiting.delete(thread);
    if (!isAsked) {
      this.counts.acquireWithoutRequest[this.lock]++;
      this.wait[thread] = this.waits.addPlain(this.lock, thread, time, BY_LOCK);
    }
    this.waits.finish(this.wait[thread], time, status === 0 ? ACQUIRED : FAILED);
    return this.wait[thread];
  }
}

/** Posts of semaphores, or signals of conditions, lock by lock, in order of time. */
const GIFTS = {
  thread: i32(),
  time: f64(),
  /** 1: a post whose thread had taken what it gives. */
  taken: u8(),
};

export class Gifts extends GrowingTable<Table<typeof GIFTS>> {
  constructor() {
    super(tableOf(GIFTS, 0));
  }

  add(thread: number, time: number, isTaken: boolean): void {
    const row = this.addRow();
    this.rows.thread[row] = thread;
    this.rows.time[row] = time;
    this.rows.taken[row] = isTaken ? 1 : 0;
  }
}

/** Semaphore: an acquire takes one, a post gives one, namely what its thread took last, if anything. */
export class Semaphore extends PlainWaits {
  readonly posts = new Gifts();
  /** Waits by which a thread took what it has not given back, by thread. */
  readonly #taken = new Map<number, number[]>();

  override get isIdle(): boolean {
    return super.isIdle && this.#taken.size === 0;
  }

  override acquire(thread: number, time: number, status: number): number {
    const row = super.acquire(thread, time, status);
    if (status === 0) addTo(this.#taken, thread, row);
    return row;
  }

  attempt(thread: number, time: number, status: number): void {
    if (status !== 0) {
      this.counts.failedTries[this.lock]++;
      return;
    }
    this.forget(thread, time);
    const row = this.waits.addPlain(this.lock, thread, time, BY_TRY);
    this.waits.finish(row, time, ACQUIRED);
    addTo(this.#taken, thread, row);
  }

  post(thread: number, time: number): void {
    const taken = this.#taken.get(thread);
    const row = taken?.pop();
    if (taken?.length === 0) this.#taken.delete(thread);
    if (row !== undefined) this.waits.rows.back[row] = time;
    this.posts.add(thread, time, row !== undefined);
  }

  /** Forgets takes, as they may have been given back unseen. */
  override lose(time: number): void {
    super.lose(time);
    this.#giveBack(() => time);
  }

  override end(endOf: (thread: number) => number): void {
    super.end(endOf);
    this.#giveBack(endOf);
  }

  #giveBack(endOf: (thread: number) => number): void {
    const { back, end } = this.waits.rows;
    for (const [thread, rows] of this.#taken)
      for (const row of rows) back[row] = Math.max(end[row], endOf(thread));
    this.#taken.clear();
  }
}

export class Condition extends PlainWaits {
  readonly signals = new Gifts();

  signal(thread: number, time: number): void {
    this.signals.add(thread, time, false);
  }
}

/** Waits at a barrier; `barrier-rounds.ts` finds who meets whom from all of them. */
export class Barrier extends PlainWaits {
  /** Waits of which only the end was recorded, and those that ended as the serial thread of their round. */
  readonly onlyEnds = new Set<number>();
  readonly serial = new Set<number>();

  leave(thread: number, time: number, status: number): void {
    const isAsked = this.waiting.has(thread);
    const row = super.acquire(thread, time, 0);
    if (!isAsked) this.onlyEnds.add(row);
    else if (status === SERIAL_THREAD) this.serial.add(row);
  }
}

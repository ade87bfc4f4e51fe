/** The holds of one lock, and whom a wait for it was for at each moment. */
import { firstWhere } from '../../../base/lower-bound.ts';
import type { LockWaits } from './lock-model.ts';
import { conflicts } from './owned-lock.ts';

/** A release by a thread that was not seen to acquire: it held the lock for anyone who waited then. */
export interface StrayReleases {
  readonly thread: Int32Array;
  readonly time: Float64Array;
}

/** Ranks of threads: of those that hold equally long the one with the greater name counts. */
export type Ranks = ArrayLike<number>;

export class HoldList {
  /** Thread whose hold ended last of all that stood in the way, -1 none; begin and end of the hold. */
  thread = -1;
  begin = NaN;
  end = NaN;
  readonly #waits: Omit<LockWaits, 'length'>;
  /** Rows of holds, by begin. */
  readonly #holds: Int32Array;
  readonly #strays: StrayReleases;
  readonly #ranks: Ranks;
  /** Greatest ends of holds, as a binary tree: of the one at i those at 2 i and 2 i + 1; holds begin at `#leaves`. */
  readonly #latest: Float64Array;
  readonly #leaves: number;

  /** @param holds rows of waits that were acquired, by the time of that; @param strays by time */
  constructor(waits: Omit<LockWaits, 'length'>, holds: Int32Array, strays: StrayReleases, ranks: Ranks) {
    this.#waits = waits;
    this.#holds = holds;
    this.#strays = strays;
    this.#ranks = ranks;
    this.#leaves = 1;
    while (this.#leaves < holds.length) this.#leaves *= 2;
    this.#latest = new Float64Array(2 * this.#leaves).fill(-Infinity);
    for (let i = 0; i < holds.length; i++) this.#latest[this.#leaves + i] = waits.to[holds[i]];
    for (let i = this.#leaves - 1; i > 0; i--)
      this.#latest[i] = Math.max(this.#latest[2 * i], this.#latest[2 * i + 1]);
  }

  /**
   * Cuts a wait by whom it was for: at each moment the holder that stays longest; while nobody holds the lock, who held
   * it last; before that, who holds it next. False: nobody stood in its way. Afterwards `thread`, `begin` and `end` tell
   * of the last holder.
   * @param take gets each piece in order of time; several in a row may be for one thread
   */
  cut(wait: number, take: (holder: number, from: number, to: number) => void): boolean {
    const { request, end: ends, thread: threads, mode, to } = this.#waits;
    const [from, until, waiter] = [request[wait], ends[wait], threads[wait]];
    let pieceFrom = from;
    this.#takeStray(waiter, from, until);
    for (
      let i = this.#nextEndingBehind(from, 0);
      i < this.#holds.length;
      i = this.#nextEndingBehind(from, i + 1)
    ) {
      const hold = this.#holds[i];
      const begin = ends[hold];
      if (begin >= until) break;
      if (threads[hold] === waiter || !conflicts(mode[hold], mode[wait])) continue;
      if (!this.#isLater(to[hold], begin, threads[hold])) continue;
      // Before the first holder everything is for it.
      if (this.thread >= 0 && begin > pieceFrom) {
        take(this.thread, pieceFrom, begin);
        pieceFrom = begin;
      }
      this.#set(threads[hold], begin, to[hold]);
    }
    if (this.thread < 0) return false;
    take(this.thread, pieceFrom, until);
    return true;
  }

  /**
   * Ends the hold of a thread that goes on at `time`, since it had ended by then.
   * @returns row of its wait, -1: it has none
   */
  endAt(thread: number, time: number): number {
    const { end: ends, thread: threads, to } = this.#waits;
    for (
      let i = this.#nextEndingBehind(time, 0);
      i < this.#holds.length;
      i = this.#nextEndingBehind(time, i + 1)
    ) {
      const hold = this.#holds[i];
      if (ends[hold] >= time) return -1;
      if (threads[hold] !== thread) continue;
      to[hold] = time;
      this.#setLatest(i, time);
      return hold;
    }
    return -1;
  }

  /** The last release in (from, until] by another thread that was not seen to acquire. */
  #takeStray(waiter: number, from: number, until: number): void {
    const { thread, time } = this.#strays;
    this.#set(-1, NaN, NaN);
    for (let i = firstWhere(0, time.length, (row) => time[row] > until) - 1; i >= 0 && time[i] > from; i--) {
      if (this.thread >= 0 && time[i] < this.end) break;
      if (thread[i] !== waiter && this.#isLater(time[i], from, thread[i]))
        this.#set(thread[i], from, time[i]);
    }
  }

  #isLater(end: number, begin: number, thread: number): boolean {
    if (this.thread < 0) return true;
    if (end !== this.end) return end > this.end;
    if (begin !== this.begin) return begin > this.begin;
    return this.#ranks[thread] > this.#ranks[this.thread];
  }

  #set(thread: number, begin: number, end: number): void {
    this.thread = thread;
    this.begin = begin;
    this.end = end;
  }

  #setLatest(place: number, time: number): void {
    const latest = this.#latest;
    let at = this.#leaves + place;
    latest[at] = time;
    for (at >>= 1; at > 0; at >>= 1) latest[at] = Math.max(latest[2 * at], latest[2 * at + 1]);
  }

  /** Place of the first hold from `first` on that ends behind `time`; their number: there is none. */
  #nextEndingBehind(time: number, first: number): number {
    const latest = this.#latest;
    if (first >= this.#holds.length) return this.#holds.length;
    let at = this.#leaves + first;
    while (!(latest[at] > time)) {
      // To the next subtree on the right.
      while (at % 2 === 1 && at > 1) at >>= 1;
      if (at <= 1) return this.#holds.length;
      at++;
    }
    while (at < this.#leaves) at = latest[2 * at] > time ? 2 * at : 2 * at + 1;
    return at - this.#leaves;
  }
}

/** The holds of one lock, and whom a wait for it was for at each moment. */
import { lowerBound } from '../../../base/lower-bound.ts';
import { stableOrder } from '../../../base/stable-order.ts';
import { type LockWaits, conflicts } from './lock-model.ts';
import { EXCLUSIVE } from '../lock-log.ts';

/**
 * A release by a thread that was not seen to acquire: it held the lock since the last end of a hold before, at the
 * earliest. In order of time.
 */
export interface StrayReleases {
  readonly thread: Int32Array;
  readonly time: Float64Array;
}

export const NO_STRAYS: StrayReleases = { thread: new Int32Array(0), time: new Float64Array(0) };

/** Ranks of threads: of those that hold equally long the one with the greater name counts. */
export type Ranks = ArrayLike<number>;

/**
 * A piece of a wait, in order of time.
 * @param holder thread that it was for
 * @param isHeld false: nobody held the lock then
 * @param hold row of the wait by which the holder had it, -1: it was not seen to acquire
 */
export type TakePiece = (holder: number, from: number, to: number, isHeld: boolean, hold: number) => void;

export class HoldList {
  /** Thread whose hold ended last of all that stood in the way, -1 none; begin and end of the hold. */
  thread = -1;
  begin = NaN;
  end = NaN;
  readonly #waits: Omit<LockWaits, 'length'>;
  readonly #ranks: Ranks;
  /** Holds by begin: rows of waits, -1 of strays; thread, mode, begin and end. */
  readonly #rows: Int32Array;
  readonly #threads: Int32Array;
  readonly #modes: Uint8Array;
  readonly #begins: Float64Array;
  readonly #ends: Float64Array;
  /** Greatest ends of holds, as a binary tree: of the one at i those at 2 i and 2 i + 1; holds begin at `#leaves`. */
  readonly #latest: Float64Array;
  readonly #leaves: number;

  /** @param holds rows of waits that were acquired, by the time of that */
  constructor(waits: Omit<LockWaits, 'length'>, holds: Int32Array, strays: StrayReleases, ranks: Ranks) {
    this.#waits = waits;
    this.#ranks = ranks;
    const length = holds.length + strays.time.length;
    const { places, begins } = inOrder(waits, holds, strays);
    this.#begins = begins;
    this.#rows = Int32Array.from(places, (place) => (place < holds.length ? holds[place] : -1));
    this.#modes = Uint8Array.from(this.#rows, (row) => (row < 0 ? EXCLUSIVE : waits.mode[row]));
    const strayAt = (i: number) => places[i] - holds.length;
    this.#threads = this.#rows.map((row, i) => (row < 0 ? strays.thread[strayAt(i)] : waits.thread[row]));
    this.#ends = Float64Array.from(this.#rows, (row, i) =>
      row < 0 ? strays.time[strayAt(i)] : waits.to[row],
    );
    this.#leaves = 1;
    while (this.#leaves < length) this.#leaves *= 2;
    this.#latest = new Float64Array(2 * this.#leaves).fill(-Infinity);
    this.#latest.set(this.#ends, this.#leaves);
    for (let i = this.#leaves - 1; i > 0; i--)
      this.#latest[i] = Math.max(this.#latest[2 * i], this.#latest[2 * i + 1]);
  }

  /**
   * Cuts a wait by whom it was for: at each moment the holder that stays longest; while nobody holds the lock, who held
   * it last; before that, who holds it next. False: nobody stood in its way. Afterwards `thread`, `begin` and `end` tell
   * of the last holder.
   */
  cut(wait: number, take: TakePiece): boolean {
    const { request, end, thread, mode } = this.#waits;
    const [from, until] = [request[wait], end[wait]];
    this.#set(-1, NaN, NaN);
    let [pieceFrom, holder, isHeld, hold] = [from, -1, false, -1];
    const upTo = (time: number) => {
      if (time > pieceFrom) take(holder, pieceFrom, time, isHeld, hold);
      pieceFrom = time;
    };
    for (
      let i = this.#nextEndingBehind(from, 0);
      i < this.#rows.length;
      i = this.#nextEndingBehind(from, i + 1)
    ) {
      const [other, row, to] = [this.#threads[i], this.#rows[i], this.#ends[i]];
      const begin = row < 0 ? Math.max(this.#begins[i], from) : this.#begins[i];
      if (begin >= until) break;
      if (other === thread[wait] || !conflicts(this.#modes[i], mode[wait]) || (row < 0 && to > until))
        continue;
      if (this.thread >= 0 && !this.#isLater(to, begin, other)) continue;
      if (this.thread < 0) {
        // Before the first holder everything is for it.
        holder = other;
      } else if (this.end < begin) {
        upTo(this.end);
        isHeld = false;
      }
      if (!isHeld || holder !== other) {
        upTo(Math.max(pieceFrom, begin));
        [holder, isHeld, hold] = [other, true, row];
      }
      this.#set(other, begin, to);
    }
    if (this.thread < 0) return false;
    upTo(Math.min(this.end, until));
    isHeld = false;
    if (pieceFrom < until) upTo(until);
    return true;
  }

  /**
   * Ends the hold of a thread that goes on at `time`, since it had ended by then.
   * @returns row of its wait, -1: it has none
   */
  endAt(thread: number, time: number): number {
    for (
      let i = this.#nextEndingBehind(time, 0);
      i < this.#rows.length;
      i = this.#nextEndingBehind(time, i + 1)
    ) {
      if (this.#begins[i] >= time) return -1;
      if (this.#threads[i] !== thread) continue;
      this.#ends[i] = this.#waits.to[this.#rows[i]] = time;
      this.#setLatest(i, time);
      return this.#rows[i];
    }
    return -1;
  }

  #isLater(end: number, begin: number, thread: number): boolean {
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
    if (first >= this.#rows.length) return this.#rows.length;
    if (this.#ends[first] > time) return first;
    let at = this.#leaves + first;
    while (!(latest[at] > time)) {
      // To the next subtree on the right.
      while (at % 2 === 1 && at > 1) at >>= 1;
      if (at <= 1) return this.#rows.length;
      at++;
    }
    while (at < this.#leaves) at = latest[2 * at] > time ? 2 * at : 2 * at + 1;
    return at - this.#leaves;
  }
}

/** Holds and strays by begin. */
function inOrder(
  { end, to }: Omit<LockWaits, 'length'>,
  holds: Int32Array,
  { time }: StrayReleases,
): { readonly places: Uint32Array; readonly begins: Float64Array } {
  const ends = Float64Array.from([...Array.from(holds, (row) => to[row]), ...time]).sort();
  const begins = new Float64Array(holds.length + time.length);
  holds.forEach((row, i) => (begins[i] = end[row]));
  time.forEach((each, i) => {
    const before = lowerBound(ends, each) - 1;
    begins[holds.length + i] = before < 0 ? -Infinity : ends[before];
  });
  const places = time.length > 0 ? stableOrder(begins) : Uint32Array.from(begins.keys());
  return { places, begins: Float64Array.from(places, (place) => begins[place]) };
}

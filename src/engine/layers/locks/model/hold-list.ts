/** The holds of one lock, and whom a wait for it was for at each moment. */
import { firstWhere, lowerBound } from '../../../base/lower-bound.ts';
import { stableOrder } from '../../../base/stable-order.ts';
import { ACQUIRED, type LockWaits, conflicts } from './lock-model.ts';
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

/** Steps for all waits for a lock, beyond which each has its share: only a trace made for it has more. */
const MOST_STEPS = 10_000_000;

/** Steps that each of some waits for a lock may take. @param steps of all of them */
export function stepsOfEach(waits: number, steps: number): number {
  return steps > MOST_STEPS ? Math.ceil(MOST_STEPS / waits) : Infinity;
}

export class HoldList {
  /** Thread whose hold ended last of all that stood in the way, -1 none known; begin and end of the hold. */
  thread = -1;
  begin = NaN;
  end = NaN;
  /** Waits that were cut of which the last part is told as for nobody known. */
  shortened = 0;
  readonly #waits: Omit<LockWaits, 'length'>;
  readonly #ranks: Ranks;
  /** Holds by begin: rows of waits, -1 of strays; thread, mode, begin and end. */
  readonly #rows: Int32Array;
  readonly #threads: Int32Array;
  readonly #modes: Uint8Array;
  readonly #begins: Float64Array;
  readonly #ends: Float64Array;
  /** Latest end of the holds up to each. */
  readonly #latest: Float64Array;
  /** Holds that are looked at for one wait. */
  readonly #most: number;

  /** @param rows of all waits for one lock */
  constructor(waits: Omit<LockWaits, 'length'>, rows: Int32Array, strays: StrayReleases, ranks: Ranks) {
    const { thread, request, end, to, mode, outcome } = waits;
    this.#waits = waits;
    this.#ranks = ranks;
    const holds = rows
      .filter((row) => outcome[row] === ACQUIRED)
      .sort((a, b) => end[a] - end[b] || to[a] - to[b] || ranks[thread[a]] - ranks[thread[b]]);
    const { places, begins } = inOrder(waits, holds, strays);
    const strayAt = (i: number) => places[i] - holds.length;
    this.#begins = begins;
    this.#rows = Int32Array.from(places, (place) => (place < holds.length ? holds[place] : -1));
    this.#modes = Uint8Array.from(this.#rows, (row) => (row < 0 ? EXCLUSIVE : mode[row]));
    this.#threads = this.#rows.map((row, i) => (row < 0 ? strays.thread[strayAt(i)] : thread[row]));
    this.#ends = Float64Array.from(this.#rows, (row, i) => (row < 0 ? strays.time[strayAt(i)] : to[row]));
    let latest = -Infinity;
    this.#latest = this.#ends.map((each) => (latest = Math.max(latest, each)));
    const stepsOf = (row: number) => lowerBound(begins, end[row]) - this.#firstBehind(request[row]);
    const steps = rows.reduce((sum, row) => sum + (end[row] > request[row] ? stepsOf(row) : 0), 0);
    this.#most = stepsOfEach(rows.length, steps);
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
    let [pieceFrom, holder, isHeld, hold, stop] = [from, -1, false, -1, until];
    const upTo = (time: number) => {
      if (time > pieceFrom) take(holder, pieceFrom, time, isHeld, hold);
      pieceFrom = time;
    };
    const first = this.#firstBehind(from);
    for (let i = first; i < this.#rows.length; i++) {
      const [other, row, to] = [this.#threads[i], this.#rows[i], this.#ends[i]];
      const begin = row < 0 ? Math.max(this.#begins[i], from) : this.#begins[i];
      if (begin >= until) break;
      if (i - first >= this.#most) {
        stop = Math.max(begin, from);
        break;
      }
      if (!(to > from) || other === thread[wait] || !conflicts(this.#modes[i], mode[wait])) continue;
      if ((row < 0 && to > until) || (this.thread >= 0 && !this.#isLater(to, begin, other))) continue;
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
    if (this.thread >= 0) {
      upTo(Math.min(this.end, stop));
      isHeld = false;
      upTo(Math.max(pieceFrom, stop));
    }
    if (stop === until) return this.thread >= 0;
    this.shortened++;
    this.#set(-1, NaN, NaN);
    [holder, isHeld, hold] = [-1, true, -1];
    upTo(until);
    return true;
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

  /** Place of the first hold that ends behind `time`; their number: there is none. */
  #firstBehind(time: number): number {
    return firstWhere(0, this.#latest.length, (i) => this.#latest[i] > time);
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

/** Holds of one lock, and for whom a wait for it was at each moment. */
import { ordered } from '../../../base/columns.ts';
import { firstWhere, lowerBound } from '../../../base/lower-bound.ts';
import { orderBy, stableOrder } from '../../../base/stable-order.ts';
import { ACQUIRED, type LockWaits } from './lock-model.ts';
import { SHARED } from '../lock-log.ts';

/**
 * Releases by threads that were not seen to acquire: held since the end of the hold before, at the earliest. In order
 * of time.
 */
export interface StrayReleases {
  readonly thread: Int32Array;
  readonly time: Float64Array;
}

/** Ranks of threads: of equally long holds that of the greater name counts. */
export type Ranks = ArrayLike<number>;

/**
 * Takes a piece of a wait, in order of time.
 * @param holder thread that it was for
 * @param isHeld false: nobody held the lock then
 * @param hold row of the wait by which the holder had it, -1: it was not seen to acquire
 */
export type TakePiece = (holder: number, from: number, to: number, isHeld: boolean, hold: number) => void;

/** Steps for all waits for a lock, beyond which each has its share, and the least share: only a trace made for it needs more. */
const MOST_STEPS = 10_000_000;
const LEAST_SHARE = 400;

/** Steps that each of some waits for a lock may take. @param steps of all of them */
export function stepsOfEach(waits: number, steps: number): number {
  return steps > MOST_STEPS ? Math.max(LEAST_SHARE, Math.ceil(MOST_STEPS / waits)) : Infinity;
}

/** Holds of a lock by begin. */
interface Holds {
  /** Rows of waits, -1 for stray releases. */
  readonly rows: Int32Array;
  readonly threads: Int32Array;
  readonly begins: Float64Array;
  readonly ends: Float64Array;
  /** Latest end of the holds up to each. */
  readonly latest: Float64Array;
}

export class HoldList {
  /** Thread whose hold ended last of all conflicting ones, -1 none known; begin and end of the hold. */
  thread = -1;
  begin = NaN;
  end = NaN;
  /** Number of cut waits whose last part has no known holder. */
  shortened = 0;
  readonly #waits: Omit<LockWaits, 'length'>;
  readonly #ranks: Ranks;
  readonly #all: Holds;
  /** Holds in a mode that excludes readers. */
  readonly #exclusive: Holds;
  /** Holds that are examined for one wait. */
  readonly #most: number;

  /** @param rows of all waits for one lock */
  constructor(waits: Omit<LockWaits, 'length'>, rows: Int32Array, strays: StrayReleases, ranks: Ranks) {
    const { thread, request, end, to, mode, outcome } = waits;
    this.#waits = waits;
    this.#ranks = ranks;
    const holds = orderBy(
      end,
      (a, b) => to[a] - to[b] || ranks[thread[a]] - ranks[thread[b]],
      rows.filter((row) => outcome[row] === ACQUIRED),
    );
    const all = inOrder(waits, holds, strays);
    this.#all = { ...all, latest: latestEnds(all.ends) };
    this.#exclusive = this.#all;
    if (holds.some((row) => mode[row] === SHARED)) {
      const places = Int32Array.from(all.rows.keys()).filter(
        (place) => all.rows[place] < 0 || mode[all.rows[place]] !== SHARED,
      );
      const exclusive = ordered(all, places);
      this.#exclusive = { ...exclusive, latest: latestEnds(exclusive.ends) };
    }
    const stepsOf = (row: number) =>
      lowerBound(this.#against(row).begins, end[row]) - firstBehind(this.#against(row), request[row]);
    let steps = rows.length * all.rows.length;
    if (steps > MOST_STEPS)
      steps = rows.reduce((sum, row) => sum + (end[row] > request[row] ? stepsOf(row) : 0), 0);
    this.#most = stepsOfEach(rows.length, steps);
  }

  /**
   * Cuts a wait by whom it was for: at each moment the holder that stays longest; while nobody holds the lock, its
   * last holder; before any, its next holder. False: nothing conflicted. Afterwards `thread`, `begin` and `end` are
   * those of the last holder.
   */
  cut(wait: number, take: TakePiece): boolean {
    const { request, end, thread } = this.#waits;
    const holds = this.#against(wait);
    const from = request[wait];
    const until = end[wait];
    this.#set(-1, NaN, NaN);
    let [pieceFrom, holder, isHeld, hold, stop] = [from, -1, false, -1, until];
    const upTo = (time: number) => {
      if (time > pieceFrom) take(holder, pieceFrom, time, isHeld, hold);
      pieceFrom = time;
    };
    const first = firstBehind(holds, from);
    for (let i = first; i < holds.rows.length; i++) {
      const other = holds.threads[i];
      const row = holds.rows[i];
      const to = holds.ends[i];
      const begin = Math.max(holds.begins[i], row < 0 ? from : -Infinity);
      if (begin >= until) break;
      if (i - first >= this.#most) {
        stop = Math.max(begin, from);
        break;
      }
      if (!(to > from) || other === thread[wait] || (row < 0 && to > until)) continue;
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

  /** Holds in a mode that conflicts with a wait's. */
  #against(wait: number): Holds {
    return this.#waits.mode[wait] === SHARED ? this.#exclusive : this.#all;
  }
}

/** Place of the first hold that ends after `time`; their number: there is none. */
function firstBehind({ latest }: Holds, time: number): number {
  return firstWhere(0, latest.length, (i) => latest[i] > time);
}

/** Holds and strays by begin. */
function inOrder(
  { thread, end, to }: Omit<LockWaits, 'length'>,
  holds: Uint32Array,
  strays: StrayReleases,
): Omit<Holds, 'latest'> {
  const length = holds.length + strays.time.length;
  const columns = {
    rows: new Int32Array(length).fill(-1),
    threads: new Int32Array(length),
    begins: new Float64Array(length),
    ends: new Float64Array(length),
  };
  const { rows, threads, begins, ends } = columns;
  for (let i = 0; i < holds.length; i++) {
    const row = (rows[i] = holds[i]);
    threads[i] = thread[row];
    begins[i] = end[row];
    ends[i] = to[row];
  }
  if (strays.time.length === 0) return columns;
  threads.set(strays.thread, holds.length);
  ends.set(strays.time, holds.length);
  const sorted = ends.toSorted();
  strays.time.forEach((time, i) => {
    const before = lowerBound(sorted, time) - 1;
    begins[holds.length + i] = before < 0 ? -Infinity : sorted[before];
  });
  return ordered(columns, stableOrder(begins));
}

/** Latest end of the holds up to each. NaN: the thread did not hold it. */
function latestEnds(ends: Float64Array): Float64Array {
  let latest = -Infinity;
  return ends.map((end) => (latest = end > latest ? end : latest));
}

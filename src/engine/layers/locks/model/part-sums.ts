/** Sums of what a thread has done up to a time, added up while the time goes forward. */
import { HOLD_PARTS } from './lock-model.ts';
import type { TimesByThread } from './thread-times.ts';

/** Intervals of what threads did; those of thread t are rows start[t] … start[t + 1], in order of time. */
export interface StateParts {
  readonly start: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Index in HOLD_PARTS. */
  readonly part: Uint8Array;
  /** 1: the thread was blocked. */
  readonly isBlocked: Uint8Array;
}

const LOCK = HOLD_PARTS.indexOf('lock');
const UNKNOWN = HOLD_PARTS.indexOf('unknown');

export class PartSums {
  /** ns by HOLD_PARTS since the first time. */
  readonly ns = new Float64Array(HOLD_PARTS.length);
  #now = NaN;
  readonly #states: StateParts;
  #row: number;
  readonly #stop: number;
  readonly #gotten: TimesCursor;
  readonly #others: TimesCursor;

  /**
   * @param gotten waits for locks that were got: all of them is waiting, running too
   * @param others those of which the end is not known, or no lock: only where the thread was blocked it waited
   */
  constructor(thread: number, states: StateParts, gotten: TimesByThread, others: TimesByThread) {
    this.#states = states;
    this.#row = states.start[thread];
    this.#stop = states.start[thread + 1];
    this.#gotten = new TimesCursor(gotten, thread);
    this.#others = new TimesCursor(others, thread);
  }

  /** @param time TimeNs, not before the last one; the first one begins */
  advance(time: number): void {
    if (Number.isNaN(this.#now)) this.#now = time;
    const { begin, end, part, isBlocked } = this.#states;
    while (this.#now < time) {
      const now = this.#now;
      while (this.#row < this.#stop && end[this.#row] <= now) this.#row++;
      const row = this.#row;
      const isKnown = row < this.#stop && begin[row] <= now;
      const ofState = row === this.#stop ? Infinity : isKnown ? end[row] : begin[row];
      const next = Math.min(time, ofState, this.#gotten.borderBehind(now), this.#others.borderBehind(now));
      const waits = this.#gotten.isInside || (this.#others.isInside && isKnown && isBlocked[row] === 1);
      this.ns[waits ? LOCK : isKnown ? part[row] : UNKNOWN] += next - now;
      this.#now = next;
    }
  }
}

/** Goes through times of a thread, which may overlap. */
class TimesCursor {
  isInside = false;
  readonly #times: TimesByThread;
  #at: number;
  readonly #stop: number;

  constructor(times: TimesByThread, thread: number) {
    this.#times = times;
    this.#at = times.groups.start[thread];
    this.#stop = times.groups.start[thread + 1];
  }

  /** Time at which the next time begins or the one around `now` ends; Infinity: none comes. Sets `isInside`. */
  borderBehind(now: number): number {
    const { from, to } = this.#times;
    while (this.#at < this.#stop && to[this.#at] <= now) this.#at++;
    this.isInside = this.#at < this.#stop && from[this.#at] <= now;
    if (this.#at === this.#stop) return Infinity;
    return this.isInside ? to[this.#at] : from[this.#at];
  }
}

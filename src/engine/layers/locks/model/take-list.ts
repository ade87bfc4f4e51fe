/** Takes of a semaphore: what threads took and have not given back, and whom a wait was for at each moment. */
import { firstWhere } from '../../../base/lower-bound.ts';
import type { Ranks, TakePiece } from './hold-list.ts';
import type { LockWaits } from './lock-model.ts';

export class TakeList {
  readonly #waits: Omit<LockWaits, 'length'>;
  readonly #ranks: Ranks;
  /** Rows of waits that took, by when they did. */
  readonly #rows: readonly number[];
  /** Latest time at which one of the takes up to a place was given back. */
  readonly #latest: Float64Array;

  /** @param rows of waits for one semaphore that were acquired */
  constructor(waits: Omit<LockWaits, 'length'>, rows: Iterable<number>, ranks: Ranks) {
    this.#waits = waits;
    this.#ranks = ranks;
    const { thread, end, back } = waits;
    const inOrder = [...rows].sort((a, b) => end[a] - end[b] || ranks[thread[a]] - ranks[thread[b]]);
    // Of what a thread gives back at one time, maybe never, only what it took first is ever asked for.
    const lastOf = new Map<number, Set<number>>();
    this.#rows = inOrder.filter((row) => {
      const known = lastOf.get(thread[row]) ?? new Set<number>();
      lastOf.set(thread[row], known);
      return !known.has(back[row]) && known.add(back[row]);
    });
    let latest = -Infinity;
    this.#latest = Float64Array.from(this.#rows, (row) => (latest = Math.max(latest, back[row])));
  }

  /**
   * Cuts a wait whose giver had taken what it gave: until the hand-over at each moment the take of another thread that
   * is given back first; while there is none, the one that was last; before that, the next one; without any, and behind
   * the hand-over, who handed over.
   */
  cut(wait: number, take: TakePiece): void {
    const { request, end, link, by, thread } = this.#waits;
    const takes = this.#overlapping(thread[wait], request[wait], link[wait]);
    const pieces = new JoinedPieces(take);
    if (takes.length > 0) this.#cutUntil(link[wait], request[wait], takes, pieces);
    else pieces.add(by[wait], request[wait], link[wait], false, -1);
    if (link[wait] < end[wait]) pieces.add(by[wait], link[wait], end[wait], false, -1);
    pieces.finish();
  }

  #cutUntil(until: number, from: number, takes: readonly number[], pieces: JoinedPieces): void {
    const { thread, end, back } = this.#waits;
    /** Takes at the time that was reached: the last one is given back first. */
    const open: number[] = [];
    let last = -1;
    let next = 0;
    for (let now = from; now < until;) {
      for (; next < takes.length && end[takes[next]] <= now; next++) this.#insert(open, takes[next]);
      for (let top = open.at(-1); top !== undefined && back[top] <= now; top = open.at(-1)) {
        last = top;
        open.pop();
      }
      const held = open.at(-1);
      const holder = held ?? (last >= 0 ? last : takes[next]);
      const to = Math.min(
        until,
        held === undefined ? Infinity : back[held],
        next < takes.length ? end[takes[next]] : Infinity,
      );
      pieces.add(thread[holder], now, to, held !== undefined, holder);
      now = to;
    }
  }

  #insert(open: number[], row: number): void {
    const at = open.findIndex((other) => this.#isEarlier(other, row));
    open.splice(at < 0 ? open.length : at, 0, row);
  }

  /** Tells whether a take is given back before another one. */
  #isEarlier(a: number, b: number): boolean {
    const { thread, end, back } = this.#waits;
    const ranks = this.#ranks;
    return (back[a] - back[b] || end[a] - end[b] || ranks[thread[a]] - ranks[thread[b]]) < 0;
  }

  /** Takes of other threads that overlap (from, until), by their begin. */
  #overlapping(waiter: number, from: number, until: number): number[] {
    const { thread, end, back } = this.#waits;
    const found: number[] = [];
    const behind = firstWhere(0, this.#rows.length, (place) => end[this.#rows[place]] >= until);
    for (let place = behind - 1; place >= 0 && this.#latest[place] > from; place--) {
      const row = this.#rows[place];
      if (thread[row] !== waiter && back[row] > from) found.push(row);
    }
    return found.reverse();
  }
}

/** Hands on pieces; neighbours for one thread are one. */
class JoinedPieces {
  readonly #take: TakePiece;
  #piece: Parameters<TakePiece> | undefined;

  constructor(take: TakePiece) {
    this.#take = take;
  }

  add(holder: number, from: number, to: number, isHeld: boolean, hold: number): void {
    const piece = this.#piece;
    if (piece !== undefined && piece[0] === holder && piece[3] === isHeld) {
      piece[2] = to;
      return;
    }
    this.finish();
    this.#piece = [holder, from, to, isHeld, hold];
  }

  finish(): void {
    if (this.#piece !== undefined) this.#take(...this.#piece);
    this.#piece = undefined;
  }
}

/** Takes of a semaphore: what threads took and have not given back, and for whom a wait was at each moment. */
import { firstWhere } from '../../../base/lower-bound.ts';
import { type Ranks, stepsOfEach, type TakePiece } from './hold-list.ts';
import { ACQUIRED, type LockWaits } from './lock-model.ts';

/** Takes in a span of time, up to the begin of the next span. Rows of waits, -1 none. */
interface TakenSpan {
  readonly time: number;
  /** Take that is given back first, and the first one of another thread. */
  readonly first: number;
  readonly second: number;
  /** Take that was given back last, and the last one of another thread; -1 if `second` is there. */
  readonly gone: number;
  readonly goneBefore: number;
}

export class TakeList {
  /** Number of cut waits whose last part has no known holder. */
  shortened = 0;
  readonly #waits: Omit<LockWaits, 'length'>;
  readonly #ranks: Ranks;
  /** Rows of waits that took, in order of that. */
  readonly #rows: readonly number[];
  readonly #spans: readonly TakenSpan[];
  /** Spans that are examined for one wait. */
  readonly #most: number;

  /** @param rows of all waits for one semaphore */
  constructor(waits: Omit<LockWaits, 'length'>, rows: Int32Array, ranks: Ranks) {
    this.#waits = waits;
    this.#ranks = ranks;
    const { thread, end, back, outcome } = waits;
    const inOrder = [...rows.filter((row) => outcome[row] === ACQUIRED)];
    inOrder.sort((a, b) => end[a] - end[b] || ranks[thread[a]] - ranks[thread[b]]);
    // Of takes that a thread gives back at one time, maybe never, only the first is ever needed.
    const lastOf = new Map<number, Set<number>>();
    this.#rows = inOrder.filter((row) => {
      const known = lastOf.get(thread[row]) ?? new Set<number>();
      lastOf.set(thread[row], known);
      return !known.has(back[row]) && known.add(back[row]);
    });
    this.#spans = this.#spansOf(this.#rows);
    const count = inOrder.reduce(
      (sum, row) => sum + this.#spanAt(waits.end[row]) - this.#spanAt(waits.request[row]),
      0,
    );
    this.#most = stepsOfEach(inOrder.length, count);
  }

  /**
   * Cuts a wait whose giver had taken what it gave: until the hand-over, at each moment, the take of another thread
   * that is given back first; while there is none, the last one; before any, the next one; without any, and after the
   * hand-over, the giver.
   */
  cut(wait: number, take: TakePiece): void {
    const { request, end, link, by, thread, back } = this.#waits;
    const [waiter, from, until] = [thread[wait], request[wait], link[wait]];
    const spans = this.#spans;
    const pieces = new JoinedPieces(take);
    const ofOther = (row: number, other: number) => (row >= 0 && thread[row] === waiter ? other : row);
    let next: number | undefined;
    const begin = this.#spanAt(from);
    for (let at = begin; at < spans.length && spans[at].time < until; at++) {
      if (at - begin >= this.#most) {
        this.shortened++;
        pieces.add(-1, spans[at].time, until, true, -1);
        break;
      }
      const { time, first, second, gone, goneBefore } = spans[at];
      const [now, to] = [Math.max(from, time), Math.min(until, spans.at(at + 1)?.time ?? until)];
      const held = ofOther(first, second);
      const last = ofOther(gone, goneBefore);
      let holder = held;
      if (held < 0)
        holder = last >= 0 && back[last] > from ? last : (next ??= this.#nextOf(waiter, from, until));
      pieces.add(holder < 0 ? by[wait] : thread[holder], now, to, held >= 0, holder);
    }
    if (until < end[wait]) pieces.add(by[wait], until, end[wait], false, -1);
    pieces.finish();
  }

  #spanAt(time: number): number {
    return firstWhere(0, this.#spans.length, (i) => this.#spans[i].time > time) - 1;
  }

  /** The first take of another thread in (from, until), -1 none. */
  #nextOf(waiter: number, from: number, until: number): number {
    const { thread, end } = this.#waits;
    const rows = this.#rows;
    let at = firstWhere(0, rows.length, (place) => end[rows[place]] > from);
    while (at < rows.length && thread[rows[at]] === waiter) at++;
    return at < rows.length && end[rows[at]] < until ? rows[at] : -1;
  }

  #spansOf(rows: readonly number[]): TakenSpan[] {
    const { thread, end, back } = this.#waits;
    /** Takes at the present time: the last one is given back first. */
    const open: number[] = [];
    let [gone, goneBefore] = [-1, -1];
    let last: TakenSpan = { time: -Infinity, first: -1, second: -1, gone, goneBefore };
    const spans = [last];
    for (let next = 0; next < rows.length || open.length > 0;) {
      const now = Math.min(
        open.length > 0 ? back[open[open.length - 1]] : Infinity,
        next < rows.length ? end[rows[next]] : Infinity,
      );
      for (; next < rows.length && end[rows[next]] <= now; next++) this.#insert(open, rows[next]);
      for (let top = open.at(-1); top !== undefined && !(back[top] > now); top = open.at(-1)) {
        if (gone < 0 || thread[gone] !== thread[top]) goneBefore = gone;
        gone = top;
        open.pop();
      }
      const first = open.at(-1) ?? -1;
      const second = open.findLast((row) => thread[row] !== thread[first]) ?? -1;
      const span = {
        ...{ time: now, first, second },
        ...(second >= 0 ? { gone: -1, goneBefore: -1 } : { gone, goneBefore }),
      };
      const isSame =
        first === last.first &&
        second === last.second &&
        span.gone === last.gone &&
        span.goneBefore === last.goneBefore;
      if (!isSame) spans.push((last = span));
    }
    return spans;
  }

  #insert(open: number[], row: number): void {
    open.splice(
      firstWhere(0, open.length, (place) => this.#isEarlier(open[place], row)),
      0,
      row,
    );
  }

  #isEarlier(a: number, b: number): boolean {
    const { thread, end, back } = this.#waits;
    const ranks = this.#ranks;
    return (back[a] - back[b] || end[a] - end[b] || ranks[thread[a]] - ranks[thread[b]]) < 0;
  }
}

/** Passes pieces on; adjacent ones for one thread are merged. */
class JoinedPieces {
  #piece: Parameters<TakePiece> | undefined;

  constructor(private readonly take: TakePiece) {}

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
    if (this.#piece !== undefined) this.take(...this.#piece);
    this.#piece = undefined;
  }
}

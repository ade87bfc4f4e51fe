/**
 * What really happened to simulated locks: who waited from when to when, who held, which waits closed a cycle, and in which
 * order threads took locks. What follows from it is worked out by looking at everything, however long that takes.
 */
import type { LockKind } from '../../../src/engine/layers/locks/lock-log.ts';
import * as lockLog from '../../../src/engine/layers/locks/lock-log.ts';
import * as lockModel from '../../../src/engine/layers/locks/model/lock-model.ts';

export interface TrueWait {
  readonly thread: number;
  /** Row of the lock. */
  readonly lock: number;
  readonly mode: number;
  readonly way: number;
  request: number;
  end: number;
  outcome: number;
  /** Of the hold, NaN none. */
  to: number;
  /** What let it go on, of locks without an owner; the rest is found at the end. */
  by: number;
  link: number;
  isContended: boolean;
  isTaken: boolean;
  /** When what was taken of a semaphore was given back; NaN: never. */
  back: number;
  /** No event tells of it. */
  isUnseen: boolean;
}

/** Waits of which each one's thread waits for that of the next. */
export interface TrueDeadlock {
  readonly waits: readonly TrueWait[];
  readonly from: number;
}

/** A thread asked for `second` in a mode while it held `first` in one, and others. Rows of locks. */
export interface TrueWay {
  readonly thread: number;
  readonly first: number;
  readonly held: number;
  readonly second: number;
  readonly asked: number;
  readonly others: readonly { readonly lock: number; readonly mode: number }[];
  readonly at: number;
}

/** Who made a thread wait, -1 nobody known. */
export interface TruePiece {
  readonly holder: number;
  readonly ns: number;
}

const OWNED: ReadonlySet<LockKind> = new Set(['mutex', 'spin', 'rwlock', 'file']);

export class TrueLocks {
  readonly kinds: readonly LockKind[];
  readonly waits: TrueWait[] = [];
  readonly deadlocks: TrueDeadlock[] = [];
  readonly ways: TrueWay[] = [];
  /** Of threads that wait now, and of locks that are held now. */
  readonly #waiting = new Set<TrueWait>();
  readonly #held = new Set<TrueWait>();

  /** @param kinds by row of the lock */
  constructor(kinds: readonly LockKind[]) {
    this.kinds = kinds;
  }

  /** A thread asks for a lock. */
  ask(thread: number, lock: number, request: number, mode: number, way: number): TrueWait {
    const wait: TrueWait = {
      ...{ thread, lock, mode, way, request, end: NaN, outcome: lockModel.UNFINISHED, to: NaN },
      ...{ by: -1, link: NaN, isContended: false, isTaken: false, back: NaN, isUnseen: false },
    };
    this.waits.push(wait);
    if (this.#isOwned(wait) && way !== lockModel.BY_TRY && way !== lockModel.BY_CONDITION)
      this.#addWays(wait);
    return wait;
  }

  /** It has to wait. */
  block(wait: TrueWait): void {
    if (this.#waiting.has(wait)) return;
    this.#waiting.add(wait);
    for (const waits of this.#cyclesFrom(wait, [])) {
      const from = Math.max(...waits.map((each, i) => this.#edgeFrom(each, waits[(i + 1) % waits.length])));
      const isSame = (known: TrueDeadlock) =>
        known.waits.length === waits.length && known.waits.every((each) => waits.includes(each));
      if (!this.deadlocks.some(isSame)) this.deadlocks.push({ waits, from });
    }
  }

  acquire(wait: TrueWait, time: number): void {
    this.#waiting.delete(wait);
    wait.end = time;
    wait.outcome = lockModel.ACQUIRED;
    if (this.#isOwned(wait)) this.#held.add(wait);
  }

  fail(wait: TrueWait, time: number): void {
    this.#waiting.delete(wait);
    wait.end = time;
    wait.outcome = lockModel.FAILED;
  }

  release(hold: TrueWait, time: number): void {
    this.#held.delete(hold);
    hold.to = time;
  }

  /** Ends what goes on, and finds out who waited for whom. */
  finish(end: number): void {
    for (const wait of this.waits) {
      if (wait.outcome === lockModel.UNFINISHED) wait.end = end;
      if (wait.outcome === lockModel.ACQUIRED && this.#isOwned(wait) && Number.isNaN(wait.to)) wait.to = end;
    }
    for (const wait of this.waits) if (this.#isOwned(wait)) this.#judge(wait);
  }

  /** Holds of other threads in the way of a wait. */
  inTheWay(wait: TrueWait): TrueWait[] {
    return this.waits.filter(
      (hold) =>
        hold.lock === wait.lock &&
        hold.thread !== wait.thread &&
        hold.outcome === lockModel.ACQUIRED &&
        areInConflict(hold.mode, wait.mode) &&
        hold.end < wait.end &&
        hold.to > wait.request,
    );
  }

  /** A contended wait in pieces: for whom it was at each moment. */
  piecesOf(wait: TrueWait): TruePiece[] {
    if (this.kinds[wait.lock] === 'sem' && wait.isTaken) return this.#takenPieces(wait);
    if (!this.#isOwned(wait)) return [{ holder: wait.by, ns: wait.end - wait.request }];
    const holds = this.inTheWay(wait);
    const inside = (time: number) => time > wait.request && time < wait.end;
    const times = holds.flatMap(({ end, to }) => [end, to]).filter(inside);
    const cuts = [...new Set([wait.request, ...times, wait.end])].sort((a, b) => a - b);
    return cuts.slice(1).map((to, i) => {
      const from = cuts[i];
      const now = holds.filter((hold) => hold.end <= from && hold.to >= to);
      const past = holds.filter((hold) => hold.to <= from);
      const holder = now.length > 0 || past.length > 0 ? lastOf(now.length > 0 ? now : past) : firstOf(holds);
      return { holder: holder.thread, ns: to - from };
    });
  }

  /** A wait for a semaphore by what others had taken until the hand-over: at each moment what is given back first. */
  #takenPieces({ lock, thread, request, link, end, by }: TrueWait): TruePiece[] {
    const takes = this.waits
      .filter((take) => take.lock === lock && take.thread !== thread && take.outcome === lockModel.ACQUIRED)
      .map((take) => ({
        holder: take.thread,
        from: take.end,
        to: Number.isNaN(take.back) ? Infinity : take.back,
      }))
      .filter((take) => take.to > request && take.from < link);
    const inside = (time: number) => time > request && time < link;
    const times = takes.flatMap(({ from, to }) => [from, to]).filter(inside);
    const cuts = [...new Set([request, ...times, link])].sort((a, b) => a - b);
    const first = (rows: typeof takes, time: (row: (typeof takes)[0]) => number) =>
      rows.reduce((a, b) => (time(b) < time(a) || (time(b) === time(a) && b.from < a.from) ? b : a));
    const pieces = cuts.slice(1).map((to, i) => {
      const now = takes.filter((take) => take.from <= cuts[i] && take.to >= to);
      const past = takes.filter((take) => take.to <= cuts[i]);
      const holder = () => {
        if (now.length > 0) return first(now, (take) => take.to).holder;
        if (past.length > 0) return first(past, (take) => -take.to).holder;
        return first(takes, (take) => take.from).holder;
      };
      return { holder: takes.length > 0 ? holder() : by, ns: to - cuts[i] };
    });
    return link < end ? [...pieces, { holder: by, ns: end - link }] : pieces;
  }

  #isOwned({ lock }: TrueWait): boolean {
    return OWNED.has(this.kinds[lock]);
  }

  #judge(wait: TrueWait): void {
    const holds = this.inTheWay(wait);
    if (wait.way === lockModel.BY_TRY || wait.end === wait.request || holds.length === 0) return;
    const last = lastOf(holds);
    wait.isContended = wait.isTaken = true;
    wait.by = last.thread;
    if (wait.outcome === lockModel.ACQUIRED) wait.link = Math.min(last.to, wait.end);
  }

  #addWays({ thread, lock, mode: asked, request }: TrueWait): void {
    const held = [...this.#held].filter((hold) => hold.thread === thread && hold.lock !== lock);
    for (const { lock: first, mode } of held) {
      const others = held.filter((other) => other.lock !== first);
      this.ways.push({ thread, first, held: mode, second: lock, asked, others, at: request });
    }
  }

  /** Begin of the waiting of one thread for what another one holds. */
  #edgeFrom(wait: TrueWait, next: TrueWait): number {
    const holds = this.#holdsFor(wait).filter((hold) => hold.thread === next.thread);
    return Math.max(wait.request, ...holds.map(({ end }) => end));
  }

  #holdsFor(wait: TrueWait): TrueWait[] {
    return [...this.#held].filter((hold) => hold.lock === wait.lock && areInConflict(hold.mode, wait.mode));
  }

  /** Cycles through the first wait of the path, or through `wait` if it is empty. */
  #cyclesFrom(wait: TrueWait, path: readonly TrueWait[]): TrueWait[][] {
    const longer = [...path, wait];
    return this.#holdsFor(wait).flatMap(({ thread }) => {
      if (thread === longer[0].thread) return [longer];
      const next = [...this.#waiting].find((other) => other.thread === thread);
      return next === undefined || longer.includes(next) ? [] : this.#cyclesFrom(next, longer);
    });
  }
}

function areInConflict(a: number, b: number): boolean {
  return a === lockLog.EXCLUSIVE || b === lockLog.EXCLUSIVE;
}

/** The hold that ends last, of those the one that begins last. */
function lastOf(holds: readonly TrueWait[]): TrueWait {
  return holds.reduce((a, b) => (b.to > a.to || (b.to === a.to && b.end > a.end) ? b : a));
}

function firstOf(holds: readonly TrueWait[]): TrueWait {
  return holds.reduce((a, b) => (b.end < a.end ? b : a));
}

/** Hand-overs: which waits were for another thread, for which one, and when it handed the lock over. */
import { rowNumbers } from '../../../base/columns.ts';
import { addTo, groupBy } from '../../../base/group-by.ts';
import { firstWhere } from '../../../base/lower-bound.ts';
import { stableOrder } from '../../../base/stable-order.ts';
import type { LockKind } from '../lock-log.ts';
import { barrierRounds } from './barrier-rounds.ts';
import type { CellTable, WaitTable } from './model-tables.ts';
import { HoldList, type Ranks } from './hold-list.ts';
import { ACQUIRED, CONTENDED, LATE, OPEN, TAKEN, UNFINISHED, WOKEN } from './lock-model.ts';
import type { LockReader, LockSpan, LockSpans } from './read-locks.ts';
import { ThreadSet } from './thread-set.ts';
import type { Gifts } from './unowned-locks.ts';
import { TakeList } from './take-list.ts';
import { firstWakeBehind, type WakeUps } from './thread-waits.ts';

/** Looks at wake-ups and barrier waits, in all and per wake-up: only a trace made for it needs more. */
const MOST_LOOKS = 4_000_000;
const LOOKS_OF_EACH = 50;

export class HandOvers {
  /** Number of waits at barriers whose rounds were not searched. */
  missedRounds = 0;
  /** Number of waits whose last part has no known holder, and of searches for wake-ups that were left out. */
  shortened = 0;
  missedWakes = 0;
  readonly #looks = { left: MOST_LOOKS };
  readonly #reader: LockReader;
  readonly #waits: WaitTable;
  readonly #wakes: WakeUps;
  readonly #ranks: Ranks;
  readonly #cells: CellTable;
  /** Threads that wait for the present lock, and the place of each one's first wait in the lock's span. */
  readonly #waiters: ThreadSet;
  readonly #first: Int32Array;

  /** @param ranks of threads, by their names @param cells gets who made whom wait */
  constructor(reader: LockReader, wakes: WakeUps, ranks: Ranks, cells: CellTable) {
    this.#reader = reader;
    this.#waits = reader.waits;
    this.#wakes = wakes;
    this.#looks.left += LOOKS_OF_EACH * wakes.time.length;
    this.#ranks = ranks;
    this.#cells = cells;
    this.#waiters = new ThreadSet(ranks.length);
    this.#first = new Int32Array(ranks.length);
  }

  /** Finds those of a lock. Conditions come first: a mutex retaken after one is waited for from its hand-over on. */
  find(kind: LockKind, lock: number, spans: LockSpans): void {
    if (kind === 'sem') this.#ofSemaphore(lock, spans);
    else if (kind === 'cond') this.#ofCondition(lock, spans);
    else if (kind === 'barrier') this.#ofBarrier(lock, spans);
    else this.#ofOwned(lock, spans);
  }

  #ofOwned(lock: number, { waits, strays }: LockSpans): void {
    const { owned } = this.#reader;
    const { request, end, outcome, by, link } = this.#waits.rows;
    const rows = rowNumbers(waits.from, waits.to);
    this.#endWoken(rows);
    const { thread, time } = owned.strays.rows;
    const stray = {
      thread: thread.subarray(strays.from, strays.to),
      time: time.subarray(strays.from, strays.to),
    };
    const list = new HoldList(this.#waits.rows, rows, stray, this.#ranks);
    let wait = -1;
    const take = (holder: number, from: number, to: number) => this.#cells.add(wait, holder, to - from);
    this.#each(lock, waits, (row) => {
      wait = row;
      if (!list.cut(row, take)) return;
      this.#waits.flag(row, CONTENDED | TAKEN);
      by[row] = list.thread;
      if (outcome[row] !== ACQUIRED || list.thread < 0) return;
      link[row] = Math.min(list.end, end[row]);
      this.#linkByWake(row, Math.max(request[row], list.begin));
    });
    this.shortened += list.shortened;
  }

  /** Ends holds of threads that wake a waiter of the lock: they have released it by then. */
  #endWoken(rows: Int32Array): void {
    const { thread, request, end, to, outcome, flags } = this.#waits.rows;
    const { time, by } = this.#wakes;
    if (time.length === 0) return;
    const inOrder = () =>
      stableOrder(
        end,
        rows.filter((row) => outcome[row] === ACQUIRED),
      );
    let holdsOf: ReadonlyMap<number, readonly number[]> | undefined;
    for (const wait of rows) {
      if (!this.#waits.isWait(wait)) continue;
      const { first, stop } = this.#wakesWithin(wait, request[wait]) ?? NO_WAKES;
      for (let wake = first; wake < stop; wake++) {
        holdsOf ??= groupBy(inOrder(), (row) => thread[row]);
        const own = holdsOf.get(by[wake]) ?? [];
        const hold = own[firstWhere(0, own.length, (i) => end[own[i]] >= time[wake]) - 1];
        if (hold === undefined || !(to[hold] > time[wake])) continue;
        to[hold] = time[wake];
        flags[hold] = (flags[hold] & ~OPEN) | LATE;
      }
    }
  }

  /** The last post of another thread ends a wait; if that thread had taken what it gives, the wait is cut by takes. */
  #ofSemaphore(lock: number, { waits, gifts }: LockSpans): void {
    const { thread, request, end, outcome, by, link } = this.#waits.rows;
    const { posts } = this.#reader.semaphore;
    const takes = new TakeList(this.#waits.rows, rowNumbers(waits.from, waits.to), this.#ranks);
    this.#each(lock, waits, (row) => {
      let post = this.#lastGift(posts, gifts, end[row]);
      while (post >= 0 && posts.rows.thread[post] === thread[row]) post = before(post, gifts);
      const isGiven = post >= 0 && posts.rows.time[post] > request[row];
      if (!isGiven && outcome[row] === ACQUIRED) return;
      if (isGiven && outcome[row] === ACQUIRED) {
        by[row] = posts.rows.thread[post];
        link[row] = posts.rows.time[post];
        this.#linkByWake(row, request[row]);
      }
      if (!isGiven || outcome[row] !== ACQUIRED || posts.rows.taken[post] === 0) {
        this.#contend(row);
        return;
      }
      this.#waits.flag(row, CONTENDED | TAKEN);
      takes.cut(row, (holder, from, to) => this.#cells.add(row, holder, to - from));
    });
    this.shortened += takes.shortened;
  }

  /** The last signal that woke the waiter ends its wait, else the last signal. */
  #ofCondition(lock: number, { waits, gifts }: LockSpans): void {
    const { thread, request, end, outcome, by, link } = this.#waits.rows;
    const { signals } = this.#reader.condition;
    const byThread = new Map<number, number[]>();
    for (let i = gifts.from; i < gifts.to; i++) addTo(byThread, signals.rows.thread[i], i);
    this.#each(lock, waits, (row) => {
      if (outcome[row] === ACQUIRED && !this.#takeSignal(row, signals, byThread)) {
        let last = this.#lastGift(signals, gifts, end[row]);
        while (last >= 0 && signals.rows.thread[last] === thread[row]) last = before(last, gifts);
        if (last >= 0 && signals.rows.time[last] > request[row]) {
          by[row] = signals.rows.thread[last];
          link[row] = signals.rows.time[last];
        }
      }
      this.#contend(row);
    });
  }

  /** Finds the last signal whose thread woke the waiter before its next event; false: none. @param byThread in order of time */
  #takeSignal(row: number, { rows }: Gifts, byThread: ReadonlyMap<number, readonly number[]>): boolean {
    const { thread, request, by, link } = this.#waits.rows;
    const { time, by: wakers } = this.#wakes;
    const wakes = this.#wakesWithin(row, request[row]);
    if (wakes === undefined) return true;
    let found = -1;
    for (let wake = wakes.first; wake < wakes.stop; wake++) {
      const at = time[wake];
      const given = wakers[wake] === thread[row] ? [] : (byThread.get(wakers[wake]) ?? []);
      const signal = given[firstWhere(0, given.length, (i) => rows.time[given[i]] > at) - 1] ?? -1;
      if (signal <= found || rows.time[signal] <= request[row]) continue;
      if (at >= this.#reader.nextEvent(wakers[wake], rows.time[signal])) continue;
      found = signal;
      by[row] = wakers[wake];
      link[row] = at;
    }
    if (found >= 0) this.#waits.flag(row, WOKEN);
    return found >= 0;
  }

  /** The last thread of a round releases the others. */
  #ofBarrier(lock: number, { waits }: LockSpans): void {
    const { onlyEnds, serial } = this.#reader.barrier;
    const { outcome, request, thread, by, link, flags } = this.#waits.rows;
    const rows: number[] = [];
    for (let row = waits.from; row < waits.to; row++) if (!onlyEnds.has(row)) rows.push(row);
    const isSerial = (row: number) => serial.has(row);
    const looks = this.#looks;
    this.missedRounds += barrierRounds(
      this.#waits.rows,
      { rows, isSerial },
      this.#wakes,
      looks,
      (last, round) => {
        for (const row of round) {
          if (thread[row] === thread[last] || outcome[row] === UNFINISHED || !this.#waits.isWait(row))
            continue;
          by[row] = thread[last];
          link[row] = request[last];
          this.#linkByWake(row, request[row]);
          if (link[row] > request[row]) continue;
          // It came when the round was complete.
          by[row] = -1;
          link[row] = NaN;
          flags[row] &= ~WOKEN;
        }
      },
    );
    this.#each(lock, waits, (row) => {
      if (by[row] >= 0 || outcome[row] === UNFINISHED) this.#contend(row);
    });
  }

  /** Attributes the whole wait to `by`. */
  #contend(row: number): void {
    const { request, end, by } = this.#waits.rows;
    this.#waits.flag(row, CONTENDED);
    this.#cells.add(row, by[row], end[row] - request[row]);
  }

  /** Takes a wake-up of the waiter by `by` after `since` as the hand-over. */
  #linkByWake(row: number, since: number): void {
    const { by, link } = this.#waits.rows;
    const { first, stop } = this.#wakesWithin(row, since) ?? NO_WAKES;
    let wake = stop - 1;
    while (wake >= first && this.#wakes.by[wake] !== by[row]) wake--;
    if (wake < first) return;
    link[row] = this.#wakes.time[wake];
    this.#waits.flag(row, WOKEN);
  }

  /** Wake-ups of a waiter after `since` up to the end of its wait; undefined: too many were examined before. */
  #wakesWithin(row: number, since: number): typeof NO_WAKES | undefined {
    const { thread, end } = this.#waits.rows;
    const first = firstWakeBehind(this.#wakes, thread[row], since);
    const stop = firstWakeBehind(this.#wakes, thread[row], end[row]);
    this.#looks.left -= Math.max(0, stop - first);
    if (this.#looks.left >= 0 || first >= stop) return { first, stop };
    this.missedWakes++;
    return undefined;
  }

  /** The last gift at or before `time`, -1 none. */
  #lastGift({ rows }: Gifts, { from, to }: LockSpan, time: number): number {
    const behind = firstWhere(from, to, (row) => rows.time[row] > time);
    return before(behind, { from, to });
  }

  /** Calls `visit` for each wait that took time, thread by thread, and finishes their cells. */
  #each(lock: number, { from, to }: LockSpan, visit: (row: number) => void): void {
    const { thread } = this.#waits.rows;
    /** Place of the thread's next wait by place in the span; -1 none. */
    const next = new Int32Array(to - from);
    for (let row = to - 1; row >= from; row--) {
      if (!this.#waits.isWait(row)) continue;
      const waiter = thread[row];
      next[row - from] = this.#waiters.has(waiter) ? this.#first[waiter] : -1;
      this.#waiters.add(waiter);
      this.#first[waiter] = row - from;
    }
    while (this.#waiters.length > 0) {
      const waiter = this.#waiters.at(0);
      this.#waiters.delete(waiter);
      for (let place = this.#first[waiter]; place >= 0; place = next[place]) visit(from + place);
      this.#cells.finish(lock, waiter);
    }
  }
}

const NO_WAKES = { first: 0, stop: 0 };

/** The row before, -1: there is none in the span. */
function before(row: number, { from }: LockSpan): number {
  return row > from ? row - 1 : -1;
}

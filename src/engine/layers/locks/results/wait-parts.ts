/** Parts of single waits for locks, by whom they were for. */
import { append } from '../../../base/append.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { rowsBy } from '../../../base/rows-by.ts';
import { HoldList, type StrayReleases, type TakePiece } from '../model/hold-list.ts';
import { type LockModel, TAKEN, hasOwner } from '../model/lock-model.ts';
import { textRanks } from '../model/model-threads.ts';
import { TakeList } from '../model/take-list.ts';
import { lockResults } from './lock-results.ts';

/** Pieces of a wait as turns: consecutive holds by one thread are one turn. */
export class TurnList {
  readonly turns: { readonly holder: number; times: number; ns: number }[] = [];
  freeNs = 0;
  #hold: number | undefined;

  /** @param hold number that distinguishes holds; undefined: nobody held the lock */
  add(holder: number, hold: number | undefined, ns: number): void {
    if (!(ns > 0)) return;
    const last = this.turns.at(-1);
    if (hold === undefined) this.freeNs += ns;
    else if (last?.holder !== holder) this.turns.push({ holder, times: 1, ns });
    else {
      last.ns += ns;
      if (hold !== this.#hold) last.times++;
    }
    this.#hold = hold ?? this.#hold;
  }

  /** Turns of several waits, which are not consecutive: by holder, longest first. */
  byHolder(): TurnList {
    const sums = new Map<number, { holder: number; times: number; ns: number }>();
    for (const { holder, times, ns } of this.turns) {
      const sum = sums.get(holder) ?? { holder, times: 0, ns: 0 };
      sums.set(holder, { holder, times: sum.times + times, ns: sum.ns + ns });
    }
    const list = new TurnList();
    append(
      list.turns,
      [...sums.values()].sort((a, b) => b.ns - a.ns),
    );
    list.freeNs = this.freeNs;
    return list;
  }
}

/** Waits of a model, cut by whom they were for; a lock's holds are gathered when a wait for it is first asked about. */
class WaitParts {
  readonly #model: LockModel;
  readonly #ranks: Int32Array;
  readonly #strays: ReturnType<typeof rowsBy>;
  readonly #lists = new Map<number, HoldList | TakeList>();

  constructor(model: LockModel) {
    this.#model = model;
    this.#ranks = textRanks(model.threads);
    this.#strays = rowsBy(model.strays.lock, model.locks.length);
  }

  /** Calls `take` for each piece of a contended wait. */
  each(wait: number, take: TakePiece): void {
    const { waits, locks } = this.#model;
    const lock = waits.lock[wait];
    if (hasOwner(locks[lock].kind) || (waits.flags[wait] & TAKEN) !== 0) this.#listOf(lock).cut(wait, take);
    // Locks of this kind have no owner: the whole wait is for the thread that ended it.
    else take(waits.by[wait], waits.request[wait], waits.end[wait], false, -1);
  }

  /** Time of a contended wait that was for certain holders, ns; holders are rows of the model's threads, -1 nobody known. */
  nsFor(wait: number, isWanted: (holder: number) => boolean): number {
    let ns = 0;
    this.each(wait, (holder, from, to) => {
      if (isWanted(holder)) ns += to - from;
    });
    return ns;
  }

  /** Turns of the lock's holders during a contended wait, up to the hand-over. */
  turnsOf(wait: number): TurnList {
    const list = new TurnList();
    const until = this.#model.waits.until[wait];
    this.each(wait, (holder, from, to, isHeld, hold) => {
      list.add(holder, isHeld ? hold : undefined, Math.min(to, until) - from);
    });
    return list;
  }

  #listOf(lock: number): HoldList | TakeList {
    const known = this.#lists.get(lock);
    if (known !== undefined) return known;
    const { waits, locks } = this.#model;
    const rows = lockResults(this.#model).rowsOf(lock);
    const list = hasOwner(locks[lock].kind)
      ? new HoldList(waits, rows, this.#straysOf(lock), this.#ranks)
      : new TakeList(waits, rows, this.#ranks);
    this.#lists.set(lock, list);
    return list;
  }

  #straysOf(lock: number): StrayReleases {
    const { start, order } = this.#strays;
    const rows = order.subarray(start[lock], start[lock + 1]);
    const { thread, time } = this.#model.strays;
    return {
      thread: Int32Array.from(rows, (row) => thread[row]),
      time: Float64Array.from(rows, (row) => time[row]),
    };
  }
}

export const waitParts = cachedByKey((model: LockModel) => new WaitParts(model));

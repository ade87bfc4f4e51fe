/** Parts of single waits for locks, by whom they were for. */
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { rowsBy } from '../../../base/rows-by.ts';
import { HoldList, type StrayReleases, type TakePiece } from '../model/hold-list.ts';
import { type LockModel, TAKEN, hasOwner } from '../model/lock-model.ts';
import { textRanks } from '../model/model-threads.ts';
import { TakeList } from '../model/take-list.ts';
import { lockResults } from './lock-results.ts';

/** Waits of a model, cut by whom they were for; holds of a lock are gathered when a wait for it is first asked about. */
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
    // Nobody owns a lock of this kind: a wait is as a whole for who ended it.
    else take(waits.by[wait], waits.request[wait], waits.end[wait], false, -1);
  }

  /** ns of a contended wait that were for certain holders; they are asked about by row of the model's threads, -1 nobody known. */
  nsFor(wait: number, isWanted: (holder: number) => boolean): number {
    let ns = 0;
    this.each(wait, (holder, from, to) => {
      if (isWanted(holder)) ns += to - from;
    });
    return ns;
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

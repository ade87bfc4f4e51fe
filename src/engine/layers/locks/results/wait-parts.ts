/** Parts of single waits for a lock, by whom they were for. */
import { rowsBy } from '../../../base/rows-by.ts';
import { HoldList } from '../model/hold-list.ts';
import { ACQUIRED, type LockModel } from '../model/lock-model.ts';
import { textRanks } from '../model/model-threads.ts';
import { hasOwner } from '../model/read-locks.ts';

/** Parts of the waits for one lock, made for several questions. */
export class WaitParts {
  readonly #waits: LockModel['waits'];
  /** undefined: nobody owns a lock of this kind, and a wait is as a whole for who ended it. */
  readonly #holds: HoldList | undefined;

  /** @param rows of the model's waits for the lock */
  constructor(model: LockModel, lock: number, rows: Int32Array) {
    const { waits, locks, strays, threads } = model;
    this.#waits = waits;
    if (!hasOwner(locks[lock].kind)) return;
    const acquired = rows.filter((row) => waits.outcome[row] === ACQUIRED);
    acquired.sort((a, b) => waits.end[a] - waits.end[b]);
    const { start, order } = rowsBy(strays.lock, locks.length);
    const own = order.subarray(start[lock], start[lock + 1]);
    const stray = {
      thread: Int32Array.from(own, (row) => strays.thread[row]),
      time: Float64Array.from(own, (row) => strays.time[row]),
    };
    this.#holds = new HoldList(waits, acquired, stray, textRanks(threads));
  }

  /** ns of a contended wait that were for certain holders; they are asked about by row of the model's threads, -1 nobody known. */
  nsFor(wait: number, isWanted: (holder: number) => boolean): number {
    const { request, end, by } = this.#waits;
    if (this.#holds === undefined) return isWanted(by[wait]) ? end[wait] - request[wait] : 0;
    let ns = 0;
    this.#holds.cut(wait, (holder, from, to) => {
      if (isWanted(holder)) ns += to - from;
    });
    return ns;
  }
}

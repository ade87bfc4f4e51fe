/** Results from the model of a host's locks, computed on first use. */
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { ordered, rowNumbers } from '../../../base/columns.ts';
import { type RowGroups, rowsBy } from '../../../base/rows-by.ts';
import { stableOrder } from '../../../base/stable-order.ts';
import {
  type LockModel,
  hasOwner,
  CONTENDED,
  ACQUIRED,
  BY_CONDITION,
  BY_KEEPING,
  BY_TRY,
} from '../model/lock-model.ts';
import { threadRanks } from '../model/model-threads.ts';
import { holdPartsOf, isIdle, type LockSums, sumsOf } from './lock-sums.ts';
import type { LockKind } from '../lock-log.ts';

/** Hand-overs in an episode that make it a convoy. */
const CONVOY = 8;

/** Sums of one thread. */
export interface ThreadSums {
  /** Row of the model's threads. */
  readonly thread: number;
  readonly sums: LockSums;
}

/** Cell of the matrix of who made whom wait. */
export interface MatrixCell {
  /** Rows of the model's threads; holder -1: nobody known. */
  readonly waiter: number;
  readonly holder: number;
  readonly ns: number;
  readonly waits: number;
}

export class LockResults {
  readonly model: LockModel;
  /** Rank in the order of thread ids by row of the model's threads. */
  readonly ranks: Int32Array;
  readonly #rowsOfLocks: RowGroups;
  readonly #cellsOfLocks: RowGroups;

  constructor(model: LockModel) {
    this.model = model;
    this.ranks = threadRanks(model.threads);
    this.#rowsOfLocks = rowsBy(model.waits.lock, model.locks.length);
    this.#cellsOfLocks = rowsBy(model.cells.lock, model.locks.length);
  }

  /** Rows of the waits for a lock, by request. */
  rowsOf(lock: number): Int32Array {
    const { start, order } = this.#rowsOfLocks;
    return order.subarray(start[lock], start[lock + 1]);
  }

  /** Sums of each thread that requested a lock, in order of threads. */
  threadSumsOf(lock: number): ThreadSums[] {
    return this.#byThread(this.rowsOf(lock));
  }

  /** Sums of each thread that requested any lock. */
  threadSums(): ThreadSums[] {
    return this.#byThread(rowNumbers(0, this.model.waits.length));
  }

  /** Cells by waiter and holder, nobody first. */
  matrixOf(lock: number): MatrixCell[] {
    const { start, order } = this.#cellsOfLocks;
    return this.#cells(order.subarray(start[lock], start[lock + 1]));
  }

  /** Cells over all locks that are not idle. */
  matrix(): MatrixCell[] {
    const { lock } = this.model.cells;
    const isIdle = this.model.locks.map((_, row) => this.isIdle(row));
    return this.#cells(Int32Array.from(lock.keys()).filter((row) => !isIdle[lock[row]]));
  }

  /** Whether a lock's holders mostly wait for work, so that its waiters are idle, too. */
  isIdle(lock: number): boolean {
    const parts = hasOwner(this.model.locks[lock].kind) ? holdPartsOf(this.model, lock) : undefined;
    return parts !== undefined && isIdle(parts);
  }

  /** Locks of which anything is known; file locks only if a call has locked or tried to. */
  known(): number[] {
    const { locks, counts } = this.model;
    const isCounted = (lock: number) => Object.values(counts).some((column) => column[lock] > 0);
    return locks
      .map((_, lock) => lock)
      .filter((lock) => locks[lock].kind !== 'file' || this.rowsOf(lock).length > 0 || isCounted(lock));
  }

  /** Episodes of a lock that is not idle in which the queue did not drain over many hand-overs. */
  convoysOf(lock: number): Episode[] {
    if (!hasOwner(this.model.locks[lock].kind) || this.isIdle(lock)) return [];
    return episodesOf(this.model, this.rowsOf(lock)).filter(({ handOvers }) => handOvers >= CONVOY);
  }

  #byThread(rows: Int32Array): ThreadSums[] {
    const { thread } = this.model.waits;
    const { ranks } = this;
    // In proportion to the rows: a trace may have as many locks as threads.
    const ranksOfRows = new Float64Array(rows.length);
    for (let i = 0; i < rows.length; i++) ranksOfRows[i] = ranks[thread[rows[i]]];
    const { rows: sorted } = ordered({ rows }, stableOrder(ranksOfRows));
    const found: ThreadSums[] = [];
    for (let from = 0, to = 0; from < sorted.length; from = to) {
      const own = thread[sorted[from]];
      while (to < sorted.length && thread[sorted[to]] === own) to++;
      found.push({ thread: own, sums: sumsOf(this.model, sorted.subarray(from, to)) });
    }
    return found;
  }

  #cells(rows: Int32Array): MatrixCell[] {
    const { waiter, holder, ns, waits } = this.model.cells;
    const { ranks } = this;
    const rankOf = (thread: number) => (thread < 0 ? -1 : ranks[thread]);
    const threads = ranks.length + 1;
    const found = new Map<number, { waiter: number; holder: number; ns: number; waits: number }>();
    for (const row of rows) {
      const key = waiter[row] * threads + holder[row] + 1;
      const known = found.get(key);
      if (known === undefined) {
        found.set(key, { waiter: waiter[row], holder: holder[row], ns: ns[row], waits: waits[row] });
      } else {
        known.ns += ns[row];
        known.waits += waits[row];
      }
    }
    return [...found.values()].sort(
      (a, b) => rankOf(a.waiter) - rankOf(b.waiter) || rankOf(a.holder) - rankOf(b.holder),
    );
  }
}

export const lockResults = cachedByKey((model: LockModel) => new LockResults(model));

/** Episode of a lock: from the first wait for another thread until nobody waits. Times are HostNs. */
export interface Episode {
  readonly from: number;
  readonly to: number;
  readonly maxWaiters: number;
  readonly handOvers: number;
}

/** Episodes; waits that only touch are in two. @param rows of the model's waits for the lock, by request */
export function episodesOf({ waits }: LockModel, rows: Int32Array): Episode[] {
  const { request, end, flags, link } = waits;
  const contended = rows.filter((row) => (flags[row] & CONTENDED) !== 0);
  const ends = Float64Array.from(contended, (row) => end[row]).sort();
  const episodes: Episode[] = [];
  let [from, to, waiters, ended, maxWaiters, handOvers] = [NaN, -Infinity, 0, 0, 0, 0];
  const finish = () => {
    if (maxWaiters > 0) episodes.push({ from, to, maxWaiters, handOvers });
  };
  for (const row of contended) {
    for (; ends[ended] <= request[row]; ended++) waiters--;
    if (waiters === 0) {
      finish();
      [from, to, maxWaiters, handOvers] = [request[row], end[row], 0, 0];
    }
    maxWaiters = Math.max(maxWaiters, ++waiters);
    to = Math.max(to, end[row]);
    if (!Number.isNaN(link[row])) handOvers++;
  }
  finish();
  return episodes;
}

/** Greatest number of intervals [from, to) at once. */
export function mostAtOnce(from: Float64Array, to: Float64Array): number {
  const begins = from.slice().sort();
  const ends = to.slice().sort();
  let [most, ended] = [0, 0];
  begins.forEach((begin, i) => {
    while (ends[ended] <= begin) ended++;
    most = Math.max(most, i + 1 - ended);
  });
  return most;
}

/**
 * Jain's index (Jain, Chiu & Hawe, 1984) of the threads' contended waits, in millionths, rounded down: 1 if all wait
 * equally long, 1/n if one of n waits alone. undefined: nobody waited. Threads that only try do not count.
 * @param rows of the model's waits for the lock
 */
export function jainPpm({ waits }: LockModel, rows: Int32Array): number | undefined {
  const nsOf = new Map<number, number>();
  for (const row of rows) {
    if (waits.way[row] === BY_TRY || waits.way[row] === BY_KEEPING) continue;
    const known = nsOf.get(waits.thread[row]);
    if ((waits.flags[row] & CONTENDED) !== 0)
      nsOf.set(waits.thread[row], (known ?? 0) + (waits.end[row] - waits.request[row]));
    else if (known === undefined) nsOf.set(waits.thread[row], 0);
  }
  let [sum, squares] = [0n, 0n];
  for (const ns of nsOf.values()) {
    sum += BigInt(ns);
    squares += BigInt(ns) ** 2n;
  }
  if (squares === 0n) return undefined;
  return Number((1_000_000n * sum ** 2n) / (BigInt(nsOf.size) * squares));
}

const QUEUELESS: ReadonlySet<LockKind> = new Set(['cond', 'barrier']);

/** Acquisitions that overtook an earlier request of another thread, without attempts and retaken mutexes. */
export function bargingOf({ waits, locks }: LockModel, rows: Int32Array): number {
  // Waits for a condition or at a barrier are in no queue.
  if (rows.length === 0 || QUEUELESS.has(locks[waits.lock[rows[0]]].kind)) return 0;
  const { thread, request, end, outcome, way } = waits;
  // Latest end of requests so far, and the latest one of other threads than that one's.
  let [latest, latestThread, second] = [-Infinity, -1, -Infinity];
  let [barging, from] = [0, 0];
  for (let i = 0; i < rows.length; i++) {
    // Requests at the same time are not earlier.
    for (; request[rows[from]] < request[rows[i]]; from++) {
      const row = rows[from];
      if (way[row] === BY_TRY || isNoRequest(way[row])) continue;
      if (thread[row] === latestThread) {
        latest = Math.max(latest, end[row]);
      } else if (end[row] > latest) {
        [second, latest, latestThread] = [latest, end[row], thread[row]];
      } else {
        second = Math.max(second, end[row]);
      }
    }
    const row = rows[i];
    if (outcome[row] !== ACQUIRED || isNoRequest(way[row])) continue;
    if ((thread[row] === latestThread ? second : latest) > end[row]) barging++;
  }
  return barging;
}

/** Whether a thread got the lock without requesting it then. */
function isNoRequest(way: number): boolean {
  return way === BY_CONDITION || way === BY_KEEPING;
}

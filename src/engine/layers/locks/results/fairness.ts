/** Fairness of a lock to the threads that ask for it. */
import type { LockKind } from '../lock-log.ts';
import {
  ACQUIRED,
  BY_CONDITION,
  BY_KEEPING,
  BY_TRY,
  CONTENDED,
  type LockModel,
} from '../model/lock-model.ts';

/**
 * Jain's index (Jain, Chiu & Hawe, 1984) of the threads' contended waits, in millionths, rounded down: 1 when all wait
 * equally long, 1/n when one of n waits alone. undefined: nobody waited. Threads that only try do not count.
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

/**
 * Number of acquisitions that overtook a request of another thread that was made earlier and ended later. Attempts do
 * not wait, so nobody overtakes them; who takes a mutex again behind a condition neither overtakes nor is overtaken.
 * @param rows of the model's waits for the lock, by request
 */
export function bargingOf({ waits, locks }: LockModel, rows: Int32Array): number {
  // Those who wait for a condition or at a barrier are in no queue.
  if (rows.length === 0 || QUEUELESS.has(locks[waits.lock[rows[0]]].kind)) return 0;
  const { thread, request, end, outcome, way } = waits;
  // The latest end of requests so far, and the latest one of other threads than that one's.
  let [latest, latestThread, second] = [-Infinity, -1, -Infinity];
  let [barging, from] = [0, 0];
  for (let i = 0; i < rows.length; i++) {
    // Those made at the same time are not earlier.
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

/** Tells whether a lock came to a thread that did not ask for it then. */
function isNoRequest(way: number): boolean {
  return way === BY_CONDITION || way === BY_KEEPING;
}

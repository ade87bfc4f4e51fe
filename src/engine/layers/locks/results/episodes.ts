/** Episodes of a lock: from the first that waits for another thread until nobody does. Times are TimeNs. */
import { CONTENDED, type LockModel } from '../model/lock-model.ts';

export interface Episode {
  readonly from: number;
  readonly to: number;
  /** Most waiters at once. */
  readonly maxWaiters: number;
  readonly handOvers: number;
}

/**
 * Waits that only touch are in two episodes.
 * @param rows of the model's waits for the lock, by request
 */
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

/** The most of [from, to) that there are at once. */
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

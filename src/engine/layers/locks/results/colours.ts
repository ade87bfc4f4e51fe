/** Colours of locks and threads, as numbers of span colours. Rows, tables and the matrix use the same. */
import type { LockModel } from '../model/lock-model.ts';

/** Colours by rank; the last one is for all others. The first locks and the first threads share none. */
const OF_LOCKS = [0, 1, 2, 5, 4, 6, 3, 7];
const OF_THREADS = [3, 4, 5, 6, 2, 1, 0, 7];
/** Colour of an unknown thread. */
export const NO_COLOUR = 7;

/** Colours by row of the locks; the locks with the longest waits have colours of their own. */
export function lockColours({ cells, locks }: LockModel): Uint8Array {
  return coloursOf(sumsBy(cells.lock, cells, locks.length), OF_LOCKS);
}

/** Colours by row of the threads; the threads waited for longest have colours of their own. */
export function threadColours({ cells, threads }: LockModel): Uint8Array {
  return coloursOf(sumsBy(cells.holder, cells, threads.length), OF_THREADS);
}

/** Sums of the matrix by one of its columns, ns; -1 is nobody. */
function sumsBy(column: Int32Array, { length, ns }: LockModel['cells'], rows: number): Float64Array {
  const sums = new Float64Array(rows);
  for (let cell = 0; cell < length; cell++) if (column[cell] >= 0) sums[column[cell]] += ns[cell];
  return sums;
}

function coloursOf(sums: Float64Array, ramp: readonly number[]): Uint8Array {
  const order = Array.from(sums, (_, row) => row).sort((a, b) => sums[b] - sums[a] || a - b);
  const colours = new Uint8Array(sums.length);
  order.forEach((row, rank) => (colours[row] = ramp[Math.min(rank, ramp.length - 1)]));
  return colours;
}

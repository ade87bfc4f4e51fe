/**
 * Sums of threads whose tid was used again. What counts events of a CPU (`call-failures.ts`, `memory.ts`) knows tids only;
 * that one life ended before the next began distinguishes them, so that each is asked for over its own time.
 */
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import { groupBy } from '../../base/group-by.ts';
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';

/** Each has some chunks decoded again: with more of them than this, the first life of a tid has the sums of all. */
const MOST_LIVES = 32;

interface OfTid {
  readonly tid: number;
}

/**
 * @param threadRows threads that are meant, any number of times
 * @param sums of all of their tids
 * @param ask for the sums in a part of the time
 * @returns by row of the thread, of those that share a tid which has any
 */
export async function lifeSums<Sum extends OfTid>(
  { threads, end }: StateTables,
  threadRows: Iterable<number>,
  sums: readonly Sum[],
  ask: (life: TimeWindow) => Promise<readonly Sum[]>,
): Promise<ReadonlyMap<number, readonly Sum[]>> {
  const counted = new Set(sums.map(({ tid }) => tid));
  const tidOf = (thread: number) => threads.tid[thread];
  const livesOf = groupBy(new Set(threadRows), tidOf);
  const lives = [...livesOf.values()]
    .filter(([thread]) => counted.has(tidOf(thread)))
    .filter(({ length }) => length > 1)
    .flat();
  const found = new Map<number, readonly Sum[]>();
  if (lives.length > MOST_LIVES) return found;
  for (const thread of lives) {
    const last = threads.last[thread];
    const inLife = await ask({ from: threads.first[thread], to: last < end ? last : Infinity });
    found.set(
      thread,
      inLife.filter(({ tid }) => tid === threads.tid[thread]),
    );
  }
  return found;
}

/**
 * Failed calls of threads whose tid was used again. What counts them (`call-failures.ts`) knows tids only; that one life
 * ended before the next began distinguishes them, so that each is asked for over its own time.
 */
import type { TimeWindow } from '../../analysis/clip-rows.ts';
import { groupBy } from '../../base/group-by.ts';
import type { CallFailure } from '../../linux/calls/call-failures.ts';
import type { StateTables } from '../../linux/reduce/kernel-tables.ts';

/** Each has some chunks decoded again: with more of them than this, the first life of a tid has the failures of all. */
const MOST_LIVES = 32;

/**
 * @param callers rows of threads with calls, any number of times
 * @param failures of all of their tids
 * @param ask for the failures in a part of the time
 * @returns by row of the thread, of those that share a tid which failed
 */
export async function failuresOfLives(
  { threads, end }: StateTables,
  callers: Iterable<number>,
  failures: readonly CallFailure[],
  ask: (life: TimeWindow) => Promise<readonly CallFailure[]>,
): Promise<ReadonlyMap<number, readonly CallFailure[]>> {
  const failing = new Set(failures.map(({ tid }) => tid));
  const tidOf = (thread: number) => threads.tid[thread];
  const livesOf = groupBy(new Set(callers), tidOf);
  const lives = [...livesOf.values()]
    .filter(([thread]) => failing.has(tidOf(thread)))
    .filter(({ length }) => length > 1)
    .flat();
  const found = new Map<number, readonly CallFailure[]>();
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

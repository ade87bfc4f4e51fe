/** Threads of one process. A pid that is used again after the death of its leader is another process. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { ThreadRows } from '../../linux/states/reduce/kernel-tables.ts';

/**
 * Thread that stands for the process of each thread, by row of the table: the leader, or the first thread of the pid
 * where the leader is not known. A thread of unknown process stands for itself.
 * @param first begin of each thread, in any clock
 */
export function firstsOf(
  { tid, pid }: Pick<ThreadRows, 'tid' | 'pid'>,
  first: Float64Array,
  threads: readonly number[],
): Int32Array {
  const standsAlone = (thread: number) => tid[thread] === pid[thread] || pid[thread] < 0;
  /** Lives of leaders by pid, only of processes with other threads, which are few. */
  const lives = new Map<number, number[]>();
  for (const thread of threads) if (!standsAlone(thread)) lives.set(pid[thread], []);
  for (const thread of threads) if (tid[thread] === pid[thread]) lives.get(tid[thread])?.push(thread);
  const firsts = new Int32Array(first.length);
  for (const thread of threads) {
    firsts[thread] = thread;
    const leaders = lives.get(pid[thread]);
    if (leaders === undefined || standsAlone(thread)) continue;
    // Without a leader, the first thread of the pid stands for the others.
    if (leaders.length === 0) leaders.push(thread);
    firsts[thread] = leaders.findLast((leader) => first[leader] <= first[thread]) ?? leaders[0];
  }
  return firsts;
}

/** Thread that stands for the process of each thread, by row of the table, by the threads' own begins. */
export const processesOf = cachedByKey((threads: ThreadRows): Int32Array =>
  firstsOf(
    threads,
    threads.first,
    Array.from({ length: threads.length }, (_, thread) => thread),
  ),
);

export function processOf(
  threads: ThreadRows,
  thread: number,
): { readonly leader: number; readonly name: string } {
  const leader = processesOf(threads)[thread];
  return { leader, name: threads.name[leader] || threads.name[thread] || 'a thread' };
}

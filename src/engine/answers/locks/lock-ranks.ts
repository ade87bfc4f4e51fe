/**
 * Ranks of locks: how much of the time that threads waited for locks is due to which lock, by the critical path
 * (criterion `lock holder`) of each wait. Where the holder waits for another lock meanwhile, that time is due to the other
 * one: making that faster is what helps.
 */
import type { QueryContext } from '../context/query.ts';
import { pathLocks } from '../paths/path-locks.ts';
import type { LockRank } from '../../protocol/locks.ts';
import { lockHosts } from './lock-hosts.ts';
import { lockPathTimes } from './lock-path-times.ts';
import { locksOf } from './locks-of.ts';

/**
 * Ranks of the locks of hosts with a kernel's trace: without one no path is known.
 * @returns undefined: locks are still being read, or nobody wanted the answer any more
 */
export async function lockRanks(context: QueryContext): Promise<readonly LockRank[] | undefined> {
  const { trace, layers, signal } = context;
  const locks = locksOf(layers);
  const answered = await lockHosts(context);
  if (locks === undefined || answered === undefined) return undefined;
  const known = await trace.paths.graph();
  const isWanted = () => signal?.aborted !== true;
  const times = await lockPathTimes(pathLocks(known, locks), isWanted);
  if (times === undefined && !isWanted()) return undefined;
  return answered.flatMap((host) => {
    const place = known.hosts.findIndex(({ index }) => index === host.index);
    if (place < 0) return [];
    return host.results
      .known()
      .map((lock) => ({ lock: host.lockId(lock), pathNs: times && (times[place]?.[lock] ?? 0) }));
  });
}

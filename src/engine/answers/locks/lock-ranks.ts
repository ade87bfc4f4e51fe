/**
 * Ranks of locks: how much of the time of waits for locks is due to each lock, by the critical path (criterion `lock
 * holder`) of each wait. While the holder itself waits for another lock, the time is due to that other lock: making it
 * faster is what helps.
 */
import type { QueryContext } from '../context/query.ts';
import { pathLocks, isLockWait } from '../paths/path-locks.ts';
import type { LockRank } from '../../protocol/locks.ts';
import { lockHosts, locksOf } from './lock-hosts.ts';
import { nextTask } from '../../base/next-task.ts';
import { findPath } from '../../graph/find-path.ts';
import { BLOCKED } from '../../graph/path-codes.ts';
import type { Path } from '../../graph/path.ts';
import { detailOf } from '../../linux/events/values.ts';
import type { PathLocks } from '../paths/path-finder.ts';

/**
 * Ranks of locks by critical paths.
 * @returns undefined: locks are still being read, or the question was given up
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

/** Waits between two checks of `isWanted`. */
const WAITS_AT_ONCE = 250;

/** Maximum number of edges of all paths, and for each wait: only an adversarial trace has more. */
const MOST_EDGES = 2_000_000;
const EDGES_OF_EACH = 500;

/**
 * ns by host of the graph and row of the locks of its model; nothing for locks without any.
 * @returns undefined when the question was given up, or the paths have too many edges
 * @internal
 */
export async function lockPathTimes(
  { graph: { waits }, graph, hostOf }: Pick<PathLocks, 'graph' | 'hostOf'>,
  isWanted: () => boolean,
): Promise<readonly (readonly number[])[] | undefined> {
  const times: number[][] = [];
  let left = MOST_EDGES + EDGES_OF_EACH * waits.length;
  for (let row = 0; row < waits.length; row++) {
    if (row % WAITS_AT_ONCE === WAITS_AT_ONCE - 1) await nextTask();
    const [worker, from, to] = [waits.worker[row], waits.begin[row], waits.end[row]];
    const range = { worker, from, to, criterion: 'lock holder' } as const;
    const path = await findPath(graph, range, (edges) => isWanted() && edges <= left);
    if (path === undefined) return undefined;
    left -= path.visited;
    const { segments: s } = path;
    for (let i = 0; i < s.length; i++) {
      const due = dueLock(path, i) ?? { worker, cause: waits.cause[row] };
      const ofHost = (times[hostOf(due.worker)] ??= []);
      const lock = detailOf(due.cause);
      ofHost[lock] = (ofHost[lock] ?? 0) + s.to[i] - s.from[i];
    }
  }
  return times;
}

/** Wait for a lock in a segment, or the innermost wait that the segment explains; undefined: none. */
function dueLock({ segments: s, waits }: Path, i: number) {
  if (s.label[i] === BLOCKED && isLockWait(s.cause[i])) return { worker: s.worker[i], cause: s.cause[i] };
  for (let wait = s.wait[i]; wait >= 0; wait = waits.parent[wait])
    if (isLockWait(waits.cause[wait])) return { worker: waits.worker[wait], cause: waits.cause[wait] };
  return undefined;
}

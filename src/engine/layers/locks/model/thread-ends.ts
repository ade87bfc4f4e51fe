/** Times up to which what threads do may go on. */
import type { ReadHost } from '../../contract/layer.ts';
import type { LockLog } from '../lock-log.ts';

/** Times up to which what a thread does may go on: its end, the begin of the next life of its id, or the last event. */
export function threadEnds(
  log: LockLog,
  tables: NonNullable<ReadHost['kernel']>['tables'] | undefined,
  end: number,
): (thread: number) => number {
  const ends = new Float64Array(log.threads.length).fill(Math.max(end, log.end));
  log.threads.forEach(({ row }, thread) => {
    if (row < 0 || tables === undefined) return;
    const { ended, last } = tables.threads;
    if (!Number.isNaN(ended[row])) ends[thread] = ended[row];
    else if (last[row] < tables.end) ends[thread] = last[row];
  });
  return (thread) => ends[thread];
}

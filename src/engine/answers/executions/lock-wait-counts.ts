/** Waits for locks as they are counted in threads, so that executions can be compared by their number. */
import { trimmed } from '../../base/columns.ts';
import { type Counts, NO_DELIMITERS } from '../../layers/executions/delimiters/delimiters.ts';
import { CONTENDED, type LockModel } from '../../layers/locks/model/lock-model.ts';
import type { LocksOfHosts } from '../paths/path-locks.ts';

/**
 * Counts of waits for locks, by index of the host. A wait counts when it begins: the request of a lock that another
 * thread had, whether it was acquired or not.
 * @param locks undefined: they are not known
 * @returns undefined: nothing tells of a lock. Futexes do not: nobody knows which of their calls wait for locks
 */
export function lockWaitCounts(locks: LocksOfHosts | undefined): ((host: number) => Counts) | undefined {
  if (locks === undefined || locks.every(({ tables: { model } }) => model.locks.length === 0))
    return undefined;
  const models = new Map(locks.map(({ index, tables: { model } }) => [index, model]));
  return (host) => {
    const model = models.get(host);
    return model === undefined ? NO_DELIMITERS.counts : countsOf(model);
  };
}

function countsOf({ threads, waits }: LockModel): Counts {
  const counts = {
    time: new Float64Array(waits.length),
    thread: new Int32Array(waits.length),
    counted: new Uint8Array(waits.length),
    amount: new Float64Array(waits.length).fill(1),
  };
  let length = 0;
  // They are in the order of their requests.
  for (let i = 0; i < waits.length; i++) {
    const row = waits.thread[i] < 0 ? -1 : threads[waits.thread[i]].row;
    if ((waits.flags[i] & CONTENDED) === 0 || row < 0) continue;
    counts.time[length] = waits.request[i];
    counts.thread[length++] = row;
  }
  return { length, ...trimmed(counts, length) };
}

/** How often the threads on the paths of executions wait for locks, against the list of waits and the paths themselves. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { localSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import type { ExecutionDefinition } from '../../layers/executions/definition.ts';
import type { LockThreadInfo, LockWaitLine } from '../../protocol/locks.ts';
import type { ExecutionsAnswer } from '../../protocol/executions.ts';

/** From each request of a mutex to its release. */
const SECTIONS: ExecutionDefinition = {
  begin: 'lttng_ust_pthread:pthread_mutex_lock_req',
  end: 'lttng_ust_pthread:pthread_mutex_unlock',
  key: ['mutex'],
  acrossThreads: false,
  where: [{ field: 'process', value: 'wk-lockfight' }],
  minNs: 0,
};

const session = localSession();
const ask = session.api.ask.bind(session.api);
const valuesOf = ({ metrics }: ExecutionsAnswer) => metrics.find(({ name }) => name === 'lockWaits')?.values;

describe('waits for locks of executions', () => {
  let found: ExecutionsAnswer;
  let threads: readonly LockThreadInfo[];
  let waits: readonly LockWaitLine[];
  beforeAll(async () => {
    await session.open(memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/lockfight-mutex'))));
    // Asked for while locks may still be read.
    const answer = await ask('executions', { definition: SECTIONS });
    if (answer === undefined) throw new Error('no executions');
    found = answer;
    ({ threads, waits } = await ask('lockWaits', { order: 'earliest', limit: 1000 }));
  });

  it('are those that threads begin while the path is at them', async () => {
    const rowOf = (wait: LockWaitLine) => threads[wait.waiter].row;
    const expected: number[] = [];
    for (let i = 0; i < found.length; i++) {
      const range = { from: found.from[i], to: found.to[i] };
      const { row } = found.threads[found.thread[i]];
      const path = await ask('path', { row, range, criterion: 'main-task' });
      if (path === undefined) throw new Error('no path');
      const { worker, from, to } = path.segments;
      const within = (wait: LockWaitLine, segment: number) =>
        path.workers[worker[segment]].row === rowOf(wait) &&
        wait.from >= from[segment] &&
        wait.from < to[segment];
      const segments = [...worker.keys()];
      expected.push(waits.filter((wait) => segments.some((segment) => within(wait, segment))).length);
    }
    expect([...(valuesOf(found) ?? [])]).toEqual(expected);
  });

  it('count a contended request of the thread itself, and no other', () => {
    const isContended = (i: number) =>
      waits.some(
        ({ from, waiter }) =>
          from === found.from[i] && threads[waiter].row === found.threads[found.thread[i]].row,
      );
    const contended = Array.from({ length: found.length }, (_, i) => Number(isContended(i)));
    expect([...(valuesOf(found) ?? [])]).toEqual(contended);
    // By the lists of locks 36 requests of one mutex found it taken, and 4 of another one.
    expect(contended.reduce((sum, is) => sum + is, 0)).toBe(40);
  });
});

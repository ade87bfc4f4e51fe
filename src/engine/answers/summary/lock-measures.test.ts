/** Waits for locks and futexes, by made-up answers. */
import { expect, it } from 'vitest';
import { threadCpuStats } from '../../../../test/support/cpu-stats.ts';
import { STATE_BLOCKED_S, STATE_UNKNOWN, STATE_ZOMBIE } from '../../linux/events/values.ts';
import type { FutexLine, KernelLockLine, LocksAnswer } from '../../protocol/locks.ts';
import type { CpuStats } from '../../protocol/statistics.ts';
import type { Facts } from './facts.ts';
import { costlyLocks, timeOuts } from './lock-measures.ts';

/** Both threads live for 1000 ns that are known, and another 1000 that are not. */
function factsOf(answer: Partial<LocksAnswer>): Facts {
  const states = { [STATE_BLOCKED_S]: 1000, [STATE_UNKNOWN]: 1000, [STATE_ZOMBIE]: 1000 };
  const cpu = {
    cpus: [],
    threads: threadCpuStats(['thread:0', 'thread:1'].map((row) => ({ row, states }))),
  };
  const threads = [0, 1].map((i) => ({ row: `thread:${i}`, label: `t${i}` }));
  return {
    leastNs: 100,
    cpu: () => Promise.resolve(cpu as unknown as CpuStats),
    locks: () => Promise.resolve({ threads, locks: [], futexes: [], kernelLocks: [], ...answer }),
  } as unknown as Facts;
}

const futex = (name: string, woken: number, ended: number, times: number, ns: number) =>
  ({ id: `${name} id`, name, woken, ended, timeOuts: [{ thread: 1, times, ns }] }) as unknown as FutexLine;

it('waits that a time limit ended are lost where others were woken, else the thread slept', async () => {
  const futexes = [
    futex('a lock', 3, 0, 2, 400),
    futex('a sleep', 0, 0, 50, 900),
    futex('the end of a thread', 1, 1, 1, 500),
    futex('a short wait', 3, 0, 1, 99),
    { ...futex('a lock that was recorded', 3, 0, 2, 400), lock: '0:mutex:1:0x1' },
  ];
  expect((await timeOuts(factsOf({ futexes }))).found).toEqual([
    { lock: 'a lock id', name: 'a lock', waiter: 't1', waits: 2, ns: 400, share: 0.4 },
  ]);
});

it('locks of the kernel cost what was waited for them, as a share of the lives that are known', async () => {
  const kernel = (name: string, totalNs: number) =>
    ({
      ...{ id: `${name} id`, name },
      wait: { count: 7, totalNs },
      waiters: [{ thread: 0 }, { thread: 1 }],
      wakers: [{ thread: 1 }, { thread: -1 }],
      calls: [
        { call: 'rename', ns: 0.5 * totalNs },
        { call: '', ns: 0.3 * totalNs },
        { call: 'mkdir', ns: 0.15 * totalNs },
        { call: 'stat', ns: 0.05 * totalNs },
      ],
      longest: { waiter: 1, from: 10, to: 30 },
    }) as unknown as KernelLockLine;
  const { found } = await costlyLocks(factsOf({ kernelLocks: [kernel('rwsem', 500), kernel('mutex', 99)] }));
  expect(found).toMatchObject([
    {
      lock: 'rwsem id',
      name: 'rwsem',
      ns: 500,
      waiters: 2,
      share: 0.25,
      most: ['until ', { kind: 'thread', text: 't1' }, ' released it'],
    },
  ]);
  expect(found[0].where).toBe('in rename, mkdir and outside system calls');
  const unknown = { ...kernel('rwsem', 500), calls: [{ call: undefined, times: 7, ns: 500 }] };
  expect((await costlyLocks(factsOf({ kernelLocks: [unknown] }))).found[0].where).toBe('');
  expect(found[0].longest).toEqual({ row: 'thread:1', range: { from: 10, to: 30 }, at: 20 });
});

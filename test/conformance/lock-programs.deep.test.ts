/** What recorded programs are known to do with locks: what their holds consist of, kinds of the kernel's locks. */
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { kernelLockKind } from '../../src/engine/layers/locks/lock-names.ts';
import type { LockModel } from '../../src/engine/layers/locks/model/lock-model.ts';
import {
  type HoldParts,
  holdPartsOf,
  isIdle,
  sumsOf,
} from '../../src/engine/layers/locks/results/lock-sums.ts';
import { lockResults } from '../../src/engine/layers/locks/results/lock-results.ts';
import { answerOf } from '../../src/engine/answers/queries.ts';
import { lockContext, lockModelsOf } from '../support/lock-models.ts';
import { projectDir, sharedDir } from '../support/shared.ts';

const SHARED = sharedDir() ?? '';
const LOCKFIGHT = join(projectDir(), 'public', 'examples', 'lockfight-mutex');

function partsOf(model: LockModel, lock: number): HoldParts {
  const parts = holdPartsOf(model, lock);
  if (parts === undefined) throw new Error('parts are unknown');
  return parts;
}

function totalOf(parts: HoldParts): number {
  return Object.values(parts).reduce((sum, ns) => sum + ns, 0);
}

/** Parts of the only lock whose address begins so. */
function partsByName(model: LockModel, begin: string): HoldParts {
  const found = [...model.locks.keys()].filter((lock) => model.locks[lock].address.startsWith(begin));
  expect(found).toHaveLength(1);
  return partsOf(model, found[0]);
}

function expectWhole(model: LockModel): void {
  const results = lockResults(model);
  for (const lock of model.locks.keys()) {
    const parts = partsOf(model, lock);
    expect(totalOf(parts)).toBe(sumsOf(model, results.rowsOf(lock)).hold.totalNs);
    expect(Math.min(...Object.values(parts))).toBeGreaterThanOrEqual(0);
  }
}

it('adds up to the holds, which are work', async () => {
  const [model] = await lockModelsOf(LOCKFIGHT);
  expectWhole(model);
  // Those of the program itself, not of its libraries.
  const fought = [...model.locks.keys()]
    .filter((lock) => model.locks[lock].address.startsWith('0x55bf0033f'))
    .map((lock) => partsOf(model, lock));
  expect(fought).toHaveLength(3);
  for (const parts of fought) {
    expect(parts.running + parts.runnable).toBeGreaterThan(0.9 * totalOf(parts));
    expect(isIdle(parts)).toBe(false);
  }
});

it('is unknown without a kernel trace', async () => {
  const [model] = await lockModelsOf(join(LOCKFIGHT, 'ust'));
  expect(model.waits.length).toBeGreaterThan(0);
  expect(holdPartsOf(model, 0)).toBeUndefined();
});

describe.skipIf(SHARED === '')('recordings of servers', () => {
  it("tells a server's idleness from work under a lock", async () => {
    const [model] = await lockModelsOf(join(SHARED, 'traces', 'apache-opcache'));
    expectWhole(model);
    const accept = partsByName(model, '/run/lock/apache2/mpm-accept');
    expect(isIdle(accept)).toBe(true);
    expect(accept.accept).toBeGreaterThan(0.8 * totalOf(accept));
    const cache = partsByName(model, '/tmp/.ZendSem');
    expect(cache.running + cache.runnable).toBeGreaterThan(0.9 * totalOf(cache));
    expect(isIdle(cache)).toBe(false);
  });

  it("ranks a server's locks by what they cost: idleness, though it is waited for longest, costs nothing", async () => {
    const context = await lockContext(join(SHARED, 'traces', 'apache-opcache'));
    const { locks = [] } = (await answerOf(context, 'locks', {})) ?? {};
    const ranks = new Map(
      (await answerOf(context, 'lockRanks', {}))?.map(({ lock, pathNs }) => [lock, pathNs]),
    );
    const longest = [...locks].sort((a, b) => b.wait.totalNs - a.wait.totalNs)[0];
    expect([longest.name, longest.isIdle]).toEqual([expect.stringContaining('mpm-accept'), true]);
    const costs = locks.filter(({ id, isIdle: idle }) => !idle && (ranks.get(id) ?? 0) > 0);
    expect(costs.map(({ name }) => name)).toEqual([expect.stringContaining('/tmp/.ZendSem')]);
    expect(ranks.get(costs[0].id)).toBeLessThanOrEqual(costs[0].wait.totalNs);
  });

  it('names the kinds of locks that each phase of kernel-contention fights for', async () => {
    const [{ kernelLocks, kernelWaits }] = await lockModelsOf(join(SHARED, 'traces', 'kernel-contention'));
    const kindOf = (address: string) =>
      kernelLockKind(
        kernelWaits.flags.filter((_, row) => kernelLocks[kernelWaits.lock[row]].address === address),
      );
    const phases = {
      rename: kindOf('0xff2240fc82664c48'),
      write: kindOf('0xff2240fc826639a8'),
      mmap: kindOf('0xff2240fc8231d5f0'),
      pipe: kindOf('0xff2240fccec25540'),
      across: kindOf('0xff2240fc8300d400'),
    };
    expect(phases).toEqual({
      rename: 'rwsem',
      write: 'rwsem',
      mmap: 'rwsem',
      pipe: 'mutex',
      across: 'mutex',
    });
  });

  it('says of locks of the kernel who let whom in', async () => {
    const context = await lockContext(join(SHARED, 'traces', 'kernel-contention'));
    const { kernelLocks = [] } = (await answerOf(context, 'locks', {})) ?? {};
    expect(kernelLocks.length).toBe(6);
    for (const { wait, wakers, waiters } of kernelLocks) {
      const sum = (of: typeof wakers) =>
        of.reduce(([times, ns], one) => [times + one.times, ns + one.ns], [0, 0]);
      expect(sum(wakers)).toEqual([wait.count, wait.totalNs]);
      expect(sum(waiters)).toEqual([wait.count, wait.totalNs]);
    }
    expect(kernelLocks.some(({ wakers }) => wakers.some(({ thread }) => thread >= 0))).toBe(true);
    // The longest waited for first, each with its name and the calls of its phase.
    expect(kernelLocks.map(({ name, calls, wait }) => [name, calls[0].call, wait.totalNs])).toEqual([
      // Page faults are no call.
      ['rwsem 0x…d5f0 of the kernel', '', 519_628_958],
      ['rwsem 0x…4c48 of the kernel', 'rename', 277_405_168],
      ['rwsem 0x…39a8 of the kernel', 'pwrite64', 164_119_896],
      ['mutex 0x…5540 of the kernel', 'write', 92_855_441],
      ['mutex 0x…d400 of the kernel', 'rename', 39_083_384],
      ['rwlock 0x…6080 of the kernel', 'wait4', 3_268_968],
    ]);
    expect(new Set(kernelLocks[0].calls.map(({ call }) => call))).toEqual(
      new Set(['', 'mmap', 'munmap', 'mprotect']),
    );
  });

  it.each([
    // Processes wake each other in memory that they share.
    ['pgbench', 28, 28, 0],
    // Threads wait for others to end; those that were killed with their process have no waker.
    ['build-mixed', 113, 108, 11],
  ])('knows who woke waiters of futexes: %s', async (name, waits, woken, byEnd) => {
    const [{ futexWaits }] = await lockModelsOf(join(SHARED, 'traces', name));
    const found = [
      futexWaits.length,
      futexWaits.waker.filter((by) => by >= 0).length,
      futexWaits.byEnd.filter((is) => is === 1).length,
    ];
    expect(found).toEqual([waits, woken, byEnd]);
  });

  test.each(['locks-many', 'filelock-pool', 'memcached-4t', 'container-ns', 'deadlock-ust'])(
    'adds up to the holds: %s',
    async (name) => {
      for (const model of await lockModelsOf(join(SHARED, 'traces', name))) expectWhole(model);
    },
  );
});

/**
 * Answers about the locks of a recorded trace. `lockfight-mutex`: four threads fight for three mutexes; its ABOUT.md has
 * the program's own counts.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { localSession, openLocal } from '../../../../test/support/local-session.ts';
import {
  filesOfFolder,
  folderRefs,
  type MemoryFiles,
  memoryRefs,
} from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { threadTrace, type ThreadEvent } from '../../../../test/support/thread-trace.ts';
import type { SessionApi } from '../../protocol/session.ts';
import type { LocksAnswer, LockWaitLine, LockWaitsAnswer, LockWaitsRequest } from '../../protocol/locks.ts';
import { until } from '../../../../test/support/until.ts';
import { addNumber } from '../../base/group-by.ts';

const HOT = '0:mutex:231:0x55bf0033f260';
const files = memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/lockfight-mutex')));

/** Once they have been read. */
const locksOf = (api: SessionApi): Promise<LocksAnswer> => until(() => api.ask('locks', {}));

describe('locks of a recorded trace', () => {
  const { api, open } = localSession();
  let locks: LocksAnswer;
  beforeAll(async () => {
    await open(files);
    locks = await locksOf(api);
  });
  const waitsOf = (request: Partial<LockWaitsRequest>): Promise<LockWaitsAnswer> =>
    api.ask('lockWaits', { order: 'longest', limit: 5, ...request });
  const threadOf = (tid: number) => locks.threads.findIndex((thread) => thread.tid === tid);

  it('are listed with the waits for them', () => {
    const mutexes = locks.locks.filter(({ contended }) => contended > 0);
    expect(mutexes.map(({ id, contended, wait }) => [id, contended, wait.totalNs])).toEqual([
      ['0:mutex:231:0x55bf0033f220', 4, 40_107_137],
      [HOT, 36, 374_583_191],
    ]);
    expect(mutexes[1]).toMatchObject({ name: 'mutex 0x…f260 of wk-lockfight', requests: 60, kind: 'mutex' });
  });

  it('are waited for within intervals of time, each wait as far as it lies there', async () => {
    const rows = locks.threads.map(({ row }) => row);
    /** By name of the lock, over all threads; times from cut to cut. */
    const sumsOf = async (cuts: readonly number[]) => {
      const intervals = cuts.slice(1).flatMap((to, i) => rows.map((_, thread) => [thread, cuts[i], to]));
      const found = await api.ask('locksWithin', {
        rows,
        thread: Int32Array.from(intervals, ([thread]) => thread),
        from: Float64Array.from(intervals, ([, from]) => from),
        to: Float64Array.from(intervals, ([, , to]) => to),
      });
      const sums = new Map<string, number>();
      for (let i = 0; i < found.length; i++) {
        const name = found.names[found.lock[i]];
        addNumber(sums, name, found.ns[i]);
      }
      return sums;
    };
    const all = await sumsOf([0, 1e12]);
    expect(all.get('mutex 0x…f220 of wk-lockfight')).toBe(40_107_137);
    expect(all.get('mutex 0x…f260 of wk-lockfight')).toBe(374_583_191);
    // Of processes without events of locks, futexes.
    const others = [...all.keys()].filter((name) => !/^futex 0x…\w{4} of /.test(name));
    expect(others).toHaveLength(2);
    const [{ from, to }] = (await waitsOf({ lock: HOT, limit: 1 })).waits;
    expect(await sumsOf([0, from + 1, (from + to) / 2, to + 5, 1e12])).toEqual(all);
    expect((await sumsOf([0, 1])).size).toBe(0);
  });

  it('are ranked by their waits up to the hand-overs', async () => {
    const ranks = new Map((await api.ask('lockRanks', {}))?.map(({ lock, pathNs }) => [lock, pathNs]));
    expect(ranks.size).toBe(locks.locks.length);
    // No holder of this lock waits for another one.
    const { waits } = await waitsOf({ lock: HOT, limit: 100 });
    const upToHandOvers = waits.reduce((sum, { from, handOverNs = NaN }) => sum + handOverNs - from, 0);
    expect(waits).toHaveLength(36);
    expect(ranks.get(HOT)).toBe(upToHandOvers);
  });

  it('have a matrix of who made whom wait', () => {
    const { matrix } = locks;
    const [waiter, holder] = [threadOf(235), threadOf(236)];
    const cell = Array.from({ length: matrix.length }, (_, i) => i).find(
      (i) => matrix.waiter[i] === waiter && matrix.holder[i] === holder,
    );
    expect(cell).toBeDefined();
    expect([matrix.ns[cell ?? 0], matrix.waits[cell ?? 0]]).toEqual([37_413_120, 7]);
  });

  it('have waits for a holder, as long as they were for it', async () => {
    const [waiter, holder] = [235, 236].map((tid) => locks.threads[threadOf(tid)].row);
    const { count, totalNs, waits } = await waitsOf({ waiter, holder });
    expect([count, totalNs, waits.length]).toEqual([7, 37_413_120, 5]);
    expect(waits.every(({ ns, from, to }) => ns > 0 && ns <= to - from)).toBe(true);
    expect(waits.map(({ ns }) => ns)).toEqual(waits.map(({ ns }) => ns).sort((a, b) => b - a));
  });

  it('have waits in a range, in order of time', async () => {
    const all = await waitsOf({ lock: HOT, order: 'earliest', limit: 100 });
    expect([all.count, all.totalNs]).toEqual([36, 374_583_191]);
    const { from, to } = all.waits[10];
    const some = await waitsOf({ lock: HOT, order: 'earliest', limit: 100, from: from + 1, to });
    const isInRange = (wait: LockWaitLine) => wait.to >= from + 1 && wait.from < to;
    expect(some.waits.map((wait) => wait.from)).toEqual(all.waits.filter(isInRange).map((wait) => wait.from));
    expect(some.count).toBeGreaterThan(1);
    expect(some.count).toBeLessThan(36);
  });

  it('are described one by one', async () => {
    const answer = await api.ask('lock', { lock: HOT });
    expect(answer?.lock.maxWaiters).toBe(3);
    expect(answer?.threadSums).toHaveLength(4);
    expect(answer?.longestWait?.ns).toBe(answer?.lock.wait.maxNs);
    expect(await api.ask('lock', { lock: '0:mutex:1:0x0' })).toBeUndefined();
  });

  it('have critical sections, which add up to their holds', async () => {
    const sections = (await api.ask('criticalSections', {})) ?? [];
    const held = (lock: string) =>
      sections.filter((one) => one.kind === 'hold' && one.lock === lock).reduce((sum, { ns }) => sum + ns, 0);
    expect(locks.locks.map(({ id }) => held(id))).toEqual(locks.locks.map(({ hold }) => hold.totalNs));
    const fight = sections.find(({ kind, thread }) => kind === 'thread' && thread === threadOf(236));
    const own = sections.filter(({ parent }) => sections[parent] === fight);
    expect(own.reduce((sum, { ns }) => sum + ns, 0)).toBe(fight?.ns);
  });

  it('are not suggested as overlays too', async () => {
    const overlays = await api.ask('overlays', {});
    expect(overlays).toMatchObject({ suggestions: [], definitions: [] });
    // They may be chosen.
    expect(overlays?.events.map(({ name }) => name)).toContain('lttng_ust_pthread:pthread_mutex_lock_req');
  });
});

describe('two hosts with locks', () => {
  const example = (name: string) => filesOfFolder(join(projectDir(), 'public/examples', name));
  const read = async (files: MemoryFiles) => {
    const { api } = await openLocal(folderRefs(files));
    const answer = await locksOf(api);
    return { answer, ranks: await api.ask('lockRanks', {}) };
  };
  /** What a line says wherever its host is. */
  const namesOf = ({ locks, threads, matrix, futexes }: LocksAnswer) => ({
    locks: locks.map(({ id, wait, hold, holdParts }) => [id.replace(/^\d+:/, ''), wait, hold, holdParts]),
    cells: Array.from(matrix.ns, (ns, i) => {
      const [waiter, holder] = [matrix.waiter[i], matrix.holder[i]].map((thread) => threads[thread]?.tid);
      return [waiter, holder, ns];
    }),
    futexes: futexes.map(({ address, blockedNs, wakers }) => {
      return [address, blockedNs, wakers.map(({ thread, times }) => [threads[thread].tid, times])];
    }),
  });

  it('have those of each, by threads and locks of its own', async () => {
    const files = ['executions-lock', 'lockfight-mutex'].map(example);
    const alone = await Promise.all(files.map(read));
    const both = await read(
      new Map(files.flatMap((own, i) => Array.from(own, ([path, bytes]) => [`${'ab'[i]}/${path}`, bytes]))),
    );
    const [a, b] = alone.map(({ answer }) => namesOf(answer));
    expect(namesOf(both.answer)).toEqual({
      locks: [...a.locks, ...b.locks],
      cells: [...a.cells, ...b.cells],
      futexes: [...a.futexes, ...b.futexes],
    });
    expect(a.futexes.length * b.locks.length).toBeGreaterThan(0);
    expect(new Set(both.answer.futexes.map(({ host }) => host))).toContain(0);
    expect(new Set(both.answer.locks.map(({ host }) => host))).toContain(1);
    expect(both.ranks?.map(({ pathNs }) => pathNs)).toEqual(
      alone.flatMap(({ ranks = [] }) => ranks.map(({ pathNs }) => pathNs)),
    );
  });
});

describe('a trace without events of locks', () => {
  const thread = { pid: 20, tid: 21, name: 'work' };
  const events = [0, 1, 2].map((time): ThreadEvent => ({ time: 1000 * time, cpu: 0, thread }));

  it('has none, which is known', async () => {
    const { api } = await openLocal(memoryRefs(threadTrace(events, { packetEvents: 50 })));
    expect(await locksOf(api)).toMatchObject({ threads: [], locks: [], futexes: [], kernelLocks: [] });
  });
});

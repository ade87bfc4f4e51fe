/** Single calls and waits of an example against the statistics that sum them up. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { localSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import type { Occurrences, OccurrencesRequest } from './statistics-api.ts';

const { api, open } = localSession();
beforeAll(() => open(memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io')))));

const RANGE = { from: 250e6, to: 400e6 };
const sumOf = (numbers: Iterable<number>) => [...numbers].reduce((sum, ns) => sum + ns, 0);
const ask = (request: OccurrencesRequest) => api.ask('occurrences', request);

/** ns by name of the call or kind of wait. */
function byName({ ns, subject, names }: Occurrences): Record<string, number> {
  const sums: Record<string, number> = {};
  ns.forEach((length, i) => (sums[names[subject[i]]] = (sums[names[subject[i]]] ?? 0) + length));
  return sums;
}

describe.each([undefined, RANGE])('of %o', (range) => {
  it('system calls are those of the statistic', async () => {
    const { calls, threads } = await api.ask('syscalls', { range });
    const all = await ask({ of: 'syscalls', range });
    expect(all.count).toBe(sumOf(calls.map(({ durations }) => durations.count)));
    expect(all.length).toBe(all.count);
    const expected = calls.filter(({ durations }) => durations.count > 0);
    expect(byName(all)).toEqual(
      Object.fromEntries(expected.map(({ call, durations }) => [call, durations.totalNs])),
    );
    const writer = threads.find(({ name }) => name === 'wk-writer');
    const own = await ask({ of: 'syscalls', range, thread: writer?.row });
    expect([own.count, sumOf(own.ns)]).toEqual([writer?.durations.count, writer?.durations.totalNs]);
    expect(own.threads).toMatchObject([{ name: 'wk-writer', row: writer?.row }]);
  });

  it('waits for a CPU are those of the statistic', async () => {
    const { woken, preempted } = await api.ask('sched', { range });
    const all = await ask({ of: 'sched', range });
    expect(all.count).toBe(woken.count + preempted.count);
    expect(byName(all)).toEqual({ woken: woken.totalNs, preempted: preempted.totalNs });
    expect(all.ns[0]).toBe(Math.max(woken.maxNs, preempted.maxNs));
  });

  it('reads, writes and syncs are those of the statistic', async () => {
    const { threads } = await api.ask('io', { range });
    const all = await ask({ of: 'io', range });
    expect(all.count).toBe(sumOf(threads.map(({ time }) => time.timed)));
    expect(sumOf(all.ns)).toBe(sumOf(threads.map(({ time }) => time.totalNs)));
    const [first] = [...all.file].map((file) => all.names[file]).filter((path) => path.startsWith('/data'));
    expect(first).toBe('/data/write.dat');
  });
});

it('are within bounds, the longest first, and no more than are asked for', async () => {
  const { ns } = await ask({ of: 'io' });
  const some = await ask({ of: 'io', minNs: ns[9], maxNs: ns[4], limit: 3 });
  expect([some.count, [...some.ns]]).toEqual([6, [...ns.subarray(4, 7)]]);
  expect([...ns]).toEqual([...ns].sort((a, b) => b - a));
  expect((await ask({ of: 'sched', thread: 'cpu:0:1' })).count).toBe(0);
});

/** Single calls and waits of an example against the statistics that sum them up. */
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { localSession } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { sum } from '../../../../test/support/sum.ts';
import type { Occurrences, OccurrencesRequest } from '../../protocol/statistics.ts';

const { api, open } = localSession();
beforeAll(() => open(memoryRefs(filesOfFolder(join(projectDir(), 'public/examples/disk-io')))));

const RANGE = { from: 250e6, to: 400e6 };
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
    expect(all.durations.count).toBe(sum(calls.map(({ durations }) => durations.count)));
    expect(all.length).toBe(all.durations.count);
    const expected = calls.filter(({ durations }) => durations.count > 0);
    expect(byName(all)).toEqual(
      Object.fromEntries(expected.map(({ call, durations }) => [call, durations.totalNs])),
    );
    const writer = threads.find(({ name }) => name === 'wk-writer');
    const own = await ask({ of: 'syscalls', range, thread: writer?.row });
    expect([own.durations.count, sum(own.ns)]).toEqual([writer?.durations.count, writer?.durations.totalNs]);
    expect(own.owners).toMatchObject([{ name: 'wk-writer', row: writer?.row }]);
  });

  it('waits for a CPU are those of the statistic', async () => {
    const { woken, preempted } = await api.ask('sched', { range });
    const all = await ask({ of: 'sched', range });
    expect(all.durations.count).toBe(woken.count + preempted.count);
    expect(byName(all)).toEqual({ woken: woken.totalNs, preempted: preempted.totalNs });
    expect(all.ns[0]).toBe(Math.max(woken.maxNs, preempted.maxNs));
  });

  it('reads, writes and syncs are those of the statistic', async () => {
    const { threads } = await api.ask('io', { range });
    const all = await ask({ of: 'io', range });
    expect(all.durations.count).toBe(sum(threads.map(({ time }) => time.timed)));
    expect(sum(all.ns)).toBe(sum(threads.map(({ time }) => time.totalNs)));
    const [first] = [...all.file].map((file) => all.names[file]).filter((path) => path.startsWith('/data'));
    expect(first).toBe('/data/write.dat');
  });

  it('requests are those of the disks', async () => {
    const { disks } = await api.ask('io', { range });
    const all = await ask({ of: 'requests', range });
    expect(all.durations.count).toBe(sum(disks.map(({ requests }) => requests)));
    const queuedNs = all.requests?.queuedNs.filter((ns) => ns >= 0) ?? [];
    expect(queuedNs.length).toBe(sum(disks.map(({ queued }) => queued)));
    const [{ dev, maxLatencyNs }] = disks.toSorted((a, b) => b.maxLatencyNs - a.maxLatencyNs);
    const atDisk = Array.from(all.ns, (ns, i) => ns - (all.requests?.queuedNs[i] || 0));
    const longest = atDisk.indexOf(Math.max(...atDisk));
    expect([all.names[all.requests?.disk[longest] ?? -1], atDisk[longest]]).toEqual([dev, maxLatencyNs]);
    expect([...(all.requests?.call ?? [])].map((call) => all.names[call])).toContain('fsync');
  });

  it('interrupts are those of the statistic', async () => {
    const { interrupts } = await api.ask('irq', { range });
    const all = await ask({ of: 'irq', range });
    const expected = interrupts.flatMap(({ kind, name, run, raised }) => {
      const title = kind === 'softirq' ? `softirq ${name}` : name;
      return [
        [title, run.totalNs],
        [`${title}, raised`, raised.totalNs],
      ] as const;
    });
    expect(byName(all)).toEqual(Object.fromEntries(expected.filter(([, ns]) => ns > 0)));
    const both = (of: 'count' | 'totalNs') => sum(interrupts.map(({ run, raised }) => run[of] + raised[of]));
    expect([all.durations.count, all.durations.totalNs]).toEqual([both('count'), both('totalNs')]);
    const named = await ask({ of: 'irq', range, names: ['virtio2*'], cpus: [0] });
    expect(named.owners).toMatchObject([{ row: 'cpu:0:0', name: 'CPU 0', tid: -1 }]);
    expect(named.names.filter((name) => name !== '').every((name) => name.startsWith('virtio2'))).toBe(true);
  });
});

it('of calls the bytes are those of the statistic', async () => {
  const { threads } = await api.ask('io', { range: RANGE });
  const all = await ask({ of: 'io', range: RANGE });
  const moved = (isWanted: (call: string) => boolean) =>
    sum(all.bytes.filter((bytes, i) => bytes >= 0 && isWanted(all.names[all.subject[i]])));
  // What moves bytes from a file to another reads and writes them.
  const twice = moved((call) => /sendfile|splice|copy_file_range/.test(call));
  const expected = sum(threads.map(({ read, write }) => read.bytes + write.bytes));
  expect(moved(() => true) + twice).toBe(expected);
});

it('are within bounds, the longest first, and no more than are asked for', async () => {
  const { ns } = await ask({ of: 'io' });
  const some = await ask({ of: 'io', minNs: ns[9], maxNs: ns[4], limit: 3 });
  expect([some.durations.count, [...some.ns]]).toEqual([6, [...ns.subarray(4, 7)]]);
  const [least, greatest] = [4096, 8192];
  const { bytes } = await ask({ of: 'io' });
  const sized = await ask({ of: 'io', minBytes: least, maxBytes: greatest });
  expect(sized.length).toBeGreaterThan(0);
  expect([...sized.bytes]).toEqual([...bytes].filter((moved) => moved >= least && moved <= greatest));
  expect([...ns]).toEqual([...ns].sort((a, b) => b - a));
  expect((await ask({ of: 'sched', thread: 'cpu:0:1' })).durations.count).toBe(0);
});

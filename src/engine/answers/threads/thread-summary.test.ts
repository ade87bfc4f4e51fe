import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { localSession, openLocal } from '../../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { life, to, oneCpuTrace } from '../../../../test/support/one-cpu-trace.ts';
import { textAt } from '../../base/text-column.ts';
import {
  CAUSE_THREAD,
  CAUSES,
  STATE_BLOCKED_D,
  STATE_BLOCKED_S,
  THREAD_STATES,
} from '../../linux/events/values.ts';
import type { SessionApi } from '../../protocol/session.ts';
import type { RowInfo } from '../../protocol/rows.ts';
import type { CallStat } from '../../protocol/statistics.ts';
import { eventsFrom } from '../../../../test/support/events-from.ts';
import { sum } from '../../../../test/support/sum.ts';

async function openExample(name: string) {
  const session = localSession();
  const files = memoryRefs(filesOfFolder(join(projectDir(), 'public', 'examples', name)));
  const { rows } = await session.open(files);
  return { api: session.api, threads: rows.filter(({ kind }) => kind === 'thread') };
}

async function summaryOf(api: SessionApi, row: string, range?: { from: number; to: number }) {
  const summary = await api.ask('threadSummary', { row, range });
  if (summary === undefined) throw new Error(`nothing is known of ${row}`);
  return summary;
}

describe('the summary of a thread', () => {
  it('says who forked it, and when it was created and exited', async () => {
    const { api } = await openLocal(oneCpuTrace([to(0n, 1n), ...life(5n), to(1n, 0n)]));
    const { parent, isForkSeen, pid, firstNs, endedNs } = await summaryOf(api, 'thread:0:7');
    expect({ parent, isForkSeen, pid }).toEqual({
      parent: { row: 'thread:0:1', name: 'p', tid: 1 },
      isForkSeen: true,
      pid: 7,
    });
    // An event each µs: the fork is the second, the switch away from it the sixth.
    expect([firstNs, endedNs]).toEqual([1000, 5000]);
    expect(await summaryOf(api, 'thread:0:1')).toMatchObject({ isForkSeen: false, endedNs: undefined });
  });

  it('is undefined of rows that are no thread', async () => {
    const { api } = await openLocal(oneCpuTrace([to(0n, 1n), to(1n, 0n)]));
    for (const row of ['cpu:0:0', 'thread:0:99', 'thread:4:1', 'host:0'])
      expect(await api.ask('threadSummary', { row })).toBeUndefined();
  });

  it.each(['imbalance-4t', 'disk-io'])('agrees with the statistics and with itself: %s', async (name) => {
    const { api, threads } = await openExample(name);
    for (const range of [undefined, { from: 300e6, to: 420e6 }]) {
      const stats = await api.ask('cpu', { range, allThreads: true, withCauses: true });
      const { causes } = stats.threads;
      if (causes === undefined) throw new Error('causes are expected');
      const waking = new Map<string, number>();
      const woken = new Map<string, number>();
      for (let at = 0; at < stats.threads.length; at++) {
        const row = textAt(stats.threads.row, at);
        if (!threads.some(({ id }) => id === row)) continue;
        const { statesNs, blockedNs, wakers, woken: others } = await summaryOf(api, row, range);
        expect(statesNs).toEqual([
          ...stats.threads.states.subarray(at * THREAD_STATES.length, (at + 1) * THREAD_STATES.length),
        ]);
        expect(blockedNs).toEqual([...causes.subarray(at * CAUSES.length, (at + 1) * CAUSES.length)]);
        expect(sum(blockedNs)).toBe(statesNs[STATE_BLOCKED_S] + statesNs[STATE_BLOCKED_D]);
        expect(sum(wakers.map(({ ns }) => ns))).toBeLessThanOrEqual(blockedNs[CAUSE_THREAD]);
        for (const one of wakers) if (one.count > 0) waking.set(`${one.row} ${row}`, one.count);
        for (const one of others) woken.set(`${row} ${one.row}`, one.count);
      }
      expect(waking.size).toBeGreaterThan(range === undefined ? 5 : 1);
      const ofThreads = ([pair]: [string, number]) => pair.split(' ').every((id) => isOf(threads, id));
      expect(new Map([...waking].filter(ofThreads))).toEqual(new Map([...woken].filter(ofThreads)));
    }
  });

  it('comes last to a CPU where the interval begins that it runs in', async () => {
    const { api } = await openExample('imbalance-4t');
    const range = { from: 300e6, to: 900e6 };
    const { lastSwitchIn } = await summaryOf(api, 'thread:0:219', range);
    if (lastSwitchIn === undefined) throw new Error('it ran in the range');
    const { timeNs, cpu } = lastSwitchIn;
    expect(timeNs).toBeGreaterThanOrEqual(range.from);
    const lines = await eventsFrom(api, timeNs, 8, { row: `cpu:0:${cpu}` });
    const line = lines.find((one) => one.timeNs === timeNs && one.name === 'sched_switch');
    expect(line?.fields.payload).toContain('"next_tid":219');
  });
});

it('statistics of one thread are its part of those of all', async () => {
  const { api, threads } = await openExample('disk-io');
  const writer = threads.find((row) => row.name === 'wk-writer');
  if (writer === undefined) throw new Error('no writer');
  const thread = writer.id;
  for (const range of [undefined, { from: 300e6, to: 900e6 }]) {
    const all = await api.ask('syscalls', { range, withPairs: true });
    const own = await api.ask('syscalls', { range, thread, withPairs: true });
    expect(own.pairs).toEqual(all.pairs?.filter(({ row }) => row === thread));
    expect(own.pairs?.length).toBeGreaterThan(0);
    const sums = ({ call, durations, errors }: CallStat) => [call, durations, errors];
    expect(own.calls.map(sums)).toEqual(own.pairs?.map(sums));
    const io = await api.ask('io', { range });
    const ownIo = await api.ask('io', { range, thread });
    expect(ownIo.threads).toEqual(io.threads.filter(({ row }) => row === thread));
    expect(sum(ownIo.files.map(({ write }) => write.bytes))).toBe(
      sum(ownIo.threads.map((t) => t.write.bytes)),
    );
  }
});

it('the file of a descriptor is that of the statistics, and known of calls that move no bytes', async () => {
  const { api, threads } = await openExample('disk-io');
  const writer = threads.find((row) => row.name === 'wk-writer');
  if (writer === undefined) throw new Error('no writer');
  const row = writer.id;
  const { calls } = await api.ask('syscalls', { thread: row });
  const fileOf = async (name: string) => {
    const [{ fromNs, ns }] = calls.find(({ call }) => call === name)?.durations.longest ?? [];
    const call = await api.ask('call', { row, timeNs: fromNs });
    expect([call?.from, call?.to]).toEqual([fromNs, fromNs + ns]);
    const around = await eventsFrom(api, fromNs, 8, { row: `cpu:0:${call?.cpu}` });
    const entry = around.find((one) => one.timeNs === fromNs && one.name === `syscall_entry_${name}`);
    const fd = Number(/"fd":(\d+)/.exec(entry?.fields.payload ?? '')?.[1]);
    return api.ask('descriptorPath', { row, fd, from: fromNs, to: fromNs + ns });
  };
  const file = await fileOf('fsync');
  expect(file).toMatch(/^\//);
  const { files } = await api.ask('io', { thread: row });
  const most = files.reduce((a, b) => (b.write.bytes > a.write.bytes ? b : a));
  expect(most.path).toBe(file);
});

function isOf(threads: readonly RowInfo[], id: string): boolean {
  return threads.some((row) => row.id === id);
}

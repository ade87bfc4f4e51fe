/**
 * The whole line on a recorded trace: files → packets → chunks → state → store → answers. `imbalance-4t`: four threads
 * meet at a barrier, imb-80 (tid 219) comes last. Times and sums are those of an independent analysis of the trace.
 */
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../../test/support/until.ts';
import {
  type LocalOutcome,
  localSession,
  type LocalSession,
  openLocal,
} from '../../../test/support/local-session.ts';
import { filesOfFolder, memoryRefs, withFiles } from '../../../test/support/memory-files.ts';
import { projectDir } from '../../../test/support/shared.ts';
import { ok } from '../base/fault.ts';
import type { ByteSource, SourceOpener } from '../io/byte-source.ts';
import { openSource } from '../io/open-source.ts';
import { textAt } from '../base/text-column.ts';
import { CAUSE_THREAD, THREAD_STATES } from '../linux/events/values.ts';
import { MemoryStore } from '../store/memory-store.ts';
import { fingerprintOf } from '../trace/fingerprint-of-key.ts';
import type { SessionApi } from '../protocol/session.ts';
import { unpackRows } from '../answers/rows/row-columns.ts';
import { rowsOfKind } from '../answers/rows/row-writer.ts';
import type { RowInfo } from '../protocol/rows.ts';
import type { CpuStats } from '../protocol/statistics.ts';
import { eventsFrom } from '../../../test/support/events-from.ts';
import { sum } from '../../../test/support/sum.ts';

const EVENTS = 10_913;
const LENGTH = 1_527_763_556;
/** A stay of imb-80 in user mode between two interrupts. */
const STAY = { from: 261_820_170, to: 267_839_448 };
const IMB_80 = 'thread:0:219';

const examples = join(projectDir(), 'public/examples');
const files = memoryRefs(filesOfFolder(join(examples, 'imbalance-4t')));

/** Without its id, which is another one each time. */
async function pathOf(api: SessionApi, row: string) {
  const path = await api.ask('path', { row, criterion: 'main-task' });
  return path && { ...path, id: 0 };
}

/** Parts of what a page shows of the trace: two levels of the timeline, statistics of a part, an interval, a path. */
async function answersOf({ api }: LocalSession, { rows }: LocalOutcome) {
  const attributes = rows.map((row) => row.attribute).filter((attribute) => attribute >= 0);
  return {
    whole: await api.ask('tile', { host: 0, attributes, from: 0, to: LENGTH, bucketNs: LENGTH / 1000 }),
    part: await api.ask('tile', { host: 0, attributes, ...STAY, bucketNs: 1 }),
    load: await api.ask('load', { host: 0, attributes, from: 0, to: LENGTH, bucketNs: LENGTH / 100 }),
    cpuOfPart: await api.ask('cpu', { range: { from: 100e6, to: 200e6 } }),
    stay: await api.ask('interval', { row: IMB_80, timeNs: STAY.from }),
    path: await pathOf(api, IMB_80),
  };
}

function rowsOf({ threads }: CpuStats): string[] {
  return Array.from({ length: threads.length }, (_, i) => textAt(threads.row, i));
}

function statesOf(stats: CpuStats, row: string): readonly number[] {
  const { states } = stats.threads;
  const at = rowsOf(stats).indexOf(row) * THREAD_STATES.length;
  return at < 0 ? [] : [...states.subarray(at, at + THREAD_STATES.length)];
}

describe('a recorded trace', () => {
  const { api, open } = localSession();
  let read: LocalOutcome;
  // In chunks so small that streams have several and ranges cut them.
  beforeAll(async () => {
    read = await open(files, { chunkBytes: 8192 });
  });

  it('gives hosts, streams and rows', () => {
    const { phase, info, rows } = read;
    expect(phase).toBe('done');
    expect(info).toMatchObject({ name: 'imbalance-4t', lengthNs: LENGTH, events: EVENTS, faults: [] });
    expect(info.hosts).toMatchObject([{ hostname: 'wake', cpus: 4, events: EVENTS }]);
    expect(info.streams.map(({ state }) => state)).toEqual(['complete', 'complete', 'complete', 'complete']);
    expect(rows.filter(({ kind }) => kind === 'cpu')).toHaveLength(4);
    const last = rows.find(({ id }) => id === IMB_80);
    expect(last).toMatchObject({ name: 'imb-80', tid: 219, pid: 215, ran: true, firstNs: 163_785_771 });
    expect(last && rows[last.parent]).toMatchObject({ kind: 'process', name: 'wk-imbalance' });
  });

  it('gives intervals exact to the nanosecond, and the ones beside them', async () => {
    const stay = await api.ask('interval', { row: IMB_80, timeNs: STAY.from + 1 });
    expect(stay).toMatchObject({ ...STAY, stateText: 'Running, user', cpu: 0 });
    const interrupted = await api.ask('interval', { row: IMB_80, timeNs: STAY.to });
    expect(interrupted).toMatchObject({ from: STAY.to, stateText: 'Interrupted', interrupt: 'hrtimer' });
    const onCpu = await api.ask('interval', { row: 'cpu:0:0', timeNs: STAY.from + 1 });
    expect(onCpu).toMatchObject({ stateText: 'Running, user', threads: [{ row: IMB_80, name: 'imb-80' }] });
    expect(onCpu?.interrupt).toBeUndefined();
    const interruptedCpu = await api.ask('interval', { row: 'cpu:0:0', timeNs: STAY.to });
    expect(interruptedCpu).toMatchObject({ interrupt: 'hrtimer', threads: [{ row: IMB_80 }] });
    const beside = (step: 1 | -1) => api.ask('interval', { row: IMB_80, timeNs: STAY.from, step });
    expect(await beside(1)).toMatchObject({ from: STAY.to });
    expect(await beside(-1)).toMatchObject({ to: STAY.from });
    const wait = await api.ask('interval', { row: 'thread:0:216', timeNs: 262_862_557 });
    const waker = { waker: IMB_80, wakerName: 'imb-80 (tid 219)' };
    expect(wait).toMatchObject({ from: 262_862_557, to: 347_971_196, ...waker });
  });

  it('gives system calls from entry to return', async () => {
    const { calls } = await api.ask('syscalls', {});
    for (const mark of calls.flatMap(({ durations }) => durations.longest)) {
      const call = await api.ask('call', { row: mark.row, timeNs: mark.fromNs + Math.floor(mark.ns / 2) });
      expect(call).toMatchObject({ row: mark.row, from: mark.fromNs, isCall: true });
      expect((call?.to ?? 0) - mark.fromNs).toBe(mark.ns);
    }
    expect(await api.ask('call', { row: 'thread:0:216', timeNs: 262_862_557 })).toMatchObject({
      stateText: 'futex',
    });
    expect(await api.ask('call', { row: IMB_80, timeNs: STAY.from + 1 })).toBeUndefined();
    expect(await api.ask('call', { row: 'cpu:0:0', timeNs: STAY.from + 1 })).toBeUndefined();
  });

  it('gives CPU times whose parts are the whole', async () => {
    const { rows } = read;
    const whole = await api.ask('cpu', {});
    const states = [0, 902_308_743, 58_982_284, 20_529_280, 342_763, 297_186, 0, 0, 0, 0, 0, 14_712];
    expect(statesOf(whole, IMB_80)).toEqual([...states, 21_724_396, 359_778_421, 0, 0]);
    expect(whole.cpus.find(({ cpu }) => cpu === 0)).toMatchObject({
      user: 1_018_229_133,
      idle: 334_555_114,
      softirq: 32_251_068,
    });
    for (const row of rowsOf(whole)) {
      const { firstNs, lastNs } = rows.find(({ id }) => id === row) ?? { firstNs: 0, lastNs: 0 };
      expect(sum(statesOf(whole, row)), row).toBe(lastNs - firstNs);
    }
  });

  it('gives waits for a CPU', async () => {
    const { threads, woken, missing } = await api.ask('sched', {});
    expect(missing).toEqual([]);
    // All its time in state 5: each of its wake-ups ended on a CPU.
    const last = threads.find(({ row }) => row === IMB_80);
    expect(last?.woken.totalNs).toBe(297_186);
    expect(woken.count).toBe(sum(threads.map((thread) => thread.woken.count)));
    expect(woken.maxNs).toBe(Math.max(...threads.map((thread) => thread.woken.maxNs)));
    const [longest] = woken.longest;
    const wait = await api.ask('interval', { row: longest.row, timeNs: longest.fromNs });
    expect(wait).toMatchObject({ from: longest.fromNs, to: longest.fromNs + longest.ns });
  });

  it('gives interrupts and calls whose parts are the whole', async () => {
    const { events } = await api.ask('counts', {});
    const eventsOf = (name: string) => events.find((event) => event.name === name)?.count ?? 0;
    const { interrupts, cpus } = await api.ask('irq', {});
    const count = (stats: typeof cpus) => sum(stats.map(({ run }) => run.count));
    expect(count(cpus)).toBe(count(interrupts));
    const softirqs = interrupts.filter(({ kind }) => kind === 'softirq');
    expect(eventsOf('irq_softirq_exit') - count(softirqs)).toBeLessThanOrEqual(4);
    const { calls, threads, pairs = [] } = await api.ask('syscalls', { withPairs: true });
    const figures = (stats: typeof calls) => [
      sum(stats.map(({ durations }) => durations.count)),
      sum(stats.map(({ durations }) => durations.totalNs)),
      sum(stats.map(({ blockedNs }) => sum(blockedNs))),
      sum(stats.flatMap(({ errors }) => errors.map((error) => error.count))),
    ];
    expect(figures(calls)).toEqual(figures(pairs));
    expect(figures(threads)).toEqual(figures(pairs));
    expect(figures(calls)[0]).toBeGreaterThan(0);
    // Four threads meet at a barrier: they block in futex, and another thread ends that.
    const futex = calls.find(({ call }) => call === 'futex');
    expect(futex?.blockedNs[CAUSE_THREAD]).toBeGreaterThan(0.9 * (futex?.durations.totalNs ?? NaN));
  });

  it('lists single events from a time on', async () => {
    const lines = await eventsFrom(api, 262_862_557, 5);
    expect(lines).toHaveLength(5);
    const out = lines.find(({ timeNs }) => timeNs === 262_862_557);
    expect(out?.name).toBe('sched_switch');
    expect(out?.fields.payload).toContain('imb-10');
  });
});

describe('while reading', () => {
  it('tells of the streams before anything is read, and answers what is asked about them', async () => {
    const session = localSession();
    const opening = session.begin(files);
    await vi.waitUntil(() => session.updates.length > 0, { interval: 1, timeout: 60_000 });
    const [{ progress, info, rows }] = session.updates;
    expect([progress.phase, progress.events, info?.events]).toEqual(['reading', 0, 0]);
    const length = info?.lengthNs ?? 0;
    const streams = rows === undefined ? [] : rowsOfKind(rows, 'stream');
    expect(streams).toHaveLength(info?.streams.length ?? NaN);
    const density = await session.api.ask('density', {
      rows: streams,
      from: 0,
      to: length,
      bucketNs: length,
    });
    expect(density.every((events) => events > 0)).toBe(true);
    await opening;
    await session.ended();
  });

  it('counts what was read so far', async () => {
    const session = localSession();
    const opened = await session.begin(files, { chunkBytes: 4096 });
    expect(opened.ok).toBe(true);
    await vi.waitUntil(() => session.updates.length > 1, { interval: 1, timeout: 60_000 });
    expect(session.updates[0].progress.phase).toBe('reading');
    const soFar = sum((await session.api.ask('counts', {})).events.map(({ count }) => count));
    expect(soFar).toBeGreaterThan(0);
    expect(soFar).toBeLessThanOrEqual(EVENTS);
    await session.ended();
    expect(sum((await session.api.ask('counts', {})).events.map(({ count }) => count))).toBe(EVENTS);
    const finishing = session.updates.find(({ progress }) => progress.phase === 'finishing');
    expect(finishing?.progress.watermarkNs).toBe(Infinity);
  });
});

it('what was lost while recording is counted, packets too, read or reopened', async () => {
  const folder = filesOfFolder(join(examples, 'imbalance-4t'));
  const stream = Buffer.from(folder.get('imbalance-4t/kernel/kernel_1') ?? []);
  // Of its second packet, behind the header, two times and two sizes: the sequence number.
  stream.writeBigUInt64LE(3n, 65_536 + 32 + 4 * 8);
  const changes = {
    'imbalance-4t/kernel/kernel_1': stream,
    'imbalance-4t/kernel/index/kernel_1.idx': undefined,
  };
  const session = localSession();
  const { info } = await session.open(memoryRefs(withFiles(folder, changes)));
  expect([info.discardedEvents, info.discardedPackets]).toEqual([0, 2]);
  const kept = await session.reopen(info.key);
  expect(kept.ok && kept.info.discardedPackets).toBe(2);
});

describe('cancel', () => {
  it('keeps what was read, and does not pass it off as the trace', async () => {
    const session = localSession();
    const { api } = session;
    const opened = await session.begin(files, { chunkBytes: 4096 });
    expect(opened.ok).toBe(true);
    await api.cancel();
    const { phase, info } = await session.ended();
    expect(phase).toBe('cancelled');
    expect(info.events).toBeLessThan(EVENTS);
    expect(sum((await api.ask('counts', {})).events.map(({ count }) => count))).toBe(info.events);
    expect(await api.recent()).toEqual([]);
    const again = await session.open(files);
    expect(again.info).toMatchObject({ events: EVENTS, fromStore: false });
  });

  it('tells up to when all was read, where the rows of the host end', async () => {
    let reads = -Infinity;
    const stopping: SourceOpener = async (ref) => {
      const opened = await openSource(ref);
      if (!opened.ok) return opened;
      const { name, size } = opened.value;
      const read: ByteSource['read'] = (...range) => {
        // The first packet of each CPU was read, and two CPUs have another.
        if (++reads === 5) void session.api.cancel();
        return opened.value.read(...range);
      };
      return ok({ name, size, read });
    };
    const session = localSession({ openSource: stopping, onReading: () => (reads = 0) });
    await session.begin(files, { chunkBytes: 4096 });
    const { phase, rows } = await session.ended();
    expect(phase).toBe('cancelled');
    const ends = session.updates.slice(-2).map(({ progress }) => progress.watermarkNs);
    expect(ends[0]).toBe(ends[1]);
    expect(ends[1]).toBeGreaterThan(0);
    expect(ends[1]).toBeLessThan(LENGTH);
    const [host] = rows;
    expect(host.lastNs).toBeGreaterThan(0);
    expect(host.lastNs).toBeLessThanOrEqual(ends[1]);
  });
});

describe('the store', () => {
  it('gives the same answers again without files and without decoding', async () => {
    const store = ok(new MemoryStore());
    const first = localSession({ store });
    const read = await first.open(files);
    const answers = await answersOf(first, read);

    const second = localSession({ store });
    const [recent] = await second.api.recent();
    expect(recent).toMatchObject({ key: read.info.key, name: 'imbalance-4t', events: EVENTS, hosts: 1 });
    const opened = await second.reopen(recent.key);
    if (!opened.ok) throw new Error(opened.fault.code);
    const rows = unpackRows(opened.rows);
    expect(withoutLayers(rows)).toEqual(withoutLayers(read.rows));
    expect(opened.info).toEqual({ ...read.info, fromStore: true });
    expect(await answersOf(second, { ...read, info: opened.info, rows })).toEqual(answers);
    expect((await second.api.ask('counts', { range: { from: 1, to: LENGTH / 2 } })).approximate).toBe(true);
    expect(second.started()).toBe(0);
  });

  it('has rows first; what is asked of them then is answered when the rest is there', async () => {
    const store = ok(new MemoryStore());
    const { info } = await localSession({ store }).open(files);
    const { api } = localSession({ store });
    const early: Promise<CpuStats>[] = [];
    await api.reopen(info.key, ({ rows }) => void (rows && early.push(api.ask('cpu', {}))));
    // Rows come again once it is known which layers the trace has.
    const [first, ...others] = await Promise.all(early);
    expect(first.threads.length).toBeGreaterThan(0);
    for (const answer of [...others, await api.ask('cpu', {})]) expect(answer).toEqual(first);
  });

  it('is used when the files are opened again, in any order', async () => {
    const store = ok(new MemoryStore());
    const first = localSession({ store });
    await first.open(files);
    await until(async () => (await first.api.ask('lockEvents', {})) !== 'not read yet');
    // Each layer is kept when it is read; then nothing is read for a session.
    await until(async () => {
      const kept = localSession({ store });
      await kept.open(files);
      await kept.api.ask('lockEvents', {});
      return kept.started() === 0;
    });
    const again = localSession({ store });
    expect((await again.open(files.toReversed())).info.fromStore).toBe(true);
    expect((await again.api.ask('counts', { range: { from: 1, to: LENGTH / 2 } })).approximate).toBe(false);
    expect(again.started()).toBe(0);
  });

  it('starts workers before files are read, and ends those that nothing came of', async () => {
    const store = ok(new MemoryStore());
    const onReading = vi.fn<(prepared: number) => void>();
    const first = localSession({ store, onReading });
    await first.open(files, { workers: 3 });
    expect(onReading.mock.calls).toEqual([[3]]);
    const again = localSession({ store, onReading });
    await again.open(files);
    await again.begin(memoryRefs(new Map([['notes', Uint8Array.of(1)]])));
    expect([first.prepared(), again.prepared()]).toEqual([0, 0]);
  });

  it('forgets a trace', async () => {
    const session = localSession();
    const { info } = await session.open(files);
    await session.api.forget(info.key);
    expect(await session.api.recent()).toEqual([]);
    expect(await session.reopen(info.key)).toMatchObject({ ok: false });
  });
});

describe('traces of two hosts', () => {
  const files = ['client', 'server'].flatMap((host) =>
    memoryRefs(filesOfFolder(join(examples, 'two-hosts-http', host))),
  );

  it('share one axis', async () => {
    const { api, info, rows } = await openLocal(files);
    expect(info.hosts.map(({ name }) => name).sort()).toEqual(['client', 'server']);
    expect(Math.min(...info.hosts.map(({ firstNs }) => firstNs))).toBe(0);
    expect(rows.filter(({ kind }) => kind === 'host')).toHaveLength(2);
    const { cpus } = await api.ask('cpu', {});
    expect(new Set(cpus.map(({ host }) => host)).size).toBe(2);
    // Before packets told of the clocks both began with the experiment.
    for (const { index, firstNs } of info.hosts)
      expect(await api.ask('moved', { row: `host:${index}`, timeNs: 0 })).toBe(firstNs);
  });

  it('have the same paths from one to the other when they are kept', async () => {
    const store = ok(new MemoryStore());
    const read = localSession({ store });
    const { rows, info } = await read.open(files);
    const kept = localSession({ store });
    await kept.reopen(info.key);
    const workers: number[] = [];
    for (const { id, kind, ran } of rows) {
      if (kind !== 'thread' || !ran) continue;
      const path = await pathOf(read.api, id);
      expect(await pathOf(kept.api, id)).toEqual(path);
      workers.push(new Set(path?.workers.map(({ host }) => host)).size);
    }
    expect(Math.max(...workers)).toBe(2);
    expect(await kept.api.ask('sync', {})).toEqual(await read.api.ask('sync', {}));
  });

  it('are shown by an offset that is given, whether they are read or kept', async () => {
    const store = ok(new MemoryStore());
    const byPackets = await localSession({ store }).open(files);
    const server = byPackets.info.hosts.findIndex(({ name }) => name === 'server');
    const clocks = { offsets: new Map([[server, -5_000_000_000n]]) };
    const read = await localSession().open(files, { clocks });
    const kept = await localSession({ store }).open(files, { clocks });
    expect(kept.info.hosts).toEqual(read.info.hosts);
    expect(kept.info.hosts).not.toEqual(byPackets.info.hosts);
    expect(kept.info.originNs).toBe(read.info.originNs);
    expect(withoutLayers(kept.rows)).toEqual(withoutLayers(read.rows));
    const again = await localSession({ store }).open(files);
    expect(withoutLayers(again.rows)).toEqual(withoutLayers(byPackets.rows));
    // A link leads to another trace than the one that is opened.
    const other = await localSession({ store }).open(files, { clocks, clocksOf: 'another' });
    expect(other.info.hosts).toEqual(byPackets.info.hosts);
    const its = await localSession({ store }).open(files, {
      clocks,
      clocksOf: fingerprintOf(byPackets.info.key),
    });
    expect(its.info.hosts).toEqual(read.info.hosts);
  });
});

/** Rows that layers add come later than the others; parents by their ids. */
function withoutLayers(rows: readonly RowInfo[]): unknown[] {
  return rows
    .filter(({ kind }) => !['layer', 'group', 'plot', 'resources'].includes(kind))
    .map(({ parent, ...row }) => ({ ...row, parent: rows[parent]?.id }));
}

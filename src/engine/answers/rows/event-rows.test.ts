import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localSession, openLocal } from '../../../../test/support/local-session.ts';
import { memoryRefs } from '../../../../test/support/memory-files.ts';
import { projectDir } from '../../../../test/support/shared.ts';
import { randomOf } from '../../../../test/support/simulator/random.ts';
import {
  type ThreadEvent,
  threadTrace,
  type ThreadTraceOptions,
} from '../../../../test/support/thread-trace.ts';
import { loadTrace } from '../../../../test/support/trace-files.ts';
import { ok } from '../../base/fault.ts';
import { MOST_THREADS } from '../../density/thread-events.ts';
import { MemoryStore } from '../../store/memory-store.ts';
import { unpackRows } from './row-columns.ts';
import type { RowInfo } from '../../protocol/rows.ts';
import { eventsFrom } from '../../../../test/support/events-from.ts';

const main = { pid: 10, tid: 10, name: 'server' };
const worker = { pid: 10, tid: 12, name: 'worker' };
const alone = { pid: 20, tid: 20, name: 'client' };

/** Three events of the worker to each of the others; the last of CPU 1 has no thread. */
const EVENTS: readonly ThreadEvent[] = [
  ...Array.from({ length: 400 }, (_, i): ThreadEvent => {
    return { time: i * 1000, cpu: i % 2, thread: [worker, worker, main, worker, alone][i % 5] };
  }),
  { time: 400_000, cpu: 1 },
];

function summary(rows: readonly RowInfo[]) {
  return rows.map(({ parent, kind, id, name, tid, events }) => {
    return [parent < 0 ? '' : rows[parent].id, kind, id, name, tid, events];
  });
}

async function rowsOf(options: Partial<ThreadTraceOptions> = {}): Promise<readonly RowInfo[]> {
  const files = threadTrace(EVENTS, { packetEvents: 50, ...options });
  return (await localSession().open(memoryRefs(files))).rows;
}

it('has rows of processes and threads, and of streams with other events', async () => {
  const rows = await rowsOf();
  expect(summary(rows)).toEqual([
    ['', 'host', 'host:0', 'simulated-0', undefined, 0],
    ['host:0', 'stream', 'stream:0:0.1', 'ust_1', undefined, 1],
    ['host:0', 'process', 'process:0:10', 'server', 10, 320],
    ['process:0:10', 'thread', 'thread:0:10.12', 'worker', 12, 240],
    ['process:0:10', 'thread', 'thread:0:10.10', 'server', 10, 80],
    ['host:0', 'thread', 'thread:0:20.20', 'client', 20, 80],
  ]);
});

it('takes process and name from the environment where contexts have none', async () => {
  const environment = { vpid: 33, procname: 'daemon' };
  const rows = await rowsOf({ environment, hasPid: false, hasName: false });
  expect(summary(rows).slice(2)).toEqual([
    ['host:0', 'process', 'process:0:33', 'daemon', 33, 400],
    ['process:0:33', 'thread', 'thread:0:33.12', 'daemon', 12, 240],
    ['process:0:33', 'thread', 'thread:0:33.10', 'daemon', 10, 80],
    ['process:0:33', 'thread', 'thread:0:33.20', 'daemon', 20, 80],
  ]);
});

it('lists the events of threads whose process the environment gives, or nothing', async () => {
  for (const [pid, environment] of [
    [33, { environment: { vpid: 33, procname: 'daemon' } }],
    [-1, {}],
  ] as const) {
    const session = localSession();
    const options = { packetEvents: 50, ...environment, hasPid: false, hasName: false };
    await session.open(memoryRefs(threadTrace(EVENTS, options)));
    const { total } = await session.api.ask('eventSearch', { filter: '', row: `thread:0:${pid}.20` });
    expect(total).toBe(80);
  }
});

it('takes the name of a process from its dump where nothing else tells it', async () => {
  const dumps = EVENTS.map((event) => (event.time === 2000 ? { ...event, dumped: 'wk-server' } : event));
  const files = threadTrace(dumps, { packetEvents: 50, hasName: false });
  const { rows } = await localSession().open(memoryRefs(files));
  expect(summary(rows).slice(2)).toEqual([
    ['host:0', 'process', 'process:0:10', 'wk-server', 10, 320],
    ['process:0:10', 'thread', 'thread:0:10.12', 'wk-server', 12, 240],
    ['process:0:10', 'thread', 'thread:0:10.10', 'wk-server', 10, 80],
    ['host:0', 'thread', 'thread:0:20.20', 'Thread', 20, 80],
  ]);
  const named = threadTrace(dumps, { packetEvents: 50 });
  expect((await localSession().open(memoryRefs(named))).rows.map(({ name }) => name)).toEqual(
    (await rowsOf()).map(({ name }) => name),
  );
});

it('names the process of a recorded trace of user space', async () => {
  const folder = join(projectDir(), 'public/examples/lockfight-mutex/ust/uid/0/64-bit');
  const { rows } = await localSession().open(memoryRefs(loadTrace(folder)));
  const shown = rows.filter(({ kind }) => kind === 'process' || kind === 'thread');
  expect(shown.length).toBeGreaterThan(3);
  expect(shown[0]).toMatchObject({ kind: 'process', id: 'process:0:231', name: 'wk-lockfight' });
  expect(new Set(shown.map(({ name }) => name))).toEqual(new Set(['wk-lockfight']));
});

it('has threads right below their host where no process is told', async () => {
  const rows = await rowsOf({ hasPid: false, hasName: false });
  expect(summary(rows).slice(2)).toEqual([
    ['host:0', 'thread', 'thread:0:-1.12', 'Thread', 12, 240],
    ['host:0', 'thread', 'thread:0:-1.10', 'Thread', 10, 80],
    ['host:0', 'thread', 'thread:0:-1.20', 'Thread', 20, 80],
  ]);
});

it('has the threads of several traces below their hosts', async () => {
  const traces = [
    { trace: 1, host: 1, environment: { vpid: 5, procname: 'a' } },
    { trace: 2, host: 1, environment: { vpid: 6, procname: 'b' } },
    { trace: 3, host: 2, environment: { vpid: 5, procname: 'c' } },
  ];
  const files = traces.flatMap((one) => {
    const written = threadTrace(EVENTS, { packetEvents: 50, hasPid: false, hasName: false, ...one });
    return [...written].map(([path, bytes]): [string, Uint8Array] => [
      `h${one.host}/t${one.trace}/${path}`,
      bytes,
    ]);
  });
  const session = localSession();
  const { rows } = await session.open(memoryRefs(new Map(files)));
  const processes = rows.filter(({ kind }) => kind === 'process');
  expect(processes.map(({ id, name, events }) => [id, name, events])).toEqual([
    ['process:0:5', 'a', 400],
    ['process:0:6', 'b', 400],
    ['process:1:5', 'c', 400],
  ]);
  expect(rows.filter(({ kind }) => kind === 'stream')).toHaveLength(3);
  const density = await session.api.ask('density', {
    rows: ['thread:0:5.12', 'thread:1:5.12', 'thread:1:6.12'],
    from: 0,
    to: 1e6,
    bucketNs: 1e6,
  });
  expect([...density].map(Math.round)).toEqual([240, 240, 0]);
});

it('gives densities that add up, and the same from the store', async () => {
  const store = new MemoryStore();
  const session = localSession({ store: ok(store) });
  const { rows, info } = await session.open(memoryRefs(threadTrace(EVENTS, { packetEvents: 50 })));
  const ids = rows.map(({ id }) => id);
  const ask = (from: number, to: number, bucketNs: number) =>
    session.api.ask('density', { rows: ids, from, to, bucketNs });
  const sums = async (from: number, to: number) => {
    const all = await ask(from, to, 500);
    const buckets = all.length / ids.length;
    return ids.map((_, i) => Math.round(all.slice(i * buckets, (i + 1) * buckets).reduce((a, b) => a + b)));
  };
  expect(await sums(0, 401_000)).toEqual(rows.map(({ events }) => events));
  expect(await sums(0, 199_500)).toEqual([0, 0, 160, 120, 40, 40]);
  const picture = await ask(0, 401_000, 1000);
  const reopened = await session.reopen(info.key);
  expect(reopened.ok && unpackRows(reopened.rows ?? never())).toEqual(rows);
  expect(await ask(0, 401_000, 1000)).toEqual(picture);
  // Where no event is, but one is near: without the files that is not known any better.
  const near = await session.api.ask('density', {
    rows: ['thread:0:10.12'],
    from: 12_993,
    to: 13_000,
    bucketNs: 7,
  });
  expect(near[0]).toBeGreaterThan(0);
  expect(near[0]).toBeLessThan(1);
});

it('counts events from near in the files, wherever packets end', async () => {
  for (const packetEvents of [1, 50, 1000]) {
    const session = localSession();
    const { rows } = await session.open(memoryRefs(threadTrace(EVENTS, { packetEvents })));
    const ids = rows.map(({ id }) => id);
    const [from, to, bucketNs] = [197_500, 203_000, 10];
    const found = await session.api.ask('density', { rows: ids, from, to, bucketNs });
    const buckets = found.length / ids.length;
    const times = (id: string) =>
      [...found.subarray(ids.indexOf(id) * buckets, (ids.indexOf(id) + 1) * buckets).entries()].flatMap(
        ([i, count]) => Array<number>(count).fill(from + i * bucketNs),
      );
    const of = (wanted: ThreadEvent['thread']) =>
      EVENTS.filter(({ time, thread }) => thread === wanted && time >= from && time < to).map(
        ({ time }) => time,
      );
    expect(times('thread:0:10.12')).toEqual(of(worker));
    expect(times('thread:0:20.20')).toEqual(of(alone));
    expect(times('process:0:10')).toEqual([...of(worker), ...of(main)].sort((a, b) => a - b));
    expect(of(worker)).toHaveLength(3);
  }
});

function never(): never {
  throw new Error('there are rows');
}

it('shows what was read where reading is cancelled', async () => {
  const session = localSession();
  await session.begin(memoryRefs(threadTrace(EVENTS, { packetEvents: 10 })), { chunkBytes: 1 });
  await session.api.cancel();
  const { phase, rows, info } = await session.ended();
  expect(phase).toBe('cancelled');
  const shown = rows.filter(({ kind }) => kind === 'thread' || kind === 'stream');
  expect(shown.reduce((sum, { events }) => sum + events, 0)).toBe(info.events);
});

it('folds threads beyond the most into one row', async () => {
  const more = 1000;
  const random = randomOf(1);
  const ids = Array.from({ length: MOST_THREADS + more }, (_, i) => i + 1);
  const order = ids.map((tid) => ({ tid, at: random.between(0, 1e9) })).sort((a, b) => a.at - b.at);
  const events = [...order, ...order].map(({ tid }, i): ThreadEvent => {
    return { time: i * 10, cpu: i & 1, thread: { pid: 1, tid, name: `t${tid}` } };
  });
  const files = threadTrace(events, { packetEvents: 500 });
  const session = localSession();
  const { rows } = await session.open(memoryRefs(files), { chunkBytes: 60_000 });
  expect(rows.filter(({ kind }) => kind === 'thread')).toHaveLength(MOST_THREADS);
  expect(rows.at(-1)).toMatchObject({ kind: 'more-threads', name: '1000 more threads', events: 2 * more });
  const to = 10 * events.length;
  const density = await session.api.ask('density', { rows: ['more-threads:0'], from: 0, to, bucketNs: to });
  expect(density[0]).toBeCloseTo(2 * more);
  const { total } = await session.api.ask('eventSearch', { filter: '', row: 'more-threads:0' });
  expect(total).toBe(2 * more);
});

it('lists the events of one row from a time on', async () => {
  const late = { time: 900_000, cpu: 0, thread: main };
  const session = await openLocal(memoryRefs(threadTrace([...EVENTS, late], { packetEvents: 20 })));
  const timesOf = async (row: string, timeNs: number, limit: number) => {
    const lines = await eventsFrom(session.api, timeNs, limit, { row });
    return lines.map((line) => line.timeNs);
  };
  const count = async (row: string, filter = '') =>
    (await session.api.ask('eventSearch', { filter, row })).total;
  expect(await timesOf('thread:0:20.20', 100_000, 3)).toEqual([104_000, 109_000, 114_000]);
  expect(await count('thread:0:20.20')).toBe(80);
  expect(await timesOf('process:0:10', 397_500, 3)).toEqual([398_000, 900_000]);
  expect(await count('process:0:10')).toBe(321);
  expect(await count('process:0:10', 'tid=12')).toBe(240);
  // Those that name no thread.
  expect(await timesOf('stream:0:0.1', 0, 10)).toEqual([400_000]);
  // A host's row stands for no events of its own.
  expect(await timesOf('host:0', 100_000, 3)).toEqual([100_000, 101_000, 102_000]);
});

it('has the overview follow the events within a packet', async () => {
  const events = [0, 900_000].flatMap((begin) =>
    Array.from({ length: 100 }, (_, i): ThreadEvent => {
      return { time: begin + 1000 * i, cpu: 0, ...(i % 2 === 0 && { thread: worker }) };
    }),
  );
  const session = await openLocal(memoryRefs(threadTrace(events, { packetEvents: 1000 })));
  const overview = session.updates.findLast((update) => update.overview !== undefined)?.overview;
  const { bucketNs, hosts } = overview ?? never();
  const sumOf = (from: number, to: number) =>
    [...hosts[0].density.slice(Math.ceil(from / bucketNs), Math.ceil(to / bucketNs))].reduce(
      (a, b) => a + b,
      0,
    );
  expect(sumOf(0, 110_000)).toBeCloseTo(100, 1);
  expect(sumOf(110_000, 890_000)).toBe(0);
  expect(sumOf(890_000, 1_100_000)).toBeCloseTo(100, 1);
});

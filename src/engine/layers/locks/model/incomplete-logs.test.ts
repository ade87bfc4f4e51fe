/** Logs of locks in which something is missing: what must hold all the same. */
import { expect, it } from 'vitest';
import * as lockLog from '../lock-log.ts';
import type { LockLog } from '../lock-log.ts';
import * as m from './lock-model.ts';
import { lockModel } from './make-model.ts';

/** An event of thread and lock by their rows. */
interface Told {
  readonly at: number;
  readonly op: number;
  readonly thread?: number;
  readonly lock?: number;
  readonly value?: number;
  readonly other?: number;
}

const END = 1000;

/** Of two mutexes and three threads. */
function logOf(rows: readonly Told[]): LockLog {
  const column = (of: (row: Told) => number) => Int32Array.from(rows, of);
  return {
    length: rows.length,
    time: Float64Array.from(rows, ({ at }) => at),
    op: Uint8Array.from(rows, ({ op }) => op),
    thread: column(({ thread = -1 }) => thread),
    lock: column(({ lock = 0, op }) => (op === lockLog.LOSS ? -1 : lock)),
    other: column(({ other = -1 }) => other),
    value: column(({ value = 0 }) => value),
    mode: new Uint8Array(rows.length),
    threads: [11, 12, 13].map((tid) => ({ row: -1, tid, ns: 0, pid: 10, process: 'p' })),
    locks: ['0x1', '0x2'].map((address) => ({ kind: 'mutex', process: 10, address })),
    futexes: [],
    kernelLocks: [],
    end: END,
    modules: [],
    memories: [],
    problems: {},
  };
}

const request = (at: number, thread: number, lock = 0): Told => ({ at, op: lockLog.REQUEST, thread, lock });
const acquire = (at: number, thread: number, lock = 0): Told => ({ at, op: lockLog.ACQUIRE, thread, lock });
const release = (at: number, thread: number, lock = 0): Told => ({ at, op: lockLog.RELEASE, thread, lock });
/** Of streams of user space. */
const loss = (at: number): Told => ({ at, op: lockLog.LOSS, other: 1 });

/** Each wait: thread, request, end, end of the hold, outcome; no times go back, no two threads hold a lock. */
async function waitsOf(rows: readonly Told[], end = END) {
  const model = await lockModel(logOf(rows), { kernel: undefined, end });
  const { waits } = model;
  const holds: { lock: number; from: number; to: number }[] = [];
  for (let row = 0; row < waits.length; row++) {
    expect(waits.end[row]).toBeGreaterThanOrEqual(waits.request[row]);
    if (Number.isNaN(waits.to[row])) continue;
    expect(waits.to[row]).toBeGreaterThanOrEqual(waits.end[row]);
    holds.push({ lock: waits.lock[row], from: waits.end[row], to: waits.to[row] });
  }
  for (const a of holds)
    for (const b of holds)
      if (a !== b && a.lock === b.lock)
        expect(Math.min(a.to, b.to)).toBeLessThanOrEqual(Math.max(a.from, b.from));
  const list = Array.from(waits.thread, (thread, row) => [
    ...[thread, waits.request[row], waits.end[row], waits.to[row]],
    m.OUTCOMES[waits.outcome[row]],
  ]);
  const counts = Object.fromEntries(
    m.LOCK_COUNTS.map(
      (name) => [name, model.counts[name].reduce((sum, count) => sum + count, 0)] as const,
    ).filter(([, count]) => count > 0),
  );
  return { model, waits, list, counts };
}

it('an unlock without a lock is counted, and hands over to who waited', async () => {
  const { list, counts, waits, model } = await waitsOf([
    request(10, 1),
    release(20, 0),
    acquire(25, 1),
    release(30, 1),
  ]);
  expect(list).toEqual([[1, 10, 25, 30, 'acquired']]);
  expect(counts).toEqual({ releaseWithoutAcquire: 1 });
  expect([waits.by[0], waits.link[0]]).toEqual([0, 20]);
  expect(Array.from(model.strays.time)).toEqual([20]);
});

it('an acquire without a request waits for nothing', async () => {
  const { list, counts, waits } = await waitsOf([acquire(10, 0), release(20, 0)]);
  expect(list).toEqual([[0, 10, 10, 20, 'acquired']]);
  expect(counts).toEqual({ acquireWithoutRequest: 1 });
  expect(waits.flags[0] & m.CONTENDED).toBe(0);
});

it('a thread that never gives back holds until the next one has the lock, or to the end', async () => {
  const { list, waits, counts } = await waitsOf([
    ...[request(10, 0), acquire(11, 0), request(20, 1), acquire(30, 1), request(40, 2)],
  ]);
  expect(list).toEqual([
    [0, 10, 11, 30, 'acquired'],
    [1, 20, 30, END, 'acquired'],
    [2, 40, END, NaN, 'unfinished'],
  ]);
  expect(counts).toEqual({ missingReleases: 1 });
  expect([0, 1].map((row) => waits.flags[row] & (m.LATE | m.OPEN))).toEqual([m.LATE, m.OPEN]);
});

it('what comes behind a destroy at the same address is another lock', async () => {
  const { list, counts } = await waitsOf([
    ...[request(10, 0), acquire(11, 0), request(12, 1), { at: 20, op: lockLog.DESTROY, thread: 0 }],
    ...[request(30, 1), acquire(31, 1), release(40, 0), release(41, 1)],
  ]);
  expect(list).toEqual([
    [0, 10, 11, 20, 'acquired'],
    [1, 12, 20, NaN, 'unfinished'],
    [1, 30, 31, 41, 'acquired'],
  ]);
  expect(counts).toEqual({ lateReleases: 1 });
});

it('a hold in which events were lost ends there, is marked and counted', async () => {
  const { list, waits, model } = await waitsOf([
    ...[request(10, 0), acquire(11, 0), request(12, 1), loss(20), acquire(30, 1), release(40, 1)],
  ]);
  expect(list).toEqual([
    [0, 10, 11, 20, 'acquired'],
    [1, 12, 30, 40, 'acquired'],
  ]);
  expect(Array.from(waits.flags, (flags) => flags & m.LOSSY)).toEqual([m.LOSSY, m.LOSSY]);
  expect(model.problems).toEqual({ 'hold ended by lost events': 1 });
});

it('losses of the kernel end no lock of a program', async () => {
  const { list, model } = await waitsOf([acquire(10, 0), { ...loss(15), other: 0 }, release(20, 0)]);
  expect(list).toEqual([[0, 10, 10, 20, 'acquired']]);
  expect(model.problems).toEqual({});
});

it('events behind the end of the kernel trace count to the last event of the log', async () => {
  const { list } = await waitsOf([request(10, 0), acquire(11, 0)], 5);
  expect(list).toEqual([[0, 10, 11, END, 'acquired']]);
});

it('events of one time give waits and holds without length, never negative ones', async () => {
  const { list } = await waitsOf([
    ...[request(10, 0), acquire(10, 0), request(10, 1), acquire(10, 1), release(10, 0), release(10, 1)],
  ]);
  expect(list).toEqual([
    [0, 10, 10, 10, 'acquired'],
    [1, 10, 10, 10, 'acquired'],
  ]);
});

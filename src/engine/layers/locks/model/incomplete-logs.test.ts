/** Logs of locks in which something is missing: what must hold all the same. */
import { expect, it } from 'vitest';
import { handLog, type HandRow } from '../../../../../test/support/hand-log.ts';
import * as lockLog from '../lock-log.ts';
import * as m from './lock-model.ts';
import { lockModel } from './make-model.ts';

const END = 1000;

const LOCKS = [
  ['mutex', '0x1'],
  ['mutex', '0x2'],
] as const;

const request = (at: number, thread: number, lock = 0): HandRow => [at, lockLog.REQUEST, thread, lock];
const acquire = (at: number, thread: number, lock = 0): HandRow => [at, lockLog.ACQUIRE, thread, lock];
const release = (at: number, thread: number, lock = 0): HandRow => [at, lockLog.RELEASE, thread, lock];
/** Of streams of user space. */
const loss = (at: number): HandRow => [at, lockLog.LOSS, -1, -1, 1];

/** Each wait: thread, request, end, end of the hold, outcome; no times go back, no two threads hold a lock. */
async function waitsOf(rows: readonly HandRow[], end = END) {
  const model = await lockModel(handLog(rows, LOCKS, END), { kernel: undefined, end });
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
    request(10, 0),
    release(20, 1),
    acquire(25, 0),
    release(30, 0),
  ]);
  expect(list).toEqual([[0, 10, 25, 30, 'acquired']]);
  expect(counts).toEqual({ releaseWithoutAcquire: 1 });
  expect([waits.by[0], waits.link[0]]).toEqual([1, 20]);
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
    ...[request(10, 0), acquire(11, 0), request(12, 1), [20, lockLog.DESTROY, 0, 0] as const],
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
  const { list, model } = await waitsOf([acquire(10, 0), [15, lockLog.LOSS, -1, -1, 0], release(20, 0)]);
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

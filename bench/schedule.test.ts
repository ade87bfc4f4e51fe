import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { efficiency, limitOf, schedule, type ChunkCost, type MeasuredRun } from './schedule.ts';
import { forAll } from '../test/support/for-all.ts';

const MANY = 1000;

function runOf(chunks: readonly Partial<ChunkCost>[], finishMs = 0): MeasuredRun {
  return {
    chunks: chunks.map((chunk) => ({ bytes: 0, decodeMs: 0, otherMs: 0, sessionMs: 0, ...chunk })),
    finishMs,
  };
}

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

describe('schedule', () => {
  const uneven = runOf([{ decodeMs: 3 }, { decodeMs: 5, otherMs: 2 }, { otherMs: 4 }, { decodeMs: 1 }], 6);

  it('takes the sum of all work with one worker', () => {
    expect(schedule(uneven, { workers: 1 }).ms).toBeCloseTo(3 + 7 + 4 + 1 + 6);
  });

  it('takes the longest chunk with as many workers as chunks', () => {
    expect(schedule(uneven, { workers: MANY }).ms).toBeCloseTo(7 + 6);
  });

  it('takes the time of reading where storage is slow', () => {
    const run = runOf(times(50, { bytes: 4e6, decodeMs: 1 }));
    const { ms, storage } = schedule(run, { workers: 8, bandwidth: 100e6 });
    expect(ms).toBeCloseTo((50 * 4e6) / 100e3 + 1);
    expect(storage).toBeGreaterThan(0.99);
    expect(limitOf(schedule(run, { workers: 8, bandwidth: 100e6 }))).toBe('storage');
  });

  it('takes the time of the session where merging is dear', () => {
    const run = runOf(times(40, { decodeMs: 2, sessionMs: 10 }), 5);
    const played = schedule(run, { workers: 16 });
    expect(played.ms).toBeCloseTo(2 + 40 * 10 + 5);
    expect(limitOf(played)).toBe('session');
  });

  it('overlaps a worker with the session', () => {
    // The session merges each chunk but the last while the worker maps the next one.
    const run = runOf(times(10, { otherMs: 4, sessionMs: 3 }));
    expect(schedule(run, { workers: 1 }).ms).toBeCloseTo(10 * 4 + 3);
    expect(schedule(run, { workers: 1, cores: 1 }).ms).toBeCloseTo(10 * 7);
  });

  it('reads ahead: a worker maps one chunk while its next one is read', () => {
    const run = runOf(times(10, { bytes: 3e6, otherMs: 5 }));
    expect(schedule(run, { workers: 1, bandwidth: 1e9 }).ms).toBeCloseTo(3 + 10 * 5);
  });

  it('waits for the session to hand out chunks when it has too few in flight', () => {
    // Two chunks each are in flight; the session takes longer than it takes all of them.
    const run = runOf(times(8, { otherMs: 1, sessionMs: 4 }));
    expect(schedule(run, { workers: 2 }).ms).toBeCloseTo(1 + 8 * 4);
  });

  it('shares cores between more threads than there are', () => {
    const run = runOf(times(40, { otherMs: 3 }));
    expect(schedule(run, { workers: 4, cores: 2 }).ms).toBeCloseTo((40 * 3) / 2);
  });

  it('gives cores to what the runtime does beside, and does not wait for it', () => {
    // From the first mapped chunk on the worker has half of a single core.
    const run = runOf(times(40, { otherMs: 3, backgroundMs: 3 }));
    expect(schedule(run, { workers: 1, cores: 1 }).ms).toBeCloseTo(3 + 39 * 6);
    expect(schedule(run, { workers: 1, cores: 2 }).ms).toBeCloseTo(40 * 3);
    expect(schedule(run, { workers: 1 }).ms).toBeCloseTo(40 * 3);
  });

  it('takes longer for a chunk before which the session slept', () => {
    const slept = runOf(times(10, { otherMs: 4, sessionMs: 1, wokenMs: 3 }));
    expect(schedule(slept, { workers: 1 }).ms).toBeCloseTo(10 * 4 + 3);
    // It sleeps before the first one only.
    const busy = runOf(times(40, { decodeMs: 2, sessionMs: 10, wokenMs: 50 }));
    expect(schedule(busy, { workers: 16 }).ms).toBeCloseTo(2 + 50 + 39 * 10);
  });

  it('takes longer where threads share a core, as long as they do', () => {
    const machine = { workers: 2, cores: 2, sharing: 1.5 };
    expect(schedule(runOf(times(40, { otherMs: 3 })), machine).ms).toBeCloseTo((40 * 3 * 1.5) / 2);
    expect(schedule(runOf([{ otherMs: 3 }]), machine).ms).toBeCloseTo(3);
    expect(schedule(runOf(times(40, { otherMs: 3 })), { ...machine, workers: 4 }).ms).toBeCloseTo(90);
  });

  it('seals full segments in workers, the last ones behind all else', () => {
    const chunks = times(4, { otherMs: 2, sessionMs: 1, sealMs: [5] });
    const run = { ...runOf(chunks, 3), sealMs: [7, 7] };
    expect(schedule(run, { workers: 1 }).ms).toBeCloseTo(4 * (2 + 5) + 2 * 7);
    // Each chunk has a worker, and each segment after it; the last two wait for the session's end.
    expect(schedule(run, { workers: 4 }).ms).toBeCloseTo(2 + 4 + 3 + 7);
  });

  it('decodes faster, and nothing else', () => {
    const run = runOf(times(10, { decodeMs: 8, otherMs: 1 }), 2);
    expect(schedule(run, { workers: 1, decodeSpeed: 4 }).ms).toBeCloseTo(10 * (2 + 1) + 2);
  });

  it('never beats the work there is, nor the storage, nor the session', async () => {
    const cost = fc.double({ min: 0, max: 20, noNaN: true });
    const chunk = fc.record({ bytes: fc.nat(8e6), decodeMs: cost, otherMs: cost, sessionMs: cost });
    const machine = fc.record({
      workers: fc.integer({ min: 1, max: 9 }),
      cores: fc.integer({ min: 1, max: 9 }),
      bandwidth: fc.double({ min: 1e8, max: 1e10, noNaN: true }),
    });
    await forAll(100, [fc.array(chunk, { minLength: 1, maxLength: 30 }), machine], (chunks, on) => {
      const sum = (of: (chunk: ChunkCost) => number) => chunks.reduce((total, one) => total + of(one), 0);
      const { ms, workers, session, storage } = schedule({ chunks, finishMs: 0 }, on);
      const least = ms * (1 + 1e-9) + 1e-6;
      const mapped = sum(({ decodeMs, otherMs }) => decodeMs + otherMs);
      const reduced = sum(({ sessionMs }) => sessionMs);
      expect(least).toBeGreaterThanOrEqual(mapped / on.workers);
      expect(least).toBeGreaterThanOrEqual(reduced);
      expect(least).toBeGreaterThanOrEqual((mapped + reduced) / on.cores);
      expect(least).toBeGreaterThanOrEqual((sum(({ bytes }) => bytes) / on.bandwidth) * 1000);
      for (const share of [workers, session, storage]) expect(share).toBeLessThanOrEqual(1 + 1e-6);
    });
  });
});

it('efficiency is 1 where work divides evenly, and 1 / N where it does not divide', () => {
  expect(efficiency(runOf(times(64, { otherMs: 1 })), { workers: 16 })).toBeCloseTo(1);
  expect(efficiency(runOf([{ otherMs: 1 }]), { workers: 4 })).toBeCloseTo(1 / 4);
});

import { beforeAll, describe, expect, it } from 'vitest';
import type { DensityRequest } from '../../../engine/protocol/rows.ts';
import { drawCodeOf } from '../../draw/draw-codes.ts';
import { densityAt, eventsIn, hitTest } from './hit-test.ts';
import { tileNs } from '../tiles/levels.ts';
import { readRow } from '../rows/row-reader.ts';
import { rowSeries } from '../tiles/series.ts';
import { answering } from '../../../../test/support/timeline/answering.ts';
import { createSyntheticSource } from '../../../../test/support/timeline/synthetic-source.ts';
import { addNumber } from '../../../engine/base/group-by.ts';
import { TileStore } from '../tiles/tile-store.ts';

const source = createSyntheticSource({ threads: 20, hosts: 1, intervalsPerThread: 2000 });
const rows = source.rows.peek();
const thread = rows.findIndex((r) => r.kind === 'thread' && r.ran && !r.kernelThread);
const series = rowSeries(rows)(rows[thread]);
const store = new TileStore(
  source,
  () => undefined,
  () => 0,
);
const LENGTH = 5_850_000_000;

/** Loads all tiles of a level. */
async function load(level: number): Promise<void> {
  for (let tile = 0; tile * tileNs(level) < LENGTH; tile++) {
    while (!store.piece(series, level, tile)) {
      store.want([series], level, tile);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
}

describe('hitTest', () => {
  const fine = 16;
  const coarse = 22;
  beforeAll(async () => {
    await load(fine);
    await load(coarse);
  });

  it('finds every interval that is wider than the pixel, with both ends', () => {
    const pixelNs = 2 ** fine;
    const wide = source.intervals(rows[thread], 0, LENGTH).filter((i) => i.to - i.from > 3 * pixelNs);
    expect(wide.length).toBeGreaterThan(100);
    let whole = 0;
    for (const interval of wide) {
      const middle = Math.floor((interval.from + interval.to) / 2);
      const hit = hitTest({ store, series, level: fine }, middle, pixelNs);
      expect(hit).toMatchObject({ kind: 'interval', value: interval.value });
      if (hit?.kind !== 'interval' || !hit.whole) continue;
      expect([hit.from, hit.to]).toEqual([interval.from, interval.to]);
      whole++;
    }
    expect(whole).toBeGreaterThan(10);
  });

  it('tells the shares of a pixel with many intervals', () => {
    const pixelNs = 2 ** coarse;
    let compared = 0;
    for (let time = 0; time < LENGTH; time += 37 * pixelNs) {
      const hit = hitTest({ store, series, level: coarse }, time, pixelNs);
      if (hit?.kind !== 'mixed') continue;
      const sums = new Map<number, number>();
      for (const interval of source.intervals(rows[thread], time, time + pixelNs)) {
        const code = drawCodeOf('thread', interval.value);
        const length = Math.min(interval.to, time + pixelNs) - Math.max(interval.from, time);
        addNumber(sums, code, length);
      }
      for (const { code, ns } of hit.parts) {
        expect(Math.abs(ns - (sums.get(code) ?? 0))).toBeLessThan(pixelNs * 0.02);
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(10);
  });

  it('reads a row without gap or overlap', () => {
    let at = 0;
    const complete = readRow({ store, series, level: fine }, 0, LENGTH, {
      interval: (begin, end) => {
        expect(begin).toBe(at);
        at = end;
      },
      mixed: (begin, end) => {
        expect(begin).toBe(at);
        at = end;
      },
    });
    expect(complete).toBe(true);
    expect(at).toBe(LENGTH);
  });

  it('says when it does not know', () => {
    const unknown = { store: new TileStore(source, () => undefined), series, level: fine };
    expect(hitTest(unknown, 0, 1000)).toBeUndefined();
    expect(readRow(unknown, 0, 1000, { interval: () => undefined })).toBe(false);
  });
});

describe('event density', () => {
  const rows = createSyntheticSource({ streams: true, threads: 2, hosts: 1 }).rows.peek();
  const series = rowSeries(rows)(rows[1]);
  /** One event a µs. */
  const density = ({ from, to, bucketNs }: DensityRequest) =>
    Float32Array.from({ length: (to - from) / bucketNs }, () => bucketNs / 1000);
  const events = new TileStore(
    answering({ density }),
    () => undefined,
    () => 0,
  );
  const row = { store: events, series, level: 10 };

  it('is not known before it has been asked for', () => {
    expect(series.kind).toBe('density');
    expect(densityAt(row, 5000).rate).toBeUndefined();
    expect(eventsIn(row, 0, 5000)).toBe(0);
  });

  it('is told at a time and over a range', async () => {
    events.want([series], row.level, 0);
    events.want([series], row.level, 1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(densityAt(row, 5000)).toMatchObject({ kind: 'density', from: 4096, to: 5120 });
    expect(densityAt(row, 5000).rate).toBeCloseTo(0.001);
    expect(eventsIn(row, 1000, 601_000)).toBeCloseTo(600);
    // Of finer levels nothing has come yet: those above tell it.
    expect(eventsIn({ ...row, level: row.level - 2 }, 1000, 601_000)).toBeCloseTo(600);
  });
});

import { describe, expect, it } from 'vitest';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { Tile } from '../../../engine/history/query-types.ts';
import type { AttributesRequest } from '../../../engine/protocol/rows.ts';
import { tileNs } from './levels.ts';
import { rowSeries } from './series.ts';
import { answering } from '../../../../test/support/timeline/answering.ts';
import { createSyntheticSource } from '../../../../test/support/timeline/synthetic-source.ts';
import { writeTile } from '../../../../test/support/timeline/tile-writer.ts';
import { TileStore } from './tile-store.ts';

const rows = createSyntheticSource({ threads: 20, hosts: 1 }).rows.peek();
const series = rowSeries(rows);
const all = rows.map((row) => series(row));
const states = all.filter((series) => series.kind === 'states').slice(0, 4);
const [process] = all.filter((series) => series.kind === 'load' && series.row.kind === 'process');

/** A store whose answers come when the test says so. */
function heldStore() {
  const asked: { attributes: readonly number[]; from: number; answer: () => Promise<void> }[] = [];
  const tile = ({ attributes, from, to, bucketNs }: AttributesRequest) =>
    new Promise<Tile<DisplayNs>>((resolve) => {
      const rowsOf = attributes.map(() => ({ kind: 'thread' as const, intervals: [] }));
      const answer = async () => {
        resolve(writeTile(rowsOf, from, to, bucketNs));
        await new Promise((done) => setTimeout(done));
      };
      asked.push({ attributes, from, answer });
    });
  const load = () => ({ used: new Float32Array(516), unknown: new Float32Array(516) });
  const density = () => new Float32Array(1);
  const source = answering({ tile, load, density });
  const clock = { now: 0 };
  const arrivals: boolean[] = [];
  const store = new TileStore(
    source,
    (isNew) => arrivals.push(isNew),
    () => clock.now,
  );
  return { asked, store, clock, arrivals };
}

describe('TileStore', () => {
  it('asks once for the rows of a block and tells of the answer', async () => {
    const { asked, store, arrivals } = heldStore();
    store.want(states, 10, 3);
    store.want(states, 10, 3);
    expect(asked.map((a) => [a.from, a.attributes.length])).toEqual([[3 * tileNs(10), 4]]);
    await asked[0].answer();
    expect(arrivals).toHaveLength(1);
    expect(store.piece(states[2], 10, 3)).toMatchObject({ kind: 'states', spans: { row: 2 } });
    store.want(states, 10, 3);
    expect(asked).toHaveLength(1);
  });

  it('has nothing else to draw when more is final, before an answer comes', async () => {
    const { asked, store } = heldStore();
    store.setWatermark(0);
    store.want(states, 10, 0);
    await asked[0].answer();
    const { version } = store;
    store.setWatermark(1000);
    expect(store.version).toBe(version);
    store.want(states, 10, 1);
    await asked[1].answer();
    expect(store.version).toBeGreaterThan(version);
  });

  it('asks only for rows that are missing', async () => {
    const { asked, store } = heldStore();
    store.want(states.slice(0, 2), 10, 0);
    await asked[0].answer();
    store.want(states, 10, 0);
    expect(asked[1].attributes).toEqual(states.slice(2).map((s) => s.row.attribute));
  });

  it('has few requests under way and says that some have to wait', () => {
    const { asked, store } = heldStore();
    const answers = Array.from({ length: 20 }, (_, tile) => store.want(states, 10, tile));
    expect(asked).toHaveLength(16);
    expect(answers.indexOf(false)).toBe(16);
  });

  it('asks again for what was not final, when it is shown later', async () => {
    const { asked, store, clock } = heldStore();
    store.setWatermark(tileNs(10) / 2);
    store.want(states, 10, 0);
    await asked[0].answer();
    clock.now = 10_000;
    store.want(states, 10, 0);
    expect(asked).toHaveLength(1);
    store.setWatermark(Infinity);
    store.want(states, 10, 0);
    expect(asked).toHaveLength(2);
    expect(store.piece(states[0], 10, 0)).toBeDefined();
  });

  it('asks again ever later while reading goes on, and at once when it ends', async () => {
    const { asked, store, clock, arrivals } = heldStore();
    const askedAt: number[] = [];
    for (; clock.now < 60_000; clock.now += 50) {
      store.setWatermark((tileNs(10) * clock.now) / 120_000);
      store.want(states, 10, 0);
      if (asked.length === askedAt.length) continue;
      askedAt.push(clock.now);
      await asked[asked.length - 1].answer();
    }
    expect(askedAt.slice(0, 4)).toEqual([0, 1050, 2350, 3950]);
    expect(askedAt[askedAt.length - 1] - askedAt[askedAt.length - 2]).toBe(10_050);
    expect(arrivals[0]).toBe(true);
    expect(arrivals.slice(1)).not.toContain(true);
    store.setWatermark(Infinity);
    store.outdate();
    store.want(states, 10, 0);
    expect(asked).toHaveLength(askedAt.length + 1);
  });

  it('keeps load with the samples beyond its borders', async () => {
    const { store } = heldStore();
    store.want([process], 10, 0);
    await new Promise((done) => setTimeout(done));
    expect(store.piece(process, 10, 0)).toMatchObject({ kind: 'load', margin: 2, capacity: 2 });
  });
});

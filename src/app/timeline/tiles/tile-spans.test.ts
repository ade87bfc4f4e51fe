import { expect, test } from 'vitest';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { HistoryQuery, Tile } from '../../../engine/history/query-types.ts';
import { tileOf } from '../../../engine/answers/rows/tiles.ts';
import { ClockTransform } from '../../../engine/sync/clock-transform.ts';
import { mixedRun, SHARES } from './tile-spans.ts';

const BUCKET = 64;

/** A run of buckets [first, end) of a tile of a thousand, in display time of a clock with this drift. */
async function shownRun(first: number, end: number, drift: number): Promise<Tile<DisplayNs>> {
  const tile: Tile = {
    from: 0,
    to: 1000 * BUCKET,
    bucketNs: BUCKET,
    rowStart: Uint32Array.of(0, 1),
    begin: Float64Array.of(first * BUCKET),
    end: Float64Array.of(end * BUCKET),
    value: Float64Array.of(-2),
    mix: Int32Array.of(3),
    shares: new Uint8Array((3 + end - first) * SHARES),
  };
  const query = { tile: () => Promise.resolve(tile) } as unknown as HistoryQuery;
  const clock = new ClockTransform([{ from: -Infinity, at: 0, shift: 7, drift }]);
  const request = { host: 0, attributes: [0], from: 7, to: 7 + tile.to, bucketNs: BUCKET };
  return tileOf({ query, clock }, request, (history, range) => history.tile(range));
}

test.each([0, 5e-5, -5e-5, 0.01])('a run has its buckets where the clock drifts by %f', async (drift) => {
  for (const [first, end] of [
    [0, 1],
    [0, 7],
    [3, 4],
    [4, 600],
    [999, 1000],
    [0, 1000],
  ]) {
    const tile = await shownRun(first, end, drift);
    const run = mixedRun(tile, 0);
    expect(run.count).toBe(end - first);
    expect(Math.abs(run.origin - tile.begin[0])).toBeLessThanOrEqual(2);
    expect(run.shares).toBe(3 * SHARES);
  }
});

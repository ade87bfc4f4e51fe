import { describe, expect, it } from 'vitest';
import {
  bucketOf,
  findKey,
  KEY,
  type Lanes,
  mergeLanes,
  MOST_BUCKETS,
  scaleOf,
  sumCells,
  uniqueKeys,
} from './lanes.ts';

describe('keys', () => {
  it('are sorted by the second, which has a sign, then the third and the first, and each there once', () => {
    const keys = Int32Array.of(5, 2, 0, -1, 2, 0, 1, 2, -9, 7, -1, 3, 5, 2, 0, 0, 2, 0, 7, -1, 3, 7, -1, 4);
    const sorted = [7, -1, 3, 7, -1, 4, 0, 2, 0, 5, 2, 0, -1, 2, 0, 1, 2, -9];
    expect([...uniqueKeys(keys)]).toEqual(sorted);
    expect(uniqueKeys(new Int32Array(0))).toHaveLength(0);
  });

  it('are found again, others are not', () => {
    const extremes = [-(2 ** 31), -1, 0, 1, 2 ** 31 - 1];
    const all = extremes.flatMap((low) =>
      extremes.flatMap((high) => extremes.map((space) => [low, high, space] as const)),
    );
    const keys = uniqueKeys(Int32Array.from(all.flat()));
    for (const key of all) {
      const at = KEY * findKey(keys, ...key);
      expect([...keys.subarray(at, at + KEY)]).toEqual(key);
      expect(findKey(keys, key[0], key[1], 2)).toBe(-1);
    }
  });
});

describe('a scale', () => {
  it('has buckets for all times, as fine as may be', () => {
    for (const [from, to] of [
      [0, 0],
      [-5, 1e9],
      [123, 123 + MOST_BUCKETS],
      [-(2 ** 60), 2 ** 62],
    ]) {
      const scale = scaleOf(from, to, 0);
      expect(bucketOf(from, scale)).toBe(0);
      expect(bucketOf(to, scale)).toBeLessThan(MOST_BUCKETS);
      if (scale.level === 0) continue;
      const half = 2 ** (scale.level - 1);
      expect(Math.floor(to / half) - Math.floor(from / half)).toBeGreaterThanOrEqual(MOST_BUCKETS);
    }
  });

  it('ends for times that are none', () => {
    expect(scaleOf(0, Infinity, 0).level).toBeLessThanOrEqual(1024);
    expect(scaleOf(NaN, NaN, 3).level).toBe(3);
  });
});

/** Events of [low, high], one in a bucket. */
function lanes(
  events: readonly (readonly [low: number, high: number, bucket: number])[],
  most: number,
): Lanes {
  const keys = uniqueKeys(Int32Array.from(events.flatMap(([low, high]) => [low, high, 0])));
  const length = Math.min(keys.length / KEY, most + 1);
  const lane = Int32Array.from(events, ([low, high]) => Math.min(findKey(keys, low, high, 0), most));
  const sum = new Float64Array(length);
  for (const at of lane) sum[at]++;
  const bucket = Uint16Array.from(events, ([, , at]) => at);
  const cells = sumCells({ lane, bucket, count: new Uint32Array(lane.length).fill(1) }, length);
  return {
    keys,
    events: sum,
    from: new Float64Array(length),
    to: new Float64Array(length).fill(99),
    ...cells,
  };
}

describe('merged lanes', () => {
  const scale = { level: 3, first: 0 };

  it('take the threads with the least keys, and all others together', () => {
    const parts = [
      lanes(
        [
          [9, 1, 0],
          [8, 1, 1],
          [7, 1, 1],
        ],
        2,
      ),
      lanes(
        [
          [1, 1, 4],
          [9, 1, 5],
          [2, 1, 5],
        ],
        2,
      ),
    ].map((one) => ({ scale, lanes: one }));
    const { lanes: merged } = mergeLanes(parts, scale, 2, 10);
    expect([...merged.keys]).toEqual([1, 2, 7, 8, 9].flatMap((tid) => [tid, 1, 0]));
    expect([...merged.events]).toEqual([1, 1, 4]);
    const others = [...merged.bucket.slice(merged.cellStart[2]), ...merged.count.slice(merged.cellStart[2])];
    expect(others).toEqual([0, 1, 5, 1, 2, 1]);
  });

  it('keep no more keys than are to be told apart, and all events', () => {
    const parts = [1, 2, 3, 4, 5].map((tid) => ({ scale, lanes: lanes([[tid, 1, tid]], 2) }));
    const { lanes: merged } = mergeLanes(parts, scale, 2, 4);
    expect([...merged.keys]).toEqual([1, 2, 3, 4].flatMap((tid) => [tid, 1, 0]));
    expect([...merged.events]).toEqual([1, 1, 3]);
  });

  it('come to a wider scale', () => {
    const parts = [
      {
        scale: { level: 2, first: 7 },
        lanes: lanes(
          [
            [1, 1, 0],
            [1, 1, 1],
            [1, 1, 2],
          ],
          2,
        ),
      },
      { scale: { level: 3, first: 2 }, lanes: lanes([[1, 1, 2]], 2) },
    ];
    const { lanes: merged } = mergeLanes(parts, { level: 3, first: 2 }, 2, 10);
    // 28, 32 and 36 ns, and 32 ns.
    expect([[...merged.bucket], [...merged.count]]).toEqual([
      [1, 2],
      [1, 3],
    ]);
  });
});

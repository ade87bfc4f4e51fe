import { describe, expect, it } from 'vitest';
import { type Recording, recordedAt, trendOf, trendSentence } from './trend.ts';

const definition = { begin: 'a', end: 'b', key: [], acrossThreads: false, where: [], minNs: 0 };

/** A recording of so many executions whose median is the given one, spread over a tenth of it. */
function recording(second: number, medianNs: number, count = 41): Recording {
  const middle = (count - 1) / 2;
  const sorted = Float64Array.from(
    { length: count },
    (_, i) => medianNs * (1 + (0.05 * (i - middle)) / (middle || 1)),
  );
  const name = `r${second}`;
  return { file: name, name, trace: name, originNs: `${second}000000000`, definition, sorted };
}

const ns = (value: number) => `${Math.round(value)} ns`;

describe('a trend', () => {
  it('is in order of recording time, whatever order files come in', () => {
    const { points } = trendOf([recording(30, 100), recording(4, 100), recording(20, 100)]);
    expect(points.map(({ file }) => file)).toEqual(['r4', 'r20', 'r30']);
    expect(points.map(recordedAt)[0]).toBe('1970-01-01 00:00:04');
    expect(recordedAt({ originNs: '99999999999999999999' })).toBe('5138-11-16 09:46:39');
    expect(recordedAt({ originNs: '-5000000' })).toBe('-5000000 ns');
  });

  it('has median and 95th percentile by nearest rank', () => {
    const sorted = Float64Array.from({ length: 20 }, (_, i) => i + 1);
    const [point] = trendOf([{ ...recording(1, 1), sorted }]).points;
    expect([point.medianNs, point.p95Ns]).toEqual([10, 19]);
  });

  it('finds the first recording that is a tenth above all before, by more than they vary', () => {
    const medians = [100, 120, 105, 131, 133, 200];
    const trend = trendOf(medians.map((median, i) => recording(i + 1, median)));
    // 120 is above 100; what comes later is slower too, but not first.
    expect(trend.slower).toMatchObject({ point: 1, beforeNs: 100 });
    const later = trendOf([100, 109, 105, 119, 125].map((median, i) => recording(i + 1, median)));
    // 109, 119 are less than a tenth above the largest before; 125 is above 100, but not above 119.
    expect(later.slower).toBeUndefined();
    expect(trendSentence(later, ns)).toBe('No recording is slower than all before it.');
    const found = trendOf([100, 98, 115].map((median, i) => recording(i + 1, median)));
    expect(trendSentence(found, ns)).toMatch(
      /^The first slower one is r3: its median is 115 ns, 15 % above the largest before \(100 ns\), \d\.\d standard deviations on average\.$/,
    );
  });

  it('calls nothing slower that lies within normal variation', () => {
    // The median is half as much again, but single executions take a thousand times as long in both.
    const wide = (second: number, median: number) => {
      const sorted = Float64Array.from({ length: 41 }, (_, i) => (i < 30 ? median : 1e5)).sort();
      return { ...recording(second, median), sorted };
    };
    expect(trendOf([wide(1, 100), wide(2, 150)]).slower).toBeUndefined();
  });

  it('is not known of too few executions, which count for nothing else', () => {
    const alone = trendOf([recording(1, 100), recording(2, 500, 4)]);
    expect([alone.slower, alone.points.map(({ isKnown }) => isKnown)]).toEqual([undefined, [true, false]]);
    expect(trendSentence(alone, ns)).toMatch(/^Whether one is slower is not known: two recordings of 5/);
    const found = trendOf([recording(1, 100), recording(2, 500, 3), recording(3, 120), recording(4, 100, 0)]);
    expect(found.slower).toMatchObject({ point: 2, beforeNs: 100 });
    expect(trendSentence(found, ns)).toMatch(/2 of fewer than 5 executions are left out\.$/);
    expect(trendOf([]).points).toEqual([]);
  });

  it('has an effect of null where nothing varies', () => {
    const same = (second: number, value: number) => ({
      ...recording(second, value),
      sorted: new Float64Array(9).fill(value),
    });
    expect(trendOf([same(1, 100), same(2, 100)]).slower).toBeUndefined();
    expect(trendOf([same(1, 0), same(2, 0)]).slower).toBeUndefined();
  });
});

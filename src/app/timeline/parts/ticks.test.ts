import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisOf, relativeLabel } from './ticks.ts';
import { exactTime, type TimeStyle } from '../time-text.ts';
import { viewportOf, xOfTime } from '../view/viewport.ts';
import { forAll } from '../../../../test/support/for-all.ts';

const RELATIVE: TimeStyle = { mode: 'relative', originNs: '' };
const UTC: TimeStyle = { mode: 'utc', originNs: '1715954571204113907' };
const plain = (text: string | undefined) => text?.replaceAll('\u2009', ' ');
const labels = (from: number, to: number, style = RELATIVE) =>
  axisOf(viewportOf({ from, to }), 1000, style).ticks.map((tick) => plain(tick.label));

describe('axisOf', () => {
  it('labels seconds, milliseconds and ns with the digits of the step', () => {
    expect(labels(0, 5e9).slice(0, 3)).toEqual(['0.0 s', '0.5 s', '1.0 s']);
    expect(labels(0, 50e6).slice(0, 3)).toEqual(['0 ms', '5 ms', '10 ms']);
    expect(labels(0, 300).slice(0, 3)).toEqual(['0 ns', '50 ns', '100 ns']);
  });

  it('counts from a round base where full labels would be long', () => {
    const axis = axisOf(viewportOf({ from: 4_236_400_980, to: 4_236_401_030 }), 1000, RELATIVE);
    expect(plain(axis.leading)).toBe('4 236 400 µs');
    expect(axis.ticks.map((tick) => plain(tick.label))).toEqual([
      '+980 ns',
      '+985 ns',
      '+990 ns',
      '+995 ns',
      '4 236 401 µs',
      '+5 ns',
      '+10 ns',
      '+15 ns',
      '+20 ns',
      '+25 ns',
    ]);
    expect(axis.ticks[4].base).toBe(true);
  });

  it('has ticks on round clock times in UTC', () => {
    expect(labels(0, 200e9, UTC).slice(0, 2)).toEqual(['14:03:00', '14:03:30']);
    expect(labels(0, 5e9, UTC)[0]).toBe('14:02:51.5');
  });

  it('keeps its ticks apart, in order and exact, at any zoom', async () => {
    // All sums stay below 2^53, where times are exact.
    const start = fc.integer({ min: 0, max: 2e15 });
    const span = fc.integer({ min: 3, max: 51 }).map((bits) => 2 ** bits);
    await forAll(100, [start, span, fc.constantFrom(RELATIVE, UTC)], (from, length, style) => {
      const view = viewportOf({ from, to: from + length });
      const { ticks, stepNs } = axisOf(view, 1200, style);
      expect(ticks.length).toBeLessThanOrEqual(1200 / 90 + 2);
      ticks.forEach((tick, i) => {
        expect(Number.isInteger(tick.timeNs)).toBe(true);
        const x = xOfTime(view, 1200, tick.timeNs);
        expect(x).toBeGreaterThanOrEqual(0);
        expect(x).toBeLessThan(1200);
        if (i > 0) expect(tick.timeNs - ticks[i - 1].timeNs).toBe(stepNs);
      });
      if (stepNs > 1) expect((stepNs / view.span) * 1200).toBeGreaterThanOrEqual(89.9);
    });
  });
});

describe('labels', () => {
  it('write a time in the unit of the step', () => {
    expect(plain(relativeLabel(4_236_412_345, 1000))).toBe('4 236 412 µs');
    expect(plain(relativeLabel(4_236_412_345, 1e5))).toBe('4 236.4 ms');
  });

  it('write any point in time to the ns', () => {
    expect(plain(exactTime(4_236_400_213, RELATIVE))).toBe('4.236 400 213 s');
    expect(plain(exactTime(1, UTC))).toBe('14:02:51.204 113 908');
  });
});

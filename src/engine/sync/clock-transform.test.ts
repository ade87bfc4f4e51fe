import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { HostNs } from '../base/units.ts';
import { ClockTransform, composed, inverted, valueAt, type ClockLine } from './clock-transform.ts';
import { forAll } from '../../../test/support/for-all.ts';

const DAY_NS = 86_400_000_000_000;
/** Parts of a ns in which lines are given exactly. */
const PARTS = 1024;

/** Drifts that a double holds exactly: k / 2^40, up to 1000 ppm. */
const drifts = fc.integer({ min: -(2 ** 30), max: 2 ** 30 }).map((k) => k / 2 ** 40);
const lines = fc.record({
  at: fc.integer({ min: -DAY_NS, max: DAY_NS }),
  shift: fc.integer({ min: -DAY_NS * 100, max: DAY_NS * 100 }).map((parts) => parts / PARTS),
  drift: drifts,
});
const times = fc.integer({ min: -DAY_NS, max: DAY_NS });

function line(of: Omit<ClockLine, 'from'>): ClockLine {
  return { from: -Infinity, ...of };
}

/** The same in whole numbers, in 2^-50 ns. */
function exactly({ at, shift, drift }: Omit<ClockLine, 'from'>, time: number): bigint {
  const k = BigInt(drift * 2 ** 40);
  const shifted = (BigInt(time) << 50n) + (BigInt(shift * PARTS) << 40n);
  return shifted + ((k * BigInt(time - at)) << 10n);
}

describe('a transform', () => {
  test('is within 1 ns of exact arithmetic over a day', () =>
    forAll(2000, [lines, times], (of, time) => {
      const value = BigInt(new ClockTransform([line(of)]).toExperiment(time)) << 50n;
      const error = value - exactly(of, time);
      expect(error < 1n << 50n && error > -(1n << 50n)).toBe(true);
    }));

  test('never goes back, in whatever order it is asked', () =>
    forAll(1000, [fc.array(lines, { minLength: 1, maxLength: 4 }), fc.array(times)], (several, asked) => {
      const begins = several.map(({ at }) => at).sort((a, b) => a - b);
      const transform = new ClockTransform(
        several.map((of, i) => ({ ...of, from: i === 0 ? -Infinity : begins[i] })),
      );
      const all = [...asked, ...asked.map((time) => time + 1)];
      const answers = all.map((time) => [time, transform.toExperiment(time)]);
      const column = transform.columnToExperiment(Float64Array.from(all));
      expect([...column]).toEqual(answers.map(([, answer]) => answer));
      answers.sort(([a], [b]) => a - b);
      for (let i = 1; i < answers.length; i++)
        expect(answers[i][1]).toBeGreaterThanOrEqual(answers[i - 1][1]);
    }));

  test('leads back to the time that it came from, within 1 ns', () =>
    forAll(1000, [lines, times], (of, time) => {
      const transform = new ClockTransform([line(of)]);
      expect(Math.abs(transform.toHost(transform.toExperiment(time)) - time)).toBeLessThanOrEqual(1);
    }));

  test('lets lengths differ by the drift and 2 ns', () =>
    forAll(1000, [lines, times, fc.integer({ min: 0, max: DAY_NS })], (of, begin, length) => {
      const transform = new ClockTransform([line(of)]);
      const shown = transform.toExperiment(begin + length) - transform.toExperiment(begin);
      expect(Math.abs(shown - length)).toBeLessThanOrEqual(Math.abs(of.drift) * length + 2);
    }));

  test('of equal clocks changes nothing, fractions and what is no time included', () => {
    const same = new ClockTransform([line({ at: 5, shift: 7, drift: 0 })]);
    expect([same.toExperiment(1), same.toHost(8), same.toHost(8.25)]).toEqual([8, 1, 1.25]);
    expect([same.toExperiment(-Infinity), same.toHost(Infinity)]).toEqual([-Infinity, Infinity]);
    expect(same.toExperiment(NaN)).toBeNaN();
  });

  test('takes times of its host alone, and leads back from display time alone', () => {
    const later = new ClockTransform([line({ at: 0, shift: 7, drift: 0 })]);
    const host: HostNs = 1;
    const display = later.toExperiment(host);
    expect(later.toHost(display)).toBe(host);
    // @ts-expect-error A display time is no time of the host.
    expect(later.toExperiment(display)).toBe(15);
    // @ts-expect-error A time of the host is no display time.
    expect(later.toHost(host)).toBe(-6);
    const column = later.columnToExperiment(Float64Array.of(host));
    // @ts-expect-error The same of columns.
    expect([...later.columnToExperiment(column)]).toEqual([15]);
    // @ts-expect-error The same of what is in them.
    expect(later.toExperiment(column[0])).toBe(15);
  });
});

describe('lines', () => {
  test('inverted lead back, composed lead both ways', () =>
    forAll(100, [lines, lines, times], (a, b, time) => {
      const [first, second] = [line(a), line(b)];
      const middle = valueAt(first, time);
      expect(Math.abs(valueAt(inverted([first])[0], middle) - time)).toBeLessThan(0.1);
      const [both] = composed([first], [second]);
      expect(Math.abs(valueAt(both, time) - valueAt(second, middle))).toBeLessThan(0.1);
    }));

  test('composed break where either breaks', () => {
    const steps = [
      { from: -Infinity, at: 0, shift: 0, drift: 0 },
      { from: 100, at: 100, shift: 50, drift: 0 },
    ];
    const late = [
      { from: -Infinity, at: 0, shift: 1, drift: 0 },
      { from: 200, at: 200, shift: 2, drift: 0 },
    ];
    const both = composed(steps, late);
    expect(both.map(({ from, shift }) => [from, shift])).toEqual([
      [-Infinity, 1],
      [100, 51],
      [150, 52],
    ]);
  });
});

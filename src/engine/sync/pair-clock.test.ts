import { expect, test } from 'vitest';
import { valueAt } from './clock-transform.ts';
import { PairClock } from './pair-clock.ts';

/** Packets to and fro, one each ms of a second, which take 50 µs; the second clock is 7 s ahead and drifts. */
function clockOf(drift: number, delays: (i: number) => number = () => 50_000): PairClock {
  const clock = new PairClock();
  const other = (time: number) => Math.round(7e9 + time * (1 + drift));
  for (let i = 0; i < 1000; i++) {
    const at = i * 1e6;
    if (i % 2 === 0) clock.add(at, other(at + delays(i)), true);
    else clock.add(at + delays(i), other(at), false);
  }
  clock.settle();
  return clock;
}

test('a slope that packets tell apart from 1 is kept', () => {
  const clock = clockOf(300e-6);
  const [line] = clock.lines() ?? [];
  expect(clock.state).toBe('accurate');
  expect(Math.abs(line.drift - 300e-6)).toBeLessThanOrEqual(clock.driftUncertainty);
});

test('one within its uncertainty is 1; offset and uncertainty are those of the tightest packets', () => {
  const clock = clockOf(20e-6, (i) => (i === 0 ? 40_000 : 50_000));
  const [line] = clock.lines() ?? [];
  expect([clock.state, line.drift]).toEqual(['accurate', 0]);
  // To: 7 s and 40 µs; fro: at most 7 s less 50 µs, at the end 20 µs more.
  const [most, least] = [7e9 + 40_001, 7e9 - 50_000 + 19_980];
  expect(Math.abs(valueAt(line, 0) - (most + least) / 2)).toBeLessThan(2);
  expect(Math.abs(clock.uncertainty() - (most - least) / 2)).toBeLessThan(2);
  expect(clock.driftUncertainty).toBeGreaterThan(20e-6);
});

test('one that no clock has is 1 where packets allow that, else the clocks have failed', () => {
  expect(clockOf(800e-6).state).toBe('failed');
  expect(clockOf(800e-6, () => 2e6).lines()?.[0].drift).toBe(0);
});

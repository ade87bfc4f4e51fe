import { expect, test } from 'vitest';
import { logScale, tickText } from './scale.ts';

test('a wide axis has powers of ten', () => {
  const { place, ticks } = logScale(500, 5_000_000);
  expect(ticks.map(tickText)).toEqual(['1\u2009µs', '10\u2009µs', '100\u2009µs', '1\u2009ms']);
  expect(place(500)).toBe(0);
  expect(place(5_000_000)).toBe(1);
  expect(place(50_000)).toBeCloseTo(0.5);
});

test('ticks keep apart where there is little room for them', () => {
  expect(logScale(500, 5_000_000, 0.3).ticks.map(tickText)).toEqual(['1\u2009µs', '100\u2009µs']);
});

test('a narrow one has steps between them', () => {
  expect(logScale(15_000, 120_000).ticks.map(tickText)).toEqual(['20\u2009µs', '50\u2009µs', '100\u2009µs']);
});

test('one single duration and none at all have an axis, too', () => {
  expect(logScale(0, 0).place(0)).toBe(0);
  expect(logScale(1000, 1000).place(1000)).toBe(0);
});

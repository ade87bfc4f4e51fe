import { expect, it } from 'vitest';
import { offsetByMoment, offsetNsOf } from './clock-form.tsx';

it('reads offsets with their units, to the nanosecond', () => {
  expect(offsetNsOf('-5.508865001 s')).toBe(-5_508_865_001n);
  expect(offsetNsOf('+3ms')).toBe(3_000_000n);
  expect(offsetNsOf('−1.5 µs')).toBe(-1500n);
  expect(offsetNsOf('12')).toBe(12n);
  expect(offsetNsOf('1234567890123456789 ns')).toBe(1_234_567_890_123_456_789n);
});

it('takes nothing else', () => {
  for (const text of ['', 's', '1.5', '1.0000000001 s', '3 h', '1e9', '--1'])
    expect(offsetNsOf(text)).toBeUndefined();
  // 600 years: further than times of traces go.
  expect(offsetNsOf('19000000000 s')).toBeUndefined();
});

it('moves an event of one host to the time of another, where its clock runs as it is shown', () => {
  const given = { source: 'offset', offsetNs: -5_400_000_000 };
  expect(offsetByMoment(given, 1_500_000_000, 1_600_000_001)).toBe(-5_299_999_999n);
  expect(offsetByMoment({ source: 'start', offsetNs: 7 }, 3, 1)).toBe(5n);
  expect(offsetByMoment({ source: 'packets', offsetNs: 7 }, 3, 1)).toBeUndefined();
  expect(offsetByMoment(given, undefined, 1)).toBeUndefined();
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from './bytes.ts';
import { INTERVAL_BYTES, IntervalReader, IntervalWriter } from './interval-codec.ts';
import { GAP, MIXED } from './intervals.ts';
import { forAll } from '../../../test/support/for-all.ts';

interface TestInterval {
  readonly duration: number;
  readonly value: number;
}

function encode(intervals: readonly TestInterval[], out = new ByteWriter()): ByteWriter {
  const writer = new IntervalWriter(out);
  writer.begin();
  for (const { duration, value } of intervals) writer.write(duration, value);
  return out;
}

function decode(count: number, bytes: Uint8Array, at = 0): TestInterval[] {
  const reader = new IntervalReader();
  reader.open(bytes, at, 0);
  return Array.from({ length: count }, () => {
    // Sums of lengths near 2^53 would not be exact.
    reader.end = 0;
    reader.read();
    return { duration: reader.end, value: reader.value };
  });
}

describe('intervals as bytes', () => {
  it('come back', async () => {
    const interval = fc.record({
      duration: fc.oneof(
        fc.integer({ min: 1, max: 5000 }),
        fc.integer({ min: 1, max: 2 ** 53 - 2 ** 31 }),
        fc.constantFrom(...[9, 17, 25, 32, 33, 49].flatMap((bits) => [2 ** bits - 1, 2 ** bits])),
      ),
      value: fc.oneof(
        fc.constantFrom(GAP, MIXED, Number.MAX_SAFE_INTEGER - 2),
        fc.nat(20),
        fc.integer({ min: 0, max: 2 ** 40 }),
      ),
    });
    await forAll(100, [fc.array(interval, { maxLength: 40 })], (intervals) => {
      const out = encode(intervals);
      expect(decode(intervals.length, out.bytes)).toEqual(intervals);
      expect(out.length).toBeLessThanOrEqual(intervals.length * INTERVAL_BYTES);
    });
  });

  it('take two bytes for a short state, three for up to 0.1 ms, and no more for a cause met before', () => {
    expect(encode([{ duration: 511, value: 3 }]).length).toBe(2);
    expect(encode([{ duration: 131_071, value: 3 }]).length).toBe(3);
    const woken = { duration: 1, value: 6 + 16 + 512 * 90 };
    expect(encode([woken]).length).toBe(4);
    expect(encode([woken, woken, woken]).length).toBe(6);
  });

  it('begin each run without memory of the one before', () => {
    const intervals = [{ duration: 100, value: 1000 }];
    const out = encode(intervals);
    const second = out.length;
    encode(intervals, out);
    expect(decode(1, out.bytes, second)).toEqual(intervals);
  });
});

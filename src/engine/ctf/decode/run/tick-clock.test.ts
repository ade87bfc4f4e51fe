import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cyclesToNs, type ClockMap } from './clock-map.ts';
import { TickClock } from './tick-clock.ts';
import { forAll } from '../../../../../test/support/for-all.ts';

function give(clock: TickClock, value: bigint, bits: number): void {
  clock.update(Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n)), bits);
}

function valueOf(clock: TickClock): bigint {
  const words = new Int32Array(2);
  clock.writeValue(words, 0);
  return BigInt.asUintN(64, (BigInt(words[1]) << 32n) | BigInt(words[0] >>> 0));
}

/** The rule of CTF 1.8.3 section 8: the low bits are replaced; if they are smaller than before, they have wrapped. */
function replaceLow(before: bigint, value: bigint, bits: number): bigint {
  const modulus = 1n << BigInt(bits);
  const replaced = before - (before % modulus) + value;
  return BigInt.asUintN(64, bits < 64 && replaced < before ? replaced + modulus : replaced);
}

const map: ClockMap = { frequency: 1_000_000_000n, ticksOffset: 0n, baseNs: 0n };

describe('clock values', () => {
  test('n-bit values as the specification says, from any value', async () => {
    const step = fc.tuple(fc.constantFrom(1, 5, 27, 31, 32, 33, 48, 63, 64), fc.bigInt(0n, 2n ** 64n - 1n));
    await forAll(100, [fc.bigInt(0n, 2n ** 64n - 1n), fc.array(step, { maxLength: 20 })], (begin, steps) => {
      const clock = new TickClock(map);
      clock.set(begin);
      let expected = begin;
      for (const [bits, random] of steps) {
        const value = BigInt.asUintN(bits, random);
        expected = replaceLow(expected, value, bits);
        give(clock, value, bits);
        expect(valueOf(clock)).toBe(expected);
        expect(clock.low[0]).toBe(Number(BigInt.asIntN(32, expected)));
      }
    });
  });

  test('27 bits that wrap', () => {
    const clock = new TickClock(map);
    clock.set((5n << 27n) | 0x7fffff0n);
    give(clock, 0x10n, 27);
    expect(valueOf(clock)).toBe((6n << 27n) | 0x10n);
  });
});

describe('times', () => {
  const frequency = fc.oneof(
    fc.constantFrom(1n, 3n, 1000n, 12_000_000n, 2_393_715_000n, 999_999_937n, 1_000_000_000n, 2n ** 60n + 1n),
    fc.bigInt(1n, 10n ** 10n),
  );

  test('are rounded down, and beyond 2^53 ns the nearest double, whatever the frequency and base', async () => {
    const begin = fc.oneof(fc.bigInt(0n, 2n ** 50n), fc.bigInt(0n, 2n ** 64n - 1n));
    const far = fc.constantFrom(0n, 0n, 2n ** 53n + 1n, -(2n ** 63n), 2n ** 90n + 12_345n);
    const steps = fc.array(fc.integer({ min: 0, max: 2 ** 32 - 1 }), { minLength: 1, maxLength: 10 });
    await forAll(
      500,
      [frequency, fc.bigInt(0n, 10n ** 9n), begin, far, steps],
      (hertz, offset, cycles, ns, deltas) => {
        const ticksOffset = hertz === 1_000_000_000n ? 0n : offset % hertz;
        const baseNs = cyclesToNs(cycles, hertz, ticksOffset) - ns;
        const clock = new TickClock({ frequency: hertz, ticksOffset, baseNs });
        clock.set(cycles);
        for (const delta of deltas) {
          give(clock, BigInt.asUintN(32, valueOf(clock) + BigInt(delta)), 32);
          const exact = cyclesToNs(clock.total, hertz, ticksOffset) - baseNs;
          expect(clock.timeAt(clock.state[0])).toBe(Number(exact));
        }
      },
    );
  });

  test('a clock that goes back gives earlier times', () => {
    const clock = new TickClock({ frequency: 3n, ticksOffset: 0n, baseNs: 0n });
    clock.set(10n);
    give(clock, 1n, 64);
    expect(clock.timeAt(clock.state[0])).toBe(333_333_333);
  });
});

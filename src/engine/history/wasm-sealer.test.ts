import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { IDS } from './groups.ts';
import { Sealer, type SealedBytes, type SealJob } from './seal.ts';
import type { ValueScheme } from './types.ts';
import { createSealer, WasmSealer } from './wasm-sealer.ts';
import { forAll } from '../../../test/support/for-all.ts';

const scheme: ValueScheme = {
  id: 'test',
  states: 16,
  groupOf: (value) => (value & 15) % 6,
  causeOf: (value) => (value >> 4) & 15,
};
const schemeOf = () => scheme;

/**
 * Two attributes of many short and a few very long intervals, one that continues, one constant, gaps, and a patch.
 * @param far end of one more interval of each, which a damaged time made
 */
function job(intervals: number, far?: number): SealJob {
  const attribute: number[] = [];
  const end: number[] = [];
  const value: number[] = [];
  let time = 1000;
  for (let i = 0; i < intervals; i++) {
    time += i % 97 === 0 ? 2 ** 33 + i : (i * 7919) % 5000;
    attribute.push(i === 0 ? ~3 : 3 + (i % 2));
    end.push(time + (i % 2));
    value.push(i % 50 === 7 ? -1 : (i * 31) % 4000);
  }
  if (far !== undefined) {
    attribute.push(3, 4);
    end.push(far, far);
    value.push(1000, 2);
  }
  const to = far ?? time + 10;
  return {
    index: 0,
    from: 1000,
    to,
    length: attribute.length + 1,
    attribute: Int32Array.from([...attribute, 9]),
    end: Float64Array.from([...end, to]),
    value: Float64Array.from([...value, 6]),
    touched: Int32Array.of(9, 4, 3, 70_000),
    scheme: Int8Array.of(0, -2, 0, -1),
    schemes: ['test'],
    patches: [{ attribute: 3, begin: 400, value: 2 ** 40 }],
    outline: 12,
  };
}

/** The greatest one that the kernel tells from others. */
const MOST_VALUE = 2 ** 32 - 4;

interface PlannedInterval {
  readonly attribute: number;
  readonly duration: number;
  readonly value: number;
}

/** Few attributes, each with intervals of all lengths, some with the value of the one before. */
const plannedIntervals = fc.array(
  fc.record({
    attribute: fc.nat(4),
    duration: fc.nat(36).chain((bits) => fc.integer({ min: 1, max: 2 ** bits })),
    value: fc.oneof(
      fc.integer({ min: -1, max: 9 }),
      fc.nat(60),
      fc.integer({ min: 0, max: MOST_VALUE }),
      fc.constantFrom(2 ** 31 - 1, 2 ** 31, MOST_VALUE),
    ),
  }),
  { maxLength: 600 },
);

/** The segment of these intervals; the first of each odd attribute continues an interval. */
function plannedJob(intervals: readonly PlannedInterval[], from: number, outline: number): SealJob {
  const ends = new Map<number, number>();
  const values = new Map<number, number>();
  const kept: { attribute: number; end: number; value: number }[] = [];
  for (const { attribute, duration, value } of intervals) {
    if (value === -1 && values.get(attribute) === -1) continue;
    const end = (ends.get(attribute) ?? from) + duration;
    const continues = !ends.has(attribute) && value !== -1 && attribute % 2 === 1;
    kept.push({ attribute: continues ? ~attribute : attribute, end, value });
    ends.set(attribute, end);
    values.set(attribute, value);
  }
  return {
    index: 0,
    from,
    to: Math.max(from, ...ends.values()) + (intervals.length % 3),
    length: kept.length,
    attribute: Int32Array.from(kept, (interval) => interval.attribute),
    end: Float64Array.from(kept, (interval) => interval.end),
    value: Float64Array.from(kept, (interval) => interval.value),
    touched: Int32Array.of(2, 0, 1, 4, 3),
    scheme: Int8Array.of(0, 0, 0, -1, -2),
    schemes: ['test'],
    patches: [],
    outline,
  };
}

/** As `toEqual`, which takes seconds for many bytes. */
function expectSame(actual: SealedBytes, expected: SealedBytes): void {
  for (const part of ['directory', 'blocks', 'outline'] as const)
    expect(Buffer.compare(actual[part], expected[part]), part).toBe(0);
}

afterEach(() => vi.unstubAllGlobals());

function expectSealed(wasm: WasmSealer, sealed: SealJob): void {
  expectSame(wasm.seal(sealed), new Sealer(schemeOf).seal(sealed));
}

test.each([0, 1, 2, 500, 60_000])('the same bytes as the definition: %i intervals', (intervals) => {
  const wasm = new WasmSealer(schemeOf);
  expectSealed(wasm, job(intervals));
  // Again, in memory that has been used.
  wasm.seal(job(3));
  expectSealed(wasm, job(intervals));
});

test.each([48, 50, 51, 52, 53, 56, 60, 63, 64, 94])('the same bytes where times are 2^%i ns', (power) => {
  const wasm = new WasmSealer(schemeOf);
  for (let times = 0; times < 3; times++) expectSealed(wasm, job(500, 2 ** power));
});

test.each([2 ** 32 - 3, 2 ** 32, 2 ** 40 + 9, 2 ** 52, 2 ** 53 - 3])(
  'the same bytes where one value is %i',
  (value) => {
    for (const wasm of [new WasmSealer(schemeOf), new WasmSealer(schemeOf, 100)]) {
      const wide = job(500);
      wide.value[320] = value;
      expectSealed(wasm, wide);
      expectSealed(wasm, job(500));
    }
  },
);

test.each([undefined, 1, 100, 400])(
  'the same bytes for random intervals and outlines, of which about %s are sorted at a time',
  async (partIntervals) => {
    const wasm = new WasmSealer(schemeOf, partIntervals);
    for (const intervals of [0, 1, 500, 5000]) expectSealed(wasm, job(intervals));
    const begin = fc.integer({ min: -(2 ** 45), max: 2 ** 45 });
    const outlines = fc.integer({ min: -1, max: 26 });
    await forAll(150, [plannedIntervals, begin, outlines], (intervals, from, outline) =>
      expectSealed(wasm, plannedJob(intervals, from, outline)),
    );
  },
);

test('the same bytes where some values are ids', () => {
  const ids: SealJob = { ...job(5000), scheme: Int8Array.of(0, IDS, 0, IDS) };
  const sealed = new WasmSealer(schemeOf).seal(ids);
  expectSame(sealed, new Sealer(schemeOf).seal(ids));
  expect(sealed.directory.length).toBeGreaterThan(new Sealer(schemeOf).seal(job(5000)).directory.length);
});

test('without WebAssembly the definition seals', () => {
  vi.stubGlobal('WebAssembly', undefined);
  const sealer = createSealer(schemeOf);
  expect(sealer).toBeInstanceOf(Sealer);
  expect(sealer.seal(job(100)).directory.length).toBeGreaterThan(0);
});

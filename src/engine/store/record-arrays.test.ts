import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinArrays, splitArrays } from './record-arrays.ts';
import { forAll } from '../../../test/support/for-all.ts';

/** What a store would give back of a record whose arrays' bytes were written one after the other. */
function stored(value: unknown): unknown {
  const { rest, arrays } = splitArrays(value);
  const all = new Uint8Array(arrays.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const array of arrays) {
    all.set(array, at);
    at += array.length;
  }
  return joinArrays(
    structuredClone(rest),
    arrays.map(({ length }) => length),
    all.buffer,
  );
}

const LARGE = 5000;
const array = fc
  .tuple(fc.constantFrom(Uint8Array, Int32Array, Float64Array, BigInt64Array), fc.constantFrom(0, 3, LARGE))
  .map(([Type, length]) => new Type(length));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.oneof(fc.string(), fc.double(), fc.constant(undefined), fc.constant(null), array),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
    fc.array(fc.tuple(fc.integer(), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
  ),
}));

describe('the arrays of a record', () => {
  it('come back where they were, as in a structured clone', () =>
    forAll(100, [value], (record) => {
      expect(stored(record)).toEqual(structuredClone(record));
    }));

  it('keep their bytes, also as a part of a larger buffer', () => {
    const numbers = Float64Array.from({ length: 1000 }, (_, i) => i / 3);
    const bytes = Uint8Array.from({ length: LARGE }, (_, i) => i);
    const record = { a: [numbers.subarray(100, 900), { bytes }], few: new Uint8Array([1, 2, 3]) };
    expect(stored(record)).toEqual({ a: [numbers.slice(100, 900), { bytes }], few: record.few });
  });

  it('each have a buffer of their own', () => {
    const columns = stored([new Uint8Array(LARGE), new Uint8Array(LARGE)]) as Uint8Array[];
    expect(columns.map(({ buffer }) => buffer.byteLength)).toEqual([LARGE, LARGE]);
    expect(columns[0].buffer).not.toBe(columns[1].buffer);
  });

  it('leave nothing large behind, and what holds none as it is', () => {
    const plain = { list: [{ name: 'x' }], map: new Map([[1, [new Uint8Array(8)]]]) };
    const { rest, arrays } = splitArrays({ plain, large: new Float64Array(LARGE) });
    expect(rest).toEqual({ plain, large: new Float64Array(0) });
    expect((rest as { plain: unknown }).plain).toBe(plain);
    expect(arrays.map(({ length }) => length)).toEqual([8 * LARGE]);
  });
});

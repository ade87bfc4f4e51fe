import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter, VARINT_BYTES } from './bytes.ts';
import { forAll } from '../../../test/support/for-all.ts';

describe('bytes', () => {
  it('reads back every whole number', async () => {
    const limits = [
      0,
      127,
      128,
      2 ** 28 - 1,
      2 ** 28,
      2 ** 31,
      2 ** 32,
      2 ** 35 + 1,
      Number.MAX_SAFE_INTEGER,
      2 ** 56,
      2 ** 98 - 2 ** 45,
    ];
    const number = fc.oneof(fc.constantFrom(...limits), fc.maxSafeNat(), fc.nat(1000));
    await forAll(100, [fc.array(number)], (numbers) => {
      const writer = new ByteWriter(1);
      for (const value of numbers) writer.varint(value);
      const reader = new ByteReader(writer.finish());
      expect(numbers.map(() => reader.varint())).toEqual(numbers);
      expect(reader.at).toBe(writer.length);
      expect(writer.length).toBeLessThanOrEqual(numbers.length * VARINT_BYTES);
    });
  });

  it('reads back fixed widths in a mix, also from a view', () => {
    const writer = new ByteWriter(1);
    writer.byte(7);
    writer.float64(-12345.5);
    writer.uint32(0xfedcba98);
    const part = new ByteWriter();
    for (let i = 0; i < 100; i++) part.byte(i);
    writer.appendWritten(part);
    const view = new Uint8Array([9, 9, ...writer.finish()]).subarray(2);
    const reader = new ByteReader(view);
    expect([reader.byte(), reader.float64(), reader.uint32()]).toEqual([7, -12345.5, 0xfedcba98]);
    for (let i = 0; i < 100; i++) expect(reader.byte()).toBe(i);
  });

  it('reads zeros past the end', () => {
    const reader = new ByteReader(new Uint8Array(3));
    expect([reader.uint32(), reader.float64(), reader.byte(), reader.varint()]).toEqual([0, 0, 0, 0]);
  });
});

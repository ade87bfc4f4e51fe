import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readBits } from './bits.ts';
import { SPEC_BIG_ENDIAN, SPEC_REVERSED, SPEC_SIGNED } from '../program/program.ts';
import { forAll } from '../../../../../test/support/for-all.ts';

/** The bits of a field as the specification counts them, one by one. */
function readSlowly(
  bytes: Uint8Array,
  bit: number,
  size: number,
  bigEndian: boolean,
  signed: boolean,
  reversed: boolean,
): bigint {
  let value = 0n;
  for (let i = 0; i < size; i++) {
    const at = bit + i;
    const byte = bytes[at >>> 3];
    const one = BigInt(bigEndian ? (byte >>> (7 - (at & 7))) & 1 : (byte >>> (at & 7)) & 1);
    value = bigEndian !== reversed ? (value << 1n) | one : value | (one << BigInt(i));
  }
  return signed ? BigInt.asIntN(size, value) : value;
}

test('any size at any bit, both byte and bit orders, extended to 64 bits', async () => {
  const bytes = fc.uint8Array({ minLength: 12, maxLength: 12 });
  const field = fc.tuple(
    fc.nat(31),
    fc.integer({ min: 1, max: 64 }),
    fc.boolean(),
    fc.boolean(),
    fc.boolean(),
  );
  await forAll(2000, [bytes, field], (data, [bit, size, bigEndian, signed, reversed]) => {
    const words = new Int32Array(2);
    const order = (bigEndian ? SPEC_BIG_ENDIAN : 0) | (reversed ? SPEC_REVERSED : 0);
    const spec = size | order | (signed ? SPEC_SIGNED : 0);
    readBits(data, bit, spec, words, 0);
    const value = (BigInt(words[1]) << 32n) | BigInt(words[0] >>> 0);
    const expected = readSlowly(data, bit, size, bigEndian, signed, reversed);
    expect(BigInt.asUintN(64, value)).toBe(BigInt.asUintN(64, expected));
  });
});

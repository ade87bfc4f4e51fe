import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteText, plainBytes } from './byte-text.ts';
import { forAll } from '../../../test/support/for-all.ts';

function written(write: (out: ByteText) => void): string {
  const out = new ByteText();
  write(out);
  return new TextDecoder().decode(out.take());
}

test('numbers have their digits, up to 64 bits', async () => {
  for (const value of [0, 9, 10, -1, 999_999_999, 1_000_000_000, -1_000_000_001, 4_294_967_295])
    expect(written((out) => out.digits(value))).toBe(String(value));
  const most = Number.MAX_SAFE_INTEGER;
  for (const value of [most, -most, 1e15 + 5])
    expect(written((out) => out.digits(value))).toBe(String(value));
  expect(written((out) => out.digits(737_704_787, 1_795_225_043))).toBe('1795225043737704787');
  expect(written((out) => out.digits(5, 1))).toBe('1000000005');
  const wide = (value: bigint) =>
    written((out) => out.wide(Number(value >> 32n), Number(BigInt.asUintN(32, value))));
  await forAll(100, [fc.bigInt(-(2n ** 63n), 2n ** 64n - 1n)], (value) => wide(value) === String(value));
  for (const value of [2n ** 53n, 2n ** 63n, 2n ** 64n - 1n, -(2n ** 63n), -(2n ** 32n), -1n])
    expect(wide(value)).toBe(String(value));
});

test('texts are written in UTF-8, of whatever length', () =>
  forAll(100, [fc.array(fc.string({ unit: 'binary', maxLength: 3000 }))], (texts) => {
    return written((out) => texts.forEach((text) => out.text(text))) === texts.join('');
  }));

test('bytes are copied, or only where all are plain', () => {
  const from = new TextEncoder().encode(`a"${'b'.repeat(10_000)}`);
  expect(written((out) => out.copy(from, 1))).toBe(`"${'b'.repeat(10_000)}`);
  const out = new ByteText();
  expect(out.copyPlain(from, 0, from.length, plainBytes('"'))).toBe(false);
  expect(out.copyPlain(from, 2, 5, plainBytes('"'))).toBe(true);
  expect(new TextDecoder().decode(out.written)).toBe('bbb');
});

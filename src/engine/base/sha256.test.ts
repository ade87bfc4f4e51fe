import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { createSha256, sha256Hex, sha256HexOf } from './sha256.ts';
import { forAll } from '../../../test/support/for-all.ts';

test('examples of FIPS 180-4', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(sha256Hex(bytes(''))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256Hex(bytes('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('the pieces do not matter; the digest is the one Node gives', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
  await forAll(100, [pieces], (parts) => {
    const ours = createSha256();
    const theirs = createHash('sha256');
    for (const part of parts) {
      ours.update(part);
      theirs.update(part);
    }
    expect(ours.hex()).toBe(theirs.digest('hex'));
  });
});

afterEach(() => vi.unstubAllGlobals());

test('with and without Web Crypto, parts have the digest of what they are together', async () => {
  const parts = [new Uint8Array(100).fill(7), new Uint8Array(0), new Uint8Array(5).fill(9)];
  const whole = Uint8Array.from(parts.flatMap((part) => [...part]));
  expect(await sha256HexOf(parts)).toBe(sha256Hex(whole));
  vi.stubGlobal('crypto', {});
  expect(await sha256HexOf(parts)).toBe(sha256Hex(whole));
});

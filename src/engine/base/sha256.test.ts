import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createSha256, sha256Hex, sha256Of } from './sha256.ts';

test('examples of FIPS 180-4', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(sha256Hex(bytes(''))).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  expect(sha256Hex(bytes('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('the pieces do not matter; the digest is the one Node gives', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 8 });
  fc.assert(
    fc.property(pieces, (parts) => {
      const ours = createSha256();
      const theirs = createHash('sha256');
      for (const part of parts) {
        ours.update(part);
        theirs.update(part);
      }
      expect(ours.hex()).toBe(theirs.digest('hex'));
    }),
  );
});

test('the platform gives the same digest, and a page that it does not serve makes it itself', async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, i) => i);
  const digest = createHash('sha256').update(bytes).digest('hex');
  expect(await sha256Of(bytes)).toBe(digest);
  vi.stubGlobal('crypto', {});
  expect(await sha256Of(bytes)).toBe(digest);
  vi.unstubAllGlobals();
});

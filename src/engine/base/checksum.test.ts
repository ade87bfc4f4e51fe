import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checksum } from './checksum.ts';
import { forAll } from '../../../test/support/for-all.ts';

describe('the checksum', () => {
  it('changes with every byte and with the length', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 300 });
    await forAll(100, [bytes, fc.nat(), fc.integer({ min: 1, max: 255 })], (content, place, change) => {
      const changed = content.slice();
      changed[place % content.length] ^= change;
      expect(checksum(changed)).not.toBe(checksum(content));
      expect(checksum(Uint8Array.from([...content, 0]))).not.toBe(checksum(content));
    });
  });

  it('covers the given part only', () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, i) => i * 5);
    expect(checksum(bytes, 7, 231)).toBe(checksum(bytes.slice(7, 231)));
  });
});

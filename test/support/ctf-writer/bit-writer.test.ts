import { describe, expect, it } from 'vitest';
import { BitWriter } from './bit-writer.ts';

describe('BitWriter', () => {
  it('fills bytes from the least significant bit in little-endian order', () => {
    const out = new BitWriter();
    out.integer(0b101, 3, 'le');
    out.integer(0x1ff, 9, 'le');
    out.integer(-1, 4, 'le');
    expect([...out.bytes()]).toEqual([0b11111101, 0b11111111]);
  });

  it('fills bytes from the most significant bit in big-endian order', () => {
    const out = new BitWriter();
    out.integer(0b101, 3, 'be');
    out.integer(0x101, 9, 'be');
    out.integer(0, 4, 'be');
    expect([...out.bytes()]).toEqual([0b10110000, 0b00010000]);
  });

  it('writes 64-bit integers in either order', () => {
    const out = new BitWriter();
    out.integer(0x0102030405060708n, 64, 'le');
    out.integer(0x0102030405060708n, 64, 'be');
    expect([...out.bytes()]).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('forgets what was truncated, also within a byte', () => {
    const out = new BitWriter();
    out.integer(0b11, 2, 'le');
    out.integer(-1, 20, 'le');
    out.truncate(2, 'le');
    out.integer(0, 6, 'le');
    out.integer(1, 8, 'le');
    expect([...out.bytes()]).toEqual([0b11, 1]);
  });

  it('patches zeros that were kept free', () => {
    const out = new BitWriter();
    out.skip(32);
    out.integer(0xff, 8, 'be');
    out.patch(0, 0x01020304, 32, 'be');
    expect([...out.bytes()]).toEqual([1, 2, 3, 4, 0xff]);
  });
});

/**
 * Integers of any size up to 64 bits at any bit of a buffer, both byte orders (CTF 1.8.3, 4.1.2). Little-endian
 * fields begin at the least significant free bit of a byte, big-endian ones at the most significant.
 */
import { SPEC_BIG_ENDIAN, SPEC_REVERSED, SPEC_SIGNED, SPEC_SIZE } from '../program/program.ts';

/** Fast path for the usual lengths and tags: unsigned, little-endian, whole bytes, at most 32 bits. */
function readWhole(bytes: Uint8Array, at: number, size: number): number {
  let value = bytes[at];
  for (let shift = 8; shift < size; shift += 8) value |= bytes[++at] << shift;
  return value;
}

const NOT_PLAIN = SPEC_BIG_ENDIAN | SPEC_SIGNED | SPEC_REVERSED;

/** Reverses the 32 bits of a word. */
function reverse(word: number): number {
  let bits = ((word >>> 1) & 0x55555555) | ((word & 0x55555555) << 1);
  bits = ((bits >>> 2) & 0x33333333) | ((bits & 0x33333333) << 2);
  bits = ((bits >>> 4) & 0x0f0f0f0f) | ((bits & 0x0f0f0f0f) << 4);
  bits = ((bits >>> 8) & 0x00ff00ff) | ((bits & 0x00ff00ff) << 8);
  return (bits >>> 16) | (bits << 16);
}

/** Reads the integer of `spec` at `bit` into `to` and `to + 1` (low and high word), extended to 64 bits. */
export function readBits(bytes: Uint8Array, bit: number, spec: number, words: Int32Array, to: number): void {
  const size = spec & SPEC_SIZE;
  if ((spec & NOT_PLAIN) === 0 && (bit & 7) === 0 && size <= 32 && (size & 7) === 0) {
    words[to] = readWhole(bytes, bit >>> 3, size);
    words[to + 1] = 0;
    return;
  }
  let low = 0;
  let high = 0;
  let at = bit >>> 3;
  let used = bit & 7;
  if ((spec & SPEC_BIG_ENDIAN) !== 0) {
    for (let left = size; left > 0; used = 0) {
      const taken = Math.min(8 - used, left);
      const part = (bytes[at++] >>> (8 - used - taken)) & ((1 << taken) - 1);
      high = (high << taken) | (low >>> (32 - taken));
      low = (low << taken) | part;
      left -= taken;
    }
  } else {
    for (let done = 0; done < size; used = 0) {
      const taken = Math.min(8 - used, size - done);
      const part = (bytes[at++] >>> used) & ((1 << taken) - 1);
      if (done < 32) {
        low |= part << done;
        if (done + taken > 32) high |= part >>> (32 - done);
      } else high |= part << (done - 32);
      done += taken;
    }
  }
  if ((spec & SPEC_REVERSED) !== 0) {
    const unused = 64 - size;
    const [first, last] = [reverse(low), reverse(high)];
    low =
      size <= 32 ? first >>> (unused - 32) : unused === 0 ? last : (last >>> unused) | (first << (size - 32));
    high = size <= 32 ? 0 : first >>> unused;
  }
  if ((spec & SPEC_SIGNED) !== 0 && size < 64) {
    if (size > 32) high = (high << (64 - size)) >> (64 - size);
    else {
      low = (low << (32 - size)) >> (32 - size);
      high = low >> 31;
    }
  }
  words[to] = low;
  words[to + 1] = high;
}

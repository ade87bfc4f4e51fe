/** Changes to bytes of any file. They give a copy. */
import { joinBytes } from '../../src/engine/base/byte-arrays.ts';
import type { Random } from '../support/simulator/random.ts';
import { boundaryValue } from './boundary-values.ts';

export type ChangeBytes = (bytes: Uint8Array, random: Random) => Uint8Array;

/** Bytes that no UTF-8 text has, the end of strings, the mark of JSON text sequences. */
const ODD_BYTES = [0xff, 0xc0, 0xf8, 0x80, 0x00, 0x1e, 0x1a];

export const BYTE_CHANGES: Readonly<Record<string, ChangeBytes>> = {
  'bytes: flipped'(bytes, random) {
    const copy = bytes.slice();
    for (let left = random.pick([1, 1, 3, 20]); left > 0 && copy.length > 0; left--) {
      copy[placeIn(copy, random)] ^= 1 << random.between(0, 7);
    }
    return copy;
  },
  'bytes: odd'(bytes, random) {
    const copy = bytes.slice();
    if (copy.length > 0) copy[placeIn(copy, random)] = random.pick(ODD_BYTES);
    return copy;
  },
  'bytes: cut'(bytes, random) {
    return bytes.slice(0, placeIn(bytes, random));
  },
  'bytes: inserted'(bytes, random) {
    const at = placeIn(bytes, random);
    const more = Uint8Array.from({ length: random.pick([1, 4, 300]) }, () => random.between(0, 255));
    return joinBytes([bytes.subarray(0, at), more, bytes.subarray(at)]);
  },
  'bytes: dropped'(bytes, random) {
    const at = placeIn(bytes, random);
    return joinBytes([bytes.subarray(0, at), bytes.subarray(at + random.pick([1, 4, 300, 5000]))]);
  },
  'bytes: filled'(bytes, random) {
    const at = placeIn(bytes, random);
    return bytes.slice().fill(random.pick([0, 0xff]), at, at + random.pick([4, 100, 5000]));
  },
  'word: boundary'(bytes, random) {
    const copy = bytes.slice();
    const size = random.pick([8, 16, 32, 64]);
    const at = placeIn(copy, random);
    if (at + size / 8 <= copy.length) {
      putInteger(copy, at * 8, size, random.chance(0.8), boundaryValue(random));
    }
    return copy;
  },
};

/** The heads of files are where damage does most. */
function placeIn(bytes: Uint8Array, random: Random): number {
  const last = Math.max(0, bytes.length - 1);
  return random.between(0, random.chance(0.3) ? Math.min(last, 120) : last);
}

/** Puts the low bits of a value where an integer lies (CTF 1.8.3 section 4.1.5). */
export function putInteger(
  bytes: Uint8Array,
  position: number,
  size: number,
  isLittle: boolean,
  value: bigint,
): void {
  let left = BigInt.asUintN(size, value);
  for (let bit = 0; bit < size; bit++, left >>= 1n) {
    const at = position + (isLittle ? bit : size - 1 - bit);
    const mask = 1 << (isLittle ? at % 8 : 7 - (at % 8));
    if ((left & 1n) === 1n) bytes[at >>> 3] |= mask;
    else bytes[at >>> 3] &= ~mask;
  }
}

/**
 * SHA-256 (FIPS 180-4) over data that arrives in pieces, which the Web Crypto API does not support. Used for digests of
 * canonical text and for fingerprints; nothing secret depends on it.
 */
import { hexText, joinBytes } from './byte-arrays.ts';

export interface Sha256 {
  update(bytes: Uint8Array): Sha256;
  /** The digest in lower-case hexadecimal; no more data can be added. */
  hex(): string;
}

const BLOCK = 64;
/** Bytes of the last block before the 64-bit length. */
const LAST = 56;

/** A digest without data so far. */
export function createSha256(): Sha256 {
  const state = primeRootFractions(8, 1 / 2);
  const constants = primeRootFractions(64, 1 / 3);
  const schedule = new Int32Array(64);
  const block = new Uint8Array(BLOCK);
  let filled = 0;
  let total = 0;

  const absorb = (bytes: Uint8Array, from: number): void => compress(state, constants, schedule, bytes, from);
  const hash: Sha256 = {
    update(bytes) {
      total += bytes.length;
      let at = 0;
      if (filled > 0) {
        at = Math.min(BLOCK - filled, bytes.length);
        block.set(bytes.subarray(0, at), filled);
        filled += at;
        if (filled < BLOCK) return hash;
        absorb(block, 0);
        filled = 0;
      }
      for (; at + BLOCK <= bytes.length; at += BLOCK) absorb(bytes, at);
      block.set(bytes.subarray(at));
      filled = bytes.length - at;
      return hash;
    },
    hex() {
      const bits = BigInt(total) * 8n;
      const padding = new Uint8Array(((LAST - 1 - filled + BLOCK) % BLOCK) + 9);
      padding[0] = 0x80;
      new DataView(padding.buffer).setBigUint64(padding.length - 8, bits);
      hash.update(padding);
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
    },
  };
  return hash;
}

/** Digest of bytes that are in memory. */
export function sha256Hex(bytes: Uint8Array): string {
  return createSha256().update(bytes).hex();
}

/**
 * Digest of concatenated parts by Web Crypto; our own code takes 10 ms for some 100 kB on first use. Pages from origins
 * that are not secure have no Web Crypto.
 */
export async function sha256HexOf(parts: readonly Uint8Array[]): Promise<string> {
  const { subtle } = crypto as Partial<Crypto>;
  if (subtle === undefined) return parts.reduce((hash, part) => hash.update(part), createSha256()).hex();
  return hexText(new Uint8Array(await subtle.digest('SHA-256', joinBytes(parts))));
}

/** The first 32 bits of the fractional parts of roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3). */
function primeRootFractions(count: number, power: number): Int32Array {
  const words = new Int32Array(count);
  let found = 0;
  for (let n = 2; found < count; n++) {
    let divisor = 2;
    while (divisor * divisor <= n && n % divisor !== 0) divisor++;
    if (divisor * divisor <= n) continue;
    const root = n ** power;
    words[found++] = Math.floor((root - Math.floor(root)) * 2 ** 32);
  }
  return words;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function compress(
  state: Int32Array,
  constants: Int32Array,
  w: Int32Array,
  bytes: Uint8Array,
  from: number,
): void {
  for (let i = 0, at = from; i < 16; i++, at += 4) {
    w[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
  }
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15];
    const b = w[i - 2];
    const s0 = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const s1 = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    w[i] = (w[i - 16] + s0 + w[i - 7] + s1) | 0;
  }
  let a = state[0];
  let b = state[1];
  let c = state[2];
  let d = state[3];
  let e = state[4];
  let f = state[5];
  let g = state[6];
  let h = state[7];
  for (let i = 0; i < 64; i++) {
    const s1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + constants[i] + w[i]) | 0;
    const s0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}

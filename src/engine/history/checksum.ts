/**
 * A 32-bit checksum that finds damage of stored blocks: four bytes at a time through the mixing step of
 * MurmurHash3 (A. Appleby, public domain description), four such words side by side, so that none waits for the one
 * before. Not for adversaries; `blocksSha256` is for equality.
 */
export function checksum(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let at = from;
  for (; at + 16 <= to; at += 16) {
    a = mix(a, words.getInt32(at, true));
    b = mix(b, words.getInt32(at + 4, true));
    c = mix(c, words.getInt32(at + 8, true));
    d = mix(d, words.getInt32(at + 12, true));
  }
  let hash = mix(mix(mix(mix(to - from, a), b), c), d);
  for (; at + 4 <= to; at += 4) hash = mix(hash, words.getInt32(at, true));
  let tail = 0;
  for (let shift = 0; at < to; at++, shift += 8) tail |= bytes[at] << shift;
  hash = mix(hash, tail);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mix(hash: number, word: number): number {
  let scrambled = Math.imul(word, 0xcc9e2d51);
  scrambled = Math.imul((scrambled << 15) | (scrambled >>> 17), 0x1b873593);
  const mixed = hash ^ scrambled;
  return (Math.imul((mixed << 13) | (mixed >>> 19), 5) + 0xe6546b64) | 0;
}

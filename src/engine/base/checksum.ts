/**
 * A 32-bit checksum that detects damage of stored bytes: words of four bytes go through a multiplication and a
 * rotation, both invertible, so that a change of one word is always detected. Sixteen lanes run side by side, of which
 * a kernel does four at a time. The final mix is that of MurmurHash3 (A. Appleby, public domain description). Not
 * secure against attackers.
 */

const LANES = 16;
const STEP = 4 * LANES;

export function checksum(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lanes = new Int32Array(LANES);
  let at = from;
  for (; at + STEP <= to; at += STEP) {
    for (let lane = 0; lane < LANES; lane++)
      lanes[lane] = mix(lanes[lane], words.getInt32(at + 4 * lane, true));
  }
  let hash = to - from;
  for (let lane = 0; lane < LANES; lane++) hash = mix(hash, lanes[lane]);
  for (; at + 4 <= to; at += 4) hash = mix(hash, words.getInt32(at, true));
  for (; at < to; at++) hash = mix(hash, bytes[at]);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function mix(hash: number, word: number): number {
  const mixed = Math.imul(hash ^ word, 0xcc9e2d51);
  return (mixed << 15) | (mixed >>> 17);
}

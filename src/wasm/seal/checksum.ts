/** Checksum of bytes, the same as that of `engine/base/checksum.ts`. */

/** Bytes that go through the lanes at a time. */
const STEP: usize = 64;
const lanes: usize = memory.data(64, 16);

export function checksum(start: usize, bytes: i32): u32 {
  const end = start + bytes;
  let at = start;
  let a = i32x4.splat(0);
  let b = i32x4.splat(0);
  let c = i32x4.splat(0);
  let d = i32x4.splat(0);
  for (; at + STEP <= end; at += STEP) {
    a = mixLanes(a, v128.load(at));
    b = mixLanes(b, v128.load(at, 16));
    c = mixLanes(c, v128.load(at, 32));
    d = mixLanes(d, v128.load(at, 48));
  }
  v128.store(lanes, a);
  v128.store(lanes, b, 16);
  v128.store(lanes, c, 32);
  v128.store(lanes, d, 48);
  let hash: u32 = bytes;
  for (let lane: usize = 0; lane < STEP; lane += 4) hash = mix(hash, load<u32>(lanes + lane));
  for (; at + 4 <= end; at += 4) hash = mix(hash, load<u32>(at));
  for (; at < end; at++) hash = mix(hash, load<u8>(at));
  hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
  return hash ^ (hash >>> 16);
}

@inline
function mixLanes(hashes: v128, words: v128): v128 {
  const mixed = i32x4.mul(v128.xor(hashes, words), i32x4.splat(0xcc9e2d51));
  return v128.or(i32x4.shl(mixed, 15), i32x4.shr_u(mixed, 17));
}

@inline
function mix(hash: u32, word: u32): u32 {
  return rotl<u32>((hash ^ word) * 0xcc9e2d51, 15);
}

/** As `engine/history/checksum.ts`. */

export function checksum(start: usize, bytes: i32): u32 {
  const end = start + bytes;
  let a: u32 = 0;
  let b: u32 = 0;
  let c: u32 = 0;
  let d: u32 = 0;
  let at = start;
  for (; at + 16 <= end; at += 16) {
    a = mix(a, load<u32>(at));
    b = mix(b, load<u32>(at, 4));
    c = mix(c, load<u32>(at, 8));
    d = mix(d, load<u32>(at, 12));
  }
  let hash = mix(mix(mix(mix(bytes, a), b), c), d);
  for (; at + 4 <= end; at += 4) hash = mix(hash, load<u32>(at));
  let tail: u32 = 0;
  for (let shift = 0; at < end; at++, shift += 8) tail |= <u32>load<u8>(at) << shift;
  hash = mix(hash, tail);
  hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
  return hash ^ (hash >>> 16);
}

@inline
function mix(hash: u32, word: u32): u32 {
  const scrambled = rotl<u32>(word * 0xcc9e2d51, 15) * 0x1b873593;
  return rotl<u32>(hash ^ scrambled, 13) * 5 + 0xe6546b64;
}

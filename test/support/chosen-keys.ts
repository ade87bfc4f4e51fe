/** Keys as a hostile trace would choose them: all of them collide under hashes whose factors are known. */

const GOLDEN = 0x9e3779b1;
const MOST_KEYS = 2 ** 17;

/** Integers of 32 bits whose products with the golden ratio have zeros where tables of up to 2^18 slots would look. */
export function collidingInts(count: number): Int32Array {
  if (count > MOST_KEYS) throw new Error('there are not so many');
  const inverse = inverseOf(GOLDEN);
  return Int32Array.from({ length: count }, (_, i) => Math.imul(((i >>> 10) << 25) | (i & 1023), inverse));
}

/** Texts that are one number in base 31: in each, 'Aa' stands for what 'BB' does. */
export function collidingTexts(count: number): Uint8Array[] {
  const bits = Math.ceil(Math.log2(count));
  const encoder = new TextEncoder();
  return Array.from({ length: count }, (_, i) => {
    const parts = Array.from({ length: bits }, (_, bit) => (((i >>> bit) & 1) === 0 ? 'Aa' : 'BB'));
    return encoder.encode(parts.join(''));
  });
}

/** By Newton's iteration, which doubles the bits that are right. */
function inverseOf(odd: number): number {
  let inverse = odd;
  for (let right = 3; right < 32; right *= 2) inverse = Math.imul(inverse, 2 - Math.imul(odd, inverse));
  return inverse;
}

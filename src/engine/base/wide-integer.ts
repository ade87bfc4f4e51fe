/** Integers of 64 bits, by their lower and upper 32 bits. */

/** The unsigned integer of two words, whatever their signs. */
export function wideOf(low: number, high: number): bigint {
  const below = BigInt(low >>> 0);
  // Most numbers are small, and arithmetic on a bigint makes another one.
  return high === 0 ? below : (BigInt(high >>> 0) << 32n) | below;
}

/** Text of an address: `0xffffffff81000000`. */
export function addressText(low: number, high: number): string {
  const below = (low >>> 0).toString(16);
  return high === 0 ? `0x${below}` : `0x${(high >>> 0).toString(16)}${below.padStart(8, '0')}`;
}

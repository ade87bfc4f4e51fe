/** Numbers at which readers break: ends of integer types, sizes of bytes and words, and what is near them. */
import type { Random } from '../support/simulator/random.ts';

const ENDS = [0n, 1n, 2n, 3n, 7n, 8n, 9n, 27n, 31n, 32n, 33n, 63n, 64n, 65n, 1000n, 4096n, 65_535n, 65_536n];
const POWERS = [7n, 8n, 15n, 16n, 24n, 31n, 32n, 33n, 52n, 53n, 62n, 63n, 64n, 65n, 128n];

/** A whole number, seldom negative; most fit 64 bits. */
export function boundaryValue(random: Random): bigint {
  const value = random.chance(0.4)
    ? random.pick(ENDS)
    : 2n ** random.pick(POWERS) + BigInt(random.between(-1, 1));
  return random.chance(0.08) ? -value : value;
}

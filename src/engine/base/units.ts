/** Nanoseconds of the host's clock since the host's base. Integer, may be negative, exact within 2^53 ns (104 days). */
export type TimeNs = number;

/** What sums of lengths come to at most: beyond it doubles would depend on the order of the terms. Only damage reaches it. */
export const LONGEST_SUM = 2 ** 53;

/** The sum of two lengths (ns, never negative), at most 2^53 ns: the same in whatever order many are added. */
export function addLengths(a: number, b: number): number {
  return Math.min(LONGEST_SUM, a + b);
}

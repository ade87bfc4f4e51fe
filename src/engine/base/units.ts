/**
 * Times by their clock. The compiler takes a time of one clock for no time of the other; only the clock of a host
 * (`sync/clock-transform`) turns one into the other. A plain number, such as a literal or the result of arithmetic, may
 * be a time of either.
 */
declare const clock: unique symbol;

type TimeOn<Clock extends string> = number & { readonly [clock]?: Clock };

/** Nanoseconds of the host's clock since the host's base. Integer, may be negative, exact within 2^53 ns (104 days). */
export type HostNs = TimeOn<'host'>;

/** Nanoseconds since the experiment's first event: the axis that all hosts share ("display time"). */
export type DisplayNs = TimeOn<'display'>;

/** A column of times of one clock. */
export interface Times<Time extends number> extends Float64Array {
  [index: number]: Time;
}

/**
 * Greatest value of sums of lengths: beyond it doubles would depend on the order of the terms. Only damage reaches it.
 */
export const LONGEST_SUM = 2 ** 53;

/** The sum of two lengths (ns, never negative), at most 2^53 ns: the same in whatever order many are added. */
export function addLengths(a: number, b: number): number {
  return Math.min(LONGEST_SUM, a + b);
}

/**
 * Times by clock. The compiler does not accept a time of one clock as a time of the other; only the clock of a host
 * (`sync/clock-transform`) converts them. A plain number, such as a literal or the result of arithmetic, is accepted as
 * either.
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

/** Upper limit of sums of lengths: beyond it, doubles' sums depend on the order of terms. Only damage reaches it. */
export const LONGEST_SUM = 2 ** 53;

/**
 * The sum of two lengths (ns, never negative), limited to 2^53 ns, so that sums do not depend on the order of addition.
 */
export function addLengths(a: number, b: number): number {
  return Math.min(LONGEST_SUM, a + b);
}

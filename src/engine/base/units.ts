/** Nanoseconds of the host's clock since the host's base. Integer, may be negative, exact within 2^53 ns (104 days). */
export type TimeNs = number;
/** Length in nanoseconds, never negative. */
export type DurNs = number;
/** Nanoseconds since the clock's origin (1970 for absolute clocks), as a bigint: only outside of hot loops. */
export type AbsoluteNs = bigint;

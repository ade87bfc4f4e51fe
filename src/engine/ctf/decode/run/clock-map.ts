/**
 * Cycles of a clock → HostNs of a host, exactly (ARCHITECTURE.md "Numbers and time"):
 *
 *     HostNs = floor((ticksOffset + cycles) · 10^9 / frequency) − baseNs
 *
 * `ticksOffset` is the part of the clock's offset that is no whole second when the frequency is not 1 GHz (it decides
 * how the division rounds), and 0 at 1 GHz. The rest of the offset is added on reading, as `Host.offsetNs`.
 */
import type { ClockClass } from '../../model.ts';

export interface ClockMap {
  readonly frequency: bigint;
  readonly ticksOffset: bigint;
  readonly baseNs: bigint;
}

const NS_PER_S = 1_000_000_000n;

/**
 * Greatest distance of a time from its host's base (ns, 584 years); it bounds the number of buckets of a given width.
 * A clock of 1 GHz has no other values; a slower one could reach 10^28 ns.
 */
export const FARTHEST_NS = 2 ** 64;

/** HostNs of raw cycles; NaN where that is farther than `FARTHEST_NS`. */
export function timeNsOf(cycles: bigint, { frequency, ticksOffset, baseNs }: ClockMap): number {
  const ns = Number(cyclesToNs(cycles, frequency, ticksOffset) - baseNs);
  return Math.abs(ns) <= FARTHEST_NS ? ns : Number.NaN;
}

/** Splits a clock's offset into ticks that stay in its map and the rest in ns. */
export function splitOffset(clock: ClockClass): { readonly ticksOffset: bigint; readonly offsetNs: bigint } {
  const { frequency, offsetSeconds, offsetCycles } = clock;
  if (frequency === NS_PER_S) return { ticksOffset: 0n, offsetNs: offsetSeconds * NS_PER_S + offsetCycles };
  const ticksOffset = ((offsetCycles % frequency) + frequency) % frequency;
  return { ticksOffset, offsetNs: (offsetSeconds + (offsetCycles - ticksOffset) / frequency) * NS_PER_S };
}

/** ns from the clock's origin to its value 0, rounded down. */
export function offsetNsOf(clock: ClockClass): bigint {
  const { ticksOffset, offsetNs } = splitOffset(clock);
  return offsetNs + cyclesToNs(0n, clock.frequency, ticksOffset);
}

/** ns of the clock, without `offsetNs` and base: exact, floor towards negative infinity. */
export function cyclesToNs(cycles: bigint, frequency: bigint, ticksOffset: bigint): bigint {
  if (frequency === NS_PER_S) return cycles + ticksOffset;
  const scaled = (ticksOffset + cycles) * NS_PER_S;
  const quotient = scaled / frequency;
  return scaled % frequency < 0n ? quotient - 1n : quotient;
}

/**
 * Bins of durations on a logarithmic scale, each octave cut into 64 equal bins: exact below 128 ns, and any value of a
 * bin is within 0.8 % of the bin's middle. The same bins everywhere, so that distributions can be added in any order.
 */
export const OCTAVE_BITS = 6;
export const BINS_AN_OCTAVE = 1 << OCTAVE_BITS;
/** Bins of all durations below 2^53 ns. */
export const BINS = (53 - OCTAVE_BITS + 1) * BINS_AN_OCTAVE;

/** Bin of a duration: whole ns, from 0 on; those of 2^53 ns and more, which damaged clocks give, count in the last bin. */
export function binOf(ns: number): number {
  if (ns < BINS_AN_OCTAVE) return ns;
  if (ns >= 2 ** 53) return BINS - 1;
  if (ns < 0x8000_0000) {
    const octave = 31 - Math.clz32(ns) - OCTAVE_BITS;
    return octave * BINS_AN_OCTAVE + (ns >>> octave);
  }
  const octave = 62 - Math.clz32(ns / 0x8000_0000) - OCTAVE_BITS;
  return octave * BINS_AN_OCTAVE + Math.floor(ns / 2 ** octave);
}

/** The least duration (ns) of a bin; that of the next bin is the first behind it. */
export function leastOfBin(bin: number): number {
  if (bin < 2 * BINS_AN_OCTAVE) return bin;
  const octave = (bin >>> OCTAVE_BITS) - 1;
  return (BINS_AN_OCTAVE + (bin & (BINS_AN_OCTAVE - 1))) * 2 ** octave;
}

/** The duration (ns) that stands for a bin. */
export function middleOfBin(bin: number): number {
  return Math.floor((leastOfBin(bin) + leastOfBin(bin + 1) - 1) / 2);
}

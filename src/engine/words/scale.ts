/** Axes of numbers: positions of values, round values for ticks, and bins of histograms. */

/** The axis of a histogram over the range of the data; positions are shares of its width. */
export interface Scale {
  /** 0 … 1. */
  place(value: number): number;
  /** The value at a place. */
  at(share: number): number;
  /** Values of the ticks, ascending. */
  readonly ticks: readonly number[];
}

/** @param leastGap smallest distance of ticks, as a share of the axis */
export function linearScale(from: number, to: number, leastGap = 0): Scale {
  const width = to > from ? to - from : 1;
  const place = (value: number) => Math.min(1, Math.max(0, (value - from) / width));
  // Values are always whole numbers.
  const step = roundStep(Math.max(1, width * Math.max(leastGap, 0.1)));
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step); i * step <= from + width; i++) ticks.push(i * step);
  return { place, at: (share) => from + share * width, ticks };
}

/** The least step of 1, 2, 5, 10, 20, … (or 0.5, 0.2, …) at or above `least`, which is positive. */
export function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((step) => step * power >= least) ?? 10) * power;
}

/** Bin of a value, among bins of equal width on the axis. */
export function binOf(scale: Scale, value: number, bins: number): number {
  return Math.min(bins - 1, Math.floor(bins * scale.place(value)));
}

/** Ticks between powers of ten, on axes of few decades. */
const STEPS = [1, 2, 5];
/** Number of decades below which ticks lie between powers of ten too. */
const WIDE = 1.5;

/**
 * A logarithmic axis of durations (ns) or other numbers; those below 1 are placed at its begin.
 * @param from shortest duration; `to` is the longest, both in ns
 * @param leastGap smallest distance of ticks, as a share of the axis
 */
export function logScale(from: number, to: number, leastGap = 0): Scale {
  const low = Math.log10(Math.max(1, from));
  const high = Math.max(low + 0.3, Math.log10(Math.max(1, to)));
  const place = (ns: number) => Math.min(1, Math.max(0, (Math.log10(Math.max(1, ns)) - low) / (high - low)));
  const ticks: number[] = [];
  for (let decade = Math.floor(low); decade <= high; decade++) {
    for (const step of high - low > WIDE ? [1] : STEPS) {
      const tick = step * 10 ** decade;
      const at = Math.log10(tick);
      const last = ticks.at(-1);
      const isApart = last === undefined || place(tick) - place(last) >= leastGap;
      if (at >= low && at <= high && isApart) ticks.push(tick);
    }
  }
  return { place, at: (share) => 10 ** (low + share * (high - low)), ticks };
}

/** A round duration as short text: "20 µs", "1 ms". */
export function tickText(ns: number): string {
  if (ns >= 1e9) return `${ns / 1e9}\u2009s`;
  if (ns >= 1e6) return `${ns / 1e6}\u2009ms`;
  return ns >= 1e3 ? `${ns / 1e3}\u2009µs` : `${ns}\u2009ns`;
}

import type { Scale } from './scale.ts';

/** Where an axis of few decades has ticks between the powers of ten. */
const STEPS = [1, 2, 5];
/** Ticks between the powers of ten are for axes of fewer decades than this. */
const WIDE = 1.5;

/**
 * A logarithmic axis of durations (ns) or other numbers; those below 1 stand at its begin.
 * @param from the shortest duration shown; `to` is the longest, both in ns
 * @param leastGap between ticks, as a share of the axis
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

/** A round duration in few letters: "20 µs", "1 ms". */
export function tickText(ns: number): string {
  if (ns >= 1e9) return `${ns / 1e9}\u2009s`;
  if (ns >= 1e6) return `${ns / 1e6}\u2009ms`;
  return ns >= 1e3 ? `${ns / 1e3}\u2009µs` : `${ns}\u2009ns`;
}

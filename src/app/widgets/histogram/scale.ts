import { roundStep } from '../../format/round-step.ts';

/** The axis of a histogram, as wide as the data: places are shares of its width. */
export interface Scale {
  /** 0 … 1. */
  place(value: number): number;
  /** The value at a place. */
  at(share: number): number;
  /** Values to be written at the axis, ascending. */
  readonly ticks: readonly number[];
}

/** @param leastGap between ticks, as a share of the axis */
export function linearScale(from: number, to: number, leastGap = 0): Scale {
  const width = to > from ? to - from : 1;
  const place = (value: number) => Math.min(1, Math.max(0, (value - from) / width));
  // Values are whole numbers, by rule.
  const step = roundStep(Math.max(1, width * Math.max(leastGap, 0.1)));
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step); i * step <= from + width; i++) ticks.push(i * step);
  return { place, at: (share) => from + share * width, ticks };
}

/** Contrast of a value between two groups of executions, and rounding in answers. */
import type { Groups } from './groups.ts';

export interface Contrast {
  readonly meanA: number;
  readonly meanB: number;
  readonly difference: number;
  /** Difference in pooled standard deviations (Cohen's d); null: neither group varies. */
  readonly effect: number | null;
}

/** @param values by execution; NaN: none, which does not count @returns undefined: a group has no value */
export function contrastOf(values: Float64Array, { a, b }: Groups): Contrast | undefined {
  const inA = spreadOf(values, a);
  const inB = spreadOf(values, b);
  if (inA.count === 0 || inB.count === 0) return undefined;
  const difference = inB.mean - inA.mean;
  const variance = (inA.squares + inB.squares) / (inA.count + inB.count - 2);
  return {
    meanA: inA.mean,
    meanB: inB.mean,
    difference,
    effect: variance > 0 ? difference / Math.sqrt(variance) : null,
  };
}

/** Least size of an effect beyond normal variation. */
export const NORMAL = 0.5;

interface Spread {
  readonly count: number;
  readonly mean: number;
  /** Sum of squared distances to the mean. */
  readonly squares: number;
}

/** Spread in two passes, as squares of values far from 0 would lose the relevant digits. */
function spreadOf(values: Float64Array, group: Int32Array): Spread {
  let count = 0;
  let sum = 0;
  for (const number of group) {
    if (Number.isNaN(values[number])) continue;
    count++;
    sum += values[number];
  }
  const mean = sum / count;
  let squares = 0;
  for (const number of group) {
    if (!Number.isNaN(values[number])) squares += (values[number] - mean) ** 2;
  }
  return { count, mean, squares };
}

/** Sum of the values of a group. */
export function sumOf(values: Float64Array, group: Int32Array): number {
  return group.reduce((sum, number) => sum + values[number], 0);
}

/** Difference of the means times the sizes of both groups: a whole number of ns, so that equal ones compare equal. */
export function wholeDifference(values: Float64Array, { a, b }: Groups): number {
  return a.length * sumOf(values, b) - b.length * sumOf(values, a);
}

/** Whole ns, halves up. */
export function roundNs(ns: number): number {
  return Math.floor(ns + 0.5);
}

/** Rounds to 3 decimals, halves up. */
export function roundShare(value: number): number {
  return Math.floor(value * 1000 + 0.5) / 1000;
}

/** Contrast of times, rounded for display. */
export function roundedTimes({ meanA, meanB, difference, effect }: Contrast): Contrast {
  return {
    meanA: roundNs(meanA),
    meanB: roundNs(meanB),
    difference: roundNs(difference),
    effect: effect && roundShare(effect),
  };
}

/** Contrast of other numbers, rounded for display. */
export function roundedNumbers({ meanA, meanB, difference, effect }: Contrast): Contrast {
  return {
    meanA: roundShare(meanA),
    meanB: roundShare(meanB),
    difference: roundShare(difference),
    effect: effect && roundShare(effect),
  };
}

/** Number of executions of a group with time. */
export function countWith(values: Float64Array, group: Int32Array): number {
  return group.reduce((count, number) => count + (values[number] > 0 ? 1 : 0), 0);
}

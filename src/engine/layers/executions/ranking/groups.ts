/** Groups of compared executions: A is usual, B is to be explained. */

/** Numbers of executions, ascending. */
export interface Groups {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

/** Slow executions: `auto` by a gap in the durations, or those above a percentile. */
export type SlowRule = 'auto' | number;

export interface SlowGroups extends Groups {
  /** ns. Executions of A last at most `atMost`, those of B longer than `above`; undefined: none are slow. */
  readonly atMost?: number;
  readonly above?: number;
}

/** Text of a rule: `slow auto`, `slow p90`. */
export function slowText(rule: SlowRule): string {
  return rule === 'auto' ? 'slow auto' : `slow p${rule}`;
}

/** Slow executions against the faster half; both empty if none are slow. @param durations ns, by execution */
export function slowGroups(durations: Float64Array, rule: SlowRule): SlowGroups {
  const sorted = Float64Array.from(durations).sort();
  const above = rule === 'auto' ? beforeTail(sorted) : percentile(sorted, rule);
  if (above === undefined) return { a: new Int32Array(0), b: new Int32Array(0) };
  const atMost = medianOf(sorted);
  return {
    a: numbersWhere(durations, (duration) => duration <= atMost),
    b: numbersWhere(durations, (duration) => duration > above),
    atMost,
    above,
  };
}

const MEDIAN = 50;
/** Fewer durations have no tail, and tell little about a recording. */
export const FEWEST = 5;
/** Least duration of slow executions, in medians. */
const TIMES_MEDIAN = 1.5;
/** Number of durations from which on a gap is more significant, and the least scores of gaps below and above it. */
const MANY = 100;
const LEAST_SCORES = { few: 1.25, many: 0.75 } as const;

/**
 * Longest duration before the tail, which begins after the gap with the largest score: the logarithm of its ratio
 * times the root of the number of longer durations. So a few have to be farther off than many (Decisions on
 * executions, slow group by the data).
 * @param sorted ns, ascending
 * @returns undefined: there is no tail
 */
function beforeTail(sorted: Float64Array): number | undefined {
  const { length } = sorted;
  if (length < FEWEST) return undefined;
  const median = medianOf(sorted);
  let [before, most] = [0, 0];
  for (let i = Math.ceil(length / 2); i < length; i++) {
    if (sorted[i] < TIMES_MEDIAN * median || !(sorted[i - 1] > 0)) continue;
    const score = Math.log(sorted[i] / sorted[i - 1]) * Math.sqrt(length - i);
    if (score > most) [before, most] = [sorted[i - 1], score];
  }
  return most >= (length < MANY ? LEAST_SCORES.few : LEAST_SCORES.many) ? before : undefined;
}

/** Duration of a percentile; if that is the longest, the next shorter one, unless it is below the median. */
function percentile(sorted: Float64Array, percent: number): number | undefined {
  const found = nearestRank(sorted, percent);
  const longest = sorted.at(-1) ?? NaN;
  if (found < longest) return found;
  const shorter = sorted.findLast((duration) => duration < longest);
  return shorter !== undefined && medianOf(sorted) <= shorter ? shorter : undefined;
}

/** Value number ⌈percent / 100 · n⌉ in ascending order, from 1 on; NaN: there are none. */
export function nearestRank(sorted: Float64Array, percent: number): number {
  if (sorted.length === 0) return NaN;
  return sorted[Math.min(sorted.length, Math.max(1, Math.ceil((percent * sorted.length) / 100))) - 1];
}

/** The lower one of the middle values of ascending ones; NaN: there are none. */
export function medianOf(sorted: Float64Array): number {
  return nearestRank(sorted, MEDIAN);
}

function numbersWhere(durations: Float64Array, isIn: (duration: number) => boolean): Int32Array {
  const numbers: number[] = [];
  durations.forEach((duration, number) => {
    if (isIn(duration)) numbers.push(number);
  });
  return Int32Array.from(numbers);
}

/** Executions of one trace against those of another: the first `count` are of the first trace. */
export function traceGroups(count: number, length: number): Groups {
  const numbers = Int32Array.from({ length }, (_, number) => number);
  return { a: numbers.subarray(0, count), b: numbers.subarray(count) };
}

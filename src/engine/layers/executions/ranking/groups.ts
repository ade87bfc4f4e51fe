/** Groups of executions that are compared: group A is what is usual, group B is what is to be explained. */

/** Numbers of executions, ascending. */
export interface Groups {
  readonly a: Int32Array;
  readonly b: Int32Array;
}

export interface SlowGroups extends Groups {
  /** ns. Executions of A last as long at most, those of B last longer than `above`. */
  readonly atMost: number;
  readonly above: number;
}

/**
 * The slow executions against the faster half.
 * @param durations ns, by number of the execution
 * @param percent above this percentile (nearest rank) an execution is slow
 */
export function slowGroups(durations: Float64Array, percent: number): SlowGroups {
  const sorted = Float64Array.from(durations).sort();
  const atMost = nearestRank(sorted, MEDIAN);
  const above = nearestRank(sorted, percent);
  return {
    a: numbersWhere(durations, (duration) => duration <= atMost),
    b: numbersWhere(durations, (duration) => duration > above),
    atMost,
    above,
  };
}

const MEDIAN = 50;

/** Value number ⌈percent / 100 · n⌉ of ascending ones, from 1 on; NaN: there are none. */
function nearestRank(sorted: Float64Array, percent: number): number {
  if (sorted.length === 0) return NaN;
  return sorted[Math.min(sorted.length, Math.max(1, Math.ceil((percent * sorted.length) / 100))) - 1];
}

function numbersWhere(durations: Float64Array, isIn: (duration: number) => boolean): Int32Array {
  const numbers: number[] = [];
  durations.forEach((duration, number) => {
    if (isIn(duration)) numbers.push(number);
  });
  return Int32Array.from(numbers);
}

/** The executions of one trace against those of another: the first `count` are of the first trace. */
export function traceGroups(count: number, length: number): Groups {
  const numbers = Int32Array.from({ length }, (_, number) => number);
  return { a: numbers.subarray(0, count), b: numbers.subarray(count) };
}

/** Ranking of the locks for which the executions of group B wait longer than those of group A. */
import { type Contrast, contrastOf, countWith, roundedTimes } from './contrast.ts';
import type { Groups } from './groups.ts';

/** Waits of executions for locks: rows of those that waited, in order of the executions. */
export interface LockTimes {
  /** `mutex 0x…f260 of wk-lockfight`, `/tmp/.ZendSem.x`; `futex 0x…a060 of postgres` where no event is about locks. */
  readonly names: readonly string[];
  readonly length: number;
  /** Number of the execution, or of another interval that was asked about. */
  readonly interval: Int32Array;
  /** Index in `names`. */
  readonly lock: Int32Array;
  readonly ns: Float64Array;
}

export interface RankedLock extends Contrast {
  readonly name: string;
  readonly inA: number;
  readonly inB: number;
}

/**
 * Locks with most of the difference first. Nothing is said of a lock that B does not wait longer for.
 * @param executions how many there are
 */
export function rankLocks(
  { names, length, interval, lock, ns }: LockTimes,
  executions: number,
  groups: Groups,
): RankedLock[] {
  const ranked = names.flatMap((name, index): RankedLock[] => {
    const times = new Float64Array(executions);
    for (let i = 0; i < length; i++) if (lock[i] === index) times[interval[i]] = ns[i];
    const contrast = contrastOf(times, groups);
    if (contrast === undefined || !(contrast.difference > 0)) return [];
    const [inA, inB] = [countWith(times, groups.a), countWith(times, groups.b)];
    return [{ name, ...roundedTimes(contrast), inA, inB }];
  });
  return ranked.sort((a, b) => b.difference - a.difference);
}

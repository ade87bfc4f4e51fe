/** Failed calls by error number. */
import { addNumber } from '../../base/group-by.ts';

export interface ErrorCount {
  /** Positive, as in errno.h. */
  readonly errno: number;
  readonly count: number;
}

/**
 * Whether it is the kernel's own number for a call that a signal interrupted (ERESTARTSYS to ERESTART_RESTARTBLOCK).
 * No caller sees it: the call is restarted, or fails after its last event.
 */
export function isRestart(errno: number): boolean {
  return errno >= 512 && errno <= 516;
}

/** One count for each error number, most frequent first. */
export function addErrors(counts: readonly ErrorCount[]): ErrorCount[] {
  const sums = new Map<number, number>();
  for (const { errno, count } of counts) addNumber(sums, errno, count);
  return Array.from(sums, ([errno, count]) => ({ errno, count })).sort(
    (a, b) => b.count - a.count || a.errno - b.errno,
  );
}

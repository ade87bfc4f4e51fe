/** Failed calls by error number. */

export interface ErrorCount {
  /** Positive, as in errno.h. */
  readonly errno: number;
  readonly count: number;
}

/** One count for each error number, most frequent first. */
export function addErrors(counts: readonly ErrorCount[]): ErrorCount[] {
  const sums = new Map<number, number>();
  for (const { errno, count } of counts) sums.set(errno, (sums.get(errno) ?? 0) + count);
  return Array.from(sums, ([errno, count]) => ({ errno, count })).sort(
    (a, b) => b.count - a.count || a.errno - b.errno,
  );
}

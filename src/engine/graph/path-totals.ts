/** Time on a path by whom and why (spec 04 section 3). Sums equal the range. */
import type { Path } from './path.ts';

export interface PathTotal {
  /** Group of workers: a worker, a process, a host. */
  readonly group: number;
  readonly value: number;
  readonly detail: string;
  ns: number;
  segments: number;
}

/**
 * @param groupOf group of a worker
 * @param each tells the states of a segment with their ns, which add up to the segment's
 * @returns most time first
 */
export function pathTotals(
  { segments }: Path,
  groupOf: (worker: number) => number,
  each: (segment: number, take: (value: number, ns: number, detail: string) => void) => void,
): PathTotal[] {
  const totals = new Map<string, PathTotal>();
  for (let i = 0; i < segments.length; i++) {
    const group = groupOf(segments.worker[i]);
    each(i, (value, ns, detail) => {
      if (ns === 0) return;
      const key = `${group} ${value} ${detail}`;
      const known = totals.get(key);
      if (known === undefined) totals.set(key, { group, value, detail, ns, segments: 1 });
      else {
        known.ns += ns;
        known.segments++;
      }
    });
  }
  return [...totals.values()].sort((a, b) => b.ns - a.ns || a.group - b.group || a.value - b.value);
}

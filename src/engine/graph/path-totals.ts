/** Time on a path by whom and why (spec 04 section 3). Sums equal the range. */
import type { Path } from './path.ts';

export interface PathTotal {
  /** Group of workers: a worker, a process, a host. */
  readonly group: number;
  readonly value: number;
  readonly detail: string;
  ns: number;
  /** ns by culprit, without the group's own time. */
  readonly culprits: Map<number, number>;
  /** Segments that have a part in it. */
  readonly segments: Set<number>;
}

/** A part of a segment; `culprit`: who took the time, -1 or left out: the worker itself. */
export type TakePart = (value: number, ns: number, detail: string, culprit?: number) => void;

/**
 * @param groupOf group of a worker
 * @param each tells the parts of a segment with their ns, which add up to the segment's
 * @returns most time first
 */
export function pathTotals(
  { segments }: Path,
  groupOf: (worker: number) => number,
  each: (segment: number, take: TakePart) => void,
): PathTotal[] {
  const totals = new Map<string, PathTotal>();
  for (let i = 0; i < segments.length; i++) {
    const group = groupOf(segments.worker[i]);
    each(i, (value, ns, detail, culprit = -1) => {
      if (ns === 0) return;
      const key = `${group} ${value} ${detail}`;
      const total = totals.get(key) ?? {
        group,
        value,
        detail,
        ns: 0,
        culprits: new Map(),
        segments: new Set(),
      };
      totals.set(key, total);
      total.ns += ns;
      if (culprit >= 0) total.culprits.set(culprit, (total.culprits.get(culprit) ?? 0) + ns);
      total.segments.add(i);
    });
  }
  return [...totals.values()].sort((a, b) => b.ns - a.ns || a.group - b.group || a.value - b.value);
}

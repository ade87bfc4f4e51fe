/**
 * Labels of a value among ranges that may overlap: an interval tree (Cormen et al., 14.3) in arrays. The ranges are in
 * order of their begin; the root of an interval of them is its middle, which knows the greatest end in the interval. Time
 * O(log n) and that of the labels found.
 */
import type { LabelRange } from '../ctf/model.ts';

/** Calls back with each label of the value; one of several ranges may come again. */
export type LabelFinder = (value: number | bigint, found: (label: string) => void) => void;

export function createLabelFinder(labels: readonly LabelRange[]): LabelFinder {
  const ranges = [...labels].sort((a, b) => (a.from < b.from ? -1 : a.from > b.from ? 1 : 0));
  const greatest = ranges.map(({ to }) => to);
  /** @returns the greatest end from `begin` up to `end` */
  const measure = (begin: number, end: number): bigint | undefined => {
    if (begin >= end) return undefined;
    const root = (begin + end) >> 1;
    for (const below of [measure(begin, root), measure(root + 1, end)])
      if (below !== undefined && below > greatest[root]) greatest[root] = below;
    return greatest[root];
  };
  measure(0, ranges.length);

  return (value, found) => {
    const search = (begin: number, end: number): void => {
      const root = (begin + end) >> 1;
      if (begin >= end || greatest[root] < value) return;
      search(begin, root);
      const { label, from, to } = ranges[root];
      if (from > value) return;
      if (to >= value) found(label);
      search(root + 1, end);
    };
    search(0, ranges.length);
  };
}

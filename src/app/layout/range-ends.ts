/** The ends of the selected range as two marks, A and B: the ruler shows their distance. Pure. */
import type { TimeRange } from '../timeline/timeline.tsx';

/**
 * The range with one end moved to a time. Where it would end before it begins, the other end goes to that of the view.
 * @param range undefined: none is selected
 * @param view visible times
 */
export function withEnd(
  range: TimeRange | undefined,
  end: 'from' | 'to',
  time: number,
  view: TimeRange,
): TimeRange {
  const at = Math.round(time);
  if (end === 'from') {
    const to = range !== undefined && range.to > at ? range.to : Math.ceil(view.to);
    return { from: at, to: Math.max(at + 1, to) };
  }
  const from = range !== undefined && range.from < at ? range.from : Math.floor(view.from);
  return { from: Math.min(at - 1, from), to: at };
}

/** The way from a duration to the timeline. */
import type { DurationMark } from '../../engine/protocol/statistics.ts';
import type { ViewModel } from '../timeline/timeline.tsx';

/** Shows a duration on the timeline and selects it: a system call as a whole, else the interval in its middle. */
export function showMark(
  view: ViewModel,
  { row, fromNs, ns }: Pick<DurationMark, 'row' | 'fromNs' | 'ns'>,
  isCall: boolean,
): void {
  const range = { from: fromNs, to: fromNs + Math.max(1, ns) };
  const middle = fromNs + Math.floor(ns / 2);
  view.show(row, range);
  void (isCall ? view.selectCall(row, middle, range) : view.select(row, middle));
}

/** Selecting a range on an axis: drag anew, or move one of its ends. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { Drag, Point } from './drag.ts';
import type { ViewModel } from '../view/view-model.ts';
import type { TimeRange } from '../view/viewport.ts';

/** Reach of a handle to either side. */
const HANDLE_PX = 6;

/** Conversions of the axis on which is dragged. */
export interface AxisScale {
  timeAt(x: number): number;
  xOf(time: DisplayNs): number;
}

/** The end of the selected range under `x`. */
export function handleAt(
  range: TimeRange | undefined,
  scale: AxisScale,
  x: number,
): 'from' | 'to' | undefined {
  if (!range) return undefined;
  const [from, to] = [Math.abs(scale.xOf(range.from) - x), Math.abs(scale.xOf(range.to) - x)];
  if (Math.min(from, to) > HANDLE_PX) return undefined;
  return from < to ? 'from' : 'to';
}

/** A click without a drag clears the range; `onClick` can do something else. */
export function rangeDrag(
  view: ViewModel,
  scale: AxisScale,
  begin: Point,
  onClick?: (at: Point) => void,
): Drag {
  const { from: first, to: last } = view.extent.peek();
  const range = view.range.peek();
  const handle = handleAt(range, scale, begin.x);
  const anchor = range && handle ? (handle === 'from' ? range.to : range.from) : scale.timeAt(begin.x);
  return {
    move: ({ x }) => {
      const time = Math.max(first, Math.min(last, scale.timeAt(x)));
      const [from, to] = time < anchor ? [time, anchor] : [anchor, time];
      view.selectRange(to > from ? { from, to } : undefined);
    },
    end: (at, moved) => {
      if (moved || handle) return;
      if (onClick) onClick(at);
      else view.selectRange(undefined);
    },
  };
}

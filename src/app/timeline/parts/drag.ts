/** Pointer gestures on one element: drags with capture, clicks, double clicks. Positions in CSS pixels of the element. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { ViewModel } from '../view/view-model.ts';
import { timeOfX, type TimeRange, type Viewport, xOfTime } from '../view/viewport.ts';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Drag {
  move(at: Point): void;
  /** Called at the end; `moved` is false for a click. */
  end?(at: Point, moved: boolean): void;
}

/** Movement below which it is a click. */
const CLICK_PX = 4;

/** Listens for drags. `begin` gets where the pointer went down; undefined: no drag. Returns a function that ends it. */
export function listenDrags(
  element: HTMLElement,
  begin: (at: Point, event: PointerEvent) => Drag | undefined,
): () => void {
  let drag: Drag | undefined;
  let pointer = -1;
  let origin: Point = { x: 0, y: 0 };
  let moved = false;
  const down = (event: PointerEvent) => {
    if (event.button !== 0 || drag) return;
    origin = pointIn(element, event);
    drag = begin(origin, event);
    if (!drag) return;
    moved = false;
    pointer = event.pointerId;
    element.setPointerCapture(pointer);
  };
  const move = (event: PointerEvent) => {
    if (!drag || event.pointerId !== pointer) return;
    const at = pointIn(element, event);
    moved ||= Math.hypot(at.x - origin.x, at.y - origin.y) >= CLICK_PX;
    if (moved) drag.move(at);
  };
  const up = (event: PointerEvent) => {
    if (!drag || event.pointerId !== pointer) return;
    const ended = drag;
    drag = undefined;
    ended.end?.(pointIn(element, event), moved || event.type === 'pointercancel');
  };
  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener('pointerdown', down, { signal });
  element.addEventListener('pointermove', move, { signal });
  element.addEventListener('pointerup', up, { signal });
  element.addEventListener('pointercancel', up, { signal });
  return () => listening.abort();
}

export function pointIn(element: HTMLElement, event: MouseEvent): Point {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/** Reach of a handle to either side. */
const HANDLE_PX = 6;

export type AxisScale = ReturnType<typeof axisScale>;

/** Conversions on the time axis of an element. */
export function axisScale(viewOf: () => Viewport, size: { readonly width: number }) {
  return {
    timeAt: (x: number) => timeOfX(viewOf(), size.width, x),
    xOf: (time: DisplayNs) => xOfTime(viewOf(), size.width, time),
  };
}

/** The end of the selected range whose handle is at `x`, if any. */
export function handleAt(range: TimeRange | undefined, scale: AxisScale, x: number) {
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

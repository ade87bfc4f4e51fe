/** Pointer gestures on one element: drags with capture, clicks, double clicks. Positions in CSS pixels of the element. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Drag {
  move(at: Point): void;
  /** `moved` false: it was a click. */
  end?(at: Point, moved: boolean): void;
}

/** Less movement is a click. */
const CLICK_PX = 4;

/** `begin` decides from where the pointer went down; undefined: not ours. Returns its undoing. */
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
  const listeners = [
    ['pointerdown', down],
    ['pointermove', move],
    ['pointerup', up],
    ['pointercancel', up],
  ] as const;
  for (const [type, listener] of listeners) element.addEventListener(type, listener);
  return () => {
    for (const [type, listener] of listeners) element.removeEventListener(type, listener);
  };
}

export function pointIn(element: HTMLElement, event: MouseEvent): Point {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

/**
 * Pointer over the rows: wheel scrolls, Ctrl + wheel and pinch zoom around the pointer, Shift + wheel and drag pan, a
 * click selects the interval, a double click fits it.
 */
import type { Signal } from '@preact/signals';
import { listenDrags, pointIn, type Point } from './drag.ts';
import type { TileHit } from './hit-test.ts';
import type { ViewModel } from './view-model.ts';
import { panned, timeOfX } from './viewport.ts';

/** Change of the wheel for a zoom by e. */
const WHEEL_ZOOM = 400;
/** CSS pixels of a wheel's line and page, where it counts in these. */
const WHEEL_UNITS = [1, 20, 400];

export interface RowsPointerOptions {
  readonly view: ViewModel;
  readonly hit: (row: string, timeNs: number) => TileHit | undefined;
  /** Set while the rows are dragged. */
  readonly dragging: Signal<boolean>;
}

/** Returns the undoing. */
export function listenRowsPointer(
  element: HTMLElement,
  { view, hit, dragging }: RowsPointerOptions,
): () => void {
  const share = (x: number) => x / Math.max(1, element.clientWidth);
  const timeAt = (x: number) => timeOfX(view.viewport.peek(), element.clientWidth, x);
  const rowAt = (y: number) => {
    const layout = view.rows.layout.peek();
    const at = y + view.rows.scrollTop.peek();
    return at < layout.height ? layout.at(layout.positionAt(at)).row.id : undefined;
  };
  const select = async ({ x, y }: Point) => {
    const row = rowAt(y);
    if (row === undefined) return;
    const found = hit(row, timeAt(x));
    await view.select(row, timeAt(x), found?.kind === 'interval' ? found : undefined);
  };

  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const unit = WHEEL_UNITS[event.deltaMode] ?? 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey) {
      view.zoomBy(Math.exp(-dy / WHEEL_ZOOM), share(pointIn(element, event).x));
      return;
    }
    if (event.shiftKey) return view.panBy(share(dx + dy));
    if (dx !== 0) view.panBy(share(dx));
    if (dy !== 0) view.rows.scrollTo(view.rows.scrollTop.peek() + dy);
  };
  const hover = (event: PointerEvent) => {
    if (event.pointerType === 'touch') return;
    const { x, y } = pointIn(element, event);
    view.hover.value = { timeNs: timeAt(x), row: rowAt(y), x, y };
  };
  const leave = () => (view.hover.value = undefined);
  const doubleClick = async (event: MouseEvent) => {
    const at = pointIn(element, event);
    const row = rowAt(at.y);
    await select(at);
    if (row !== undefined && view.selected.peek()?.row === row) await view.fitSelection();
  };

  const pinch = new Pinch(view, share);
  const down = (event: PointerEvent) => pinch.down(event, pointIn(element, event));
  const move = (event: PointerEvent) => pinch.move(event, pointIn(element, event));
  const up = (event: PointerEvent) => pinch.up(event);
  const stopDrags = listenDrags(element, (begin) => {
    const from = view.viewport.peek();
    const top = view.rows.scrollTop.peek();
    return {
      move: (at) => {
        dragging.value = true;
        element.classList.add('dragging');
        if (pinch.active) return;
        view.setViewport(panned(from, -share(at.x - begin.x)));
        view.rows.scrollTo(top - (at.y - begin.y));
      },
      end: (at, moved) => {
        dragging.value = false;
        element.classList.remove('dragging');
        if (!moved) void select(at);
      },
    };
  });

  element.addEventListener('wheel', wheel, { passive: false });
  const listeners = [
    ['pointermove', hover],
    ['pointerleave', leave],
    ['dblclick', doubleClick],
    ['pointerdown', down],
    ['pointermove', move],
    ['pointerup', up],
    ['pointercancel', up],
  ] as const;
  for (const [type, listener] of listeners) element.addEventListener(type, listener as EventListener);
  return () => {
    stopDrags();
    element.removeEventListener('wheel', wheel);
    for (const [type, listener] of listeners) element.removeEventListener(type, listener as EventListener);
  };
}

/** Two fingers: the time under their middle stays under it. */
class Pinch {
  readonly #view: ViewModel;
  readonly #share: (x: number) => number;
  readonly #points = new Map<number, Point>();

  constructor(view: ViewModel, share: (x: number) => number) {
    this.#view = view;
    this.#share = share;
  }

  get active(): boolean {
    return this.#points.size >= 2;
  }

  down(event: PointerEvent, at: Point): void {
    if (event.pointerType === 'touch') this.#points.set(event.pointerId, at);
  }

  move(event: PointerEvent, at: Point): void {
    if (!this.#points.has(event.pointerId)) return;
    const before = this.#spread();
    this.#points.set(event.pointerId, at);
    const after = this.#spread();
    if (!before || !after) return;
    this.#view.panBy(-this.#share(after.middle - before.middle));
    this.#view.zoomBy(after.distance / before.distance, this.#share(after.middle));
  }

  up(event: PointerEvent): void {
    this.#points.delete(event.pointerId);
  }

  #spread(): { readonly middle: number; readonly distance: number } | undefined {
    const [a, b] = [...this.#points.values()];
    if (!a || !b) return undefined;
    return { middle: (a.x + b.x) / 2, distance: Math.max(8, Math.abs(a.x - b.x)) };
  }
}

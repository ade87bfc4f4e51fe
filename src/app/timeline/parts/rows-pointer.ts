/** Pointer over the rows: scrolls, zooms around itself, pans; a click selects the interval, a double click fits it. */
import { effect, type Signal, untracked } from '@preact/signals';
import type { DisplayNs } from '../../../engine/base/units.ts';
import { type Drag, listenDrags, pointIn, type Point } from './drag.ts';
import { ElementSize } from '../../browser/element-size.ts';
import type { TileHit } from './hit-test.ts';
import type { ViewModel } from '../view/view-model.ts';
import { panned, timeOfX } from '../view/viewport.ts';

/** Wheel delta for a zoom by the factor e. */
const WHEEL_ZOOM = 400;
/** CSS pixels of the units of a wheel: pixel, line, page. */
const WHEEL_UNITS = [1, 20, 400];

interface RowsPointer {
  readonly view: ViewModel;
  readonly hit: (row: string, timeNs: DisplayNs) => TileHit | undefined;
  readonly dragging: Signal<boolean>;
}

/** Listens to the pointer on the element of the rows. The function returned ends that. */
export function listenRowsPointer(element: HTMLElement, { view, hit, dragging }: RowsPointer): () => void {
  const { rows } = view;
  const share = (x: number) => x / Math.max(1, size.width);
  const timeAt = (x: number) => timeOfX(view.viewport.peek(), size.width, x);
  const rowAt = (y: number) => {
    const layout = rows.layout.peek();
    const at = y + rows.scrollTop.peek();
    return at < layout.height ? layout.at(layout.positionAt(at)).row.id : undefined;
  };
  const point = ({ x, y }: Point) => (view.hover.value = { timeNs: timeAt(x), row: rowAt(y), x, y });
  /** Updates the hover when rows or time move under a resting pointer. */
  const follow = () => {
    const { x, y } = view.hover.peek() ?? {};
    if (x !== undefined && y !== undefined) point({ x, y });
  };
  const select = async ({ x, y }: Point) => {
    const row = rowAt(y);
    if (row === undefined) return;
    const found = hit(row, timeAt(x));
    await view.select(row, timeAt(x), found?.kind === 'interval' ? found : undefined);
  };
  const fit = async (at: Point) => {
    const row = rowAt(at.y);
    await select(at);
    if (row !== undefined && view.selected.peek()?.row === row) await view.fitSelection();
  };
  const wheel = (event: WheelEvent) => {
    event.preventDefault();
    const unit = WHEEL_UNITS[event.deltaMode] ?? 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey)
      return view.zoomBy(Math.exp(-dy / WHEEL_ZOOM), share(pointIn(element, event).x));
    if (event.shiftKey) return view.panBy(share(dx + dy));
    if (dx !== 0) view.panBy(share(dx));
    if (dy !== 0) rows.scrollTo(rows.scrollTop.peek() + dy);
  };
  const drag = (begin: Point): Drag => {
    const pinches = pinch.count;
    const gripAt = (at: Point) => {
      return { at, viewport: view.viewport.peek(), top: rows.scrollTop.peek(), pinches: pinch.count };
    };
    let grip = gripAt(begin);
    return {
      move: (at) => {
        dragging.value = true;
        element.classList.add('dragging');
        if (pinch.isActive) return;
        // A pinch may have moved the view meanwhile.
        if (grip.pinches !== pinch.count) grip = gripAt(at);
        view.setViewport(panned(grip.viewport, -share(at.x - grip.at.x)));
        rows.scrollTo(grip.top - (at.y - grip.at.y));
      },
      end: (at, moved) => {
        dragging.value = false;
        element.classList.remove('dragging');
        if (!moved && pinch.count === pinches) void select(at);
      },
    };
  };

  const size = new ElementSize(element, follow);
  const pinch = new Pinch(view, share);
  const stopDrags = listenDrags(element, drag);
  const stopFollowing = effect(() => {
    for (const signal of [view.viewport, rows.layout, rows.scrollTop]) void signal.value;
    untracked(follow);
  });
  const listening = new AbortController();
  const { signal } = listening;
  element.addEventListener('wheel', wheel, { passive: false, signal });
  const listen = (
    type: 'pointerdown' | 'pointermove' | 'pointerup' | 'pointercancel' | 'pointerleave',
    onPoint: (at: Point, event: PointerEvent) => void,
  ) => element.addEventListener(type, (event) => onPoint(pointIn(element, event), event), { signal });
  listen('pointerdown', (at, event) => pinch.down(at, event));
  listen('pointermove', (at, event) => {
    if (event.pointerType === 'touch') pinch.move(at, event);
    else point(at);
  });
  listen('pointerup', (_, event) => pinch.up(event));
  listen('pointercancel', (_, event) => pinch.up(event));
  listen('pointerleave', () => (view.hover.value = undefined));
  element.addEventListener('dblclick', (event) => void fit(pointIn(element, event)), { signal });
  return () => {
    stopDrags();
    stopFollowing();
    size.dispose();
    listening.abort();
  };
}

/** A pinch of two fingers, which keeps the time under their middle there. */
class Pinch {
  readonly #points = new Map<number, Point>();
  /** Number of pinches so far, including an active one. */
  count = 0;

  constructor(
    private readonly view: ViewModel,
    private readonly share: (x: number) => number,
  ) {}

  get isActive(): boolean {
    return this.#points.size >= 2;
  }

  down(at: Point, { pointerType, pointerId }: PointerEvent): void {
    if (pointerType !== 'touch') return;
    this.#points.set(pointerId, at);
    if (this.isActive) this.count++;
  }

  move(at: Point, { pointerId }: PointerEvent): void {
    if (!this.#points.has(pointerId)) return;
    const before = this.#spread();
    this.#points.set(pointerId, at);
    const after = this.#spread();
    if (!before || !after) return;
    this.view.panBy(-this.share(after.middle - before.middle));
    this.view.zoomBy(after.distance / before.distance, this.share(after.middle));
  }

  up({ pointerId }: PointerEvent): void {
    this.#points.delete(pointerId);
  }

  #spread(): { readonly middle: number; readonly distance: number } | undefined {
    const [a, b] = [...this.#points.values()];
    if (!a || !b) return undefined;
    return { middle: (a.x + b.x) / 2, distance: Math.max(8, Math.abs(a.x - b.x)) };
  }
}

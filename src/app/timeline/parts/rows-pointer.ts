/**
 * Pointer over the rows: wheel scrolls, Ctrl + wheel and pinch zoom around the pointer, Shift + wheel and drag pan, a
 * click selects the interval, a double click fits it.
 */
import { effect, type Signal, untracked } from '@preact/signals';
import type { DisplayNs } from '../../../engine/base/units.ts';
import { type Drag, listenDrags, pointIn, type Point } from './drag.ts';
import { ElementSize } from '../../browser/element-size.ts';
import type { TileHit } from './hit-test.ts';
import type { ViewModel } from '../view/view-model.ts';
import { panned, timeOfX } from '../view/viewport.ts';

/** Change of the wheel for a zoom by e. */
const WHEEL_ZOOM = 400;
/** CSS pixels of a wheel's line and page, where it counts in these. */
const WHEEL_UNITS = [1, 20, 400];

export interface RowsPointerOptions {
  readonly view: ViewModel;
  readonly hit: (row: string, timeNs: DisplayNs) => TileHit | undefined;
  /** Set while the rows are dragged. */
  readonly dragging: Signal<boolean>;
}

export class RowsPointer {
  readonly #element: HTMLElement;
  readonly #view: ViewModel;
  readonly #hit: RowsPointerOptions['hit'];
  readonly #dragging: Signal<boolean>;
  readonly #pinch: Pinch;
  readonly #size: ElementSize;
  readonly #stops: readonly (() => void)[];
  readonly #listening = new AbortController();

  constructor(element: HTMLElement, { view, hit, dragging }: RowsPointerOptions) {
    this.#element = element;
    this.#view = view;
    this.#hit = hit;
    this.#dragging = dragging;
    this.#pinch = new Pinch(view, (x) => this.#share(x));
    this.#size = new ElementSize(element, () => this.#follow());
    this.#stops = [
      listenDrags(element, (begin) => this.#drag(begin)),
      effect(() => {
        for (const signal of [view.viewport, view.rows.layout, view.rows.scrollTop]) void signal.value;
        untracked(() => this.#follow());
      }),
    ];
    const { signal } = this.#listening;
    element.addEventListener('wheel', (event) => this.#wheel(event), { passive: false, signal });
    element.addEventListener('pointermove', (event) => this.#hover(event), { signal });
    element.addEventListener('pointerleave', () => (view.hover.value = undefined), { signal });
    element.addEventListener('dblclick', (event) => void this.#fit(pointIn(element, event)), { signal });
    const pinch = this.#pinch;
    element.addEventListener('pointerdown', (event) => pinch.down(event, pointIn(element, event)), {
      signal,
    });
    element.addEventListener('pointermove', (event) => pinch.move(event, pointIn(element, event)), {
      signal,
    });
    element.addEventListener('pointerup', (event) => pinch.up(event), { signal });
    element.addEventListener('pointercancel', (event) => pinch.up(event), { signal });
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    this.#size.dispose();
    this.#listening.abort();
  }

  #share(x: number): number {
    return x / Math.max(1, this.#size.width);
  }

  #timeAt(x: number): number {
    return timeOfX(this.#view.viewport.peek(), this.#size.width, x);
  }

  #rowAt(y: number): string | undefined {
    const { rows } = this.#view;
    const layout = rows.layout.peek();
    const at = y + rows.scrollTop.peek();
    return at < layout.height ? layout.at(layout.positionAt(at)).row.id : undefined;
  }

  async #select({ x, y }: Point): Promise<void> {
    const row = this.#rowAt(y);
    if (row === undefined) return;
    const found = this.#hit(row, this.#timeAt(x));
    await this.#view.select(row, this.#timeAt(x), found?.kind === 'interval' ? found : undefined);
  }

  async #fit(at: Point): Promise<void> {
    const row = this.#rowAt(at.y);
    await this.#select(at);
    if (row !== undefined && this.#view.selected.peek()?.row === row) await this.#view.fitSelection();
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const view = this.#view;
    const unit = WHEEL_UNITS[event.deltaMode] ?? 1;
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    if (event.ctrlKey || event.metaKey)
      return view.zoomBy(Math.exp(-dy / WHEEL_ZOOM), this.#share(pointIn(this.#element, event).x));
    if (event.shiftKey) return view.panBy(this.#share(dx + dy));
    if (dx !== 0) view.panBy(this.#share(dx));
    if (dy !== 0) view.rows.scrollTo(view.rows.scrollTop.peek() + dy);
  }

  #hover(event: PointerEvent): void {
    if (event.pointerType === 'touch') return;
    this.#point(pointIn(this.#element, event));
  }

  #point({ x, y }: Point): void {
    this.#view.hover.value = { timeNs: this.#timeAt(x), row: this.#rowAt(y), x, y };
  }

  /** Rows and time move under a pointer that rests. */
  #follow(): void {
    const { x, y } = this.#view.hover.peek() ?? {};
    if (x !== undefined && y !== undefined) this.#point({ x, y });
  }

  #drag(begin: Point): Drag {
    const view = this.#view;
    const pinch = this.#pinch;
    const pinches = pinch.count;
    const { classList } = this.#element;
    const gripAt = (at: Point) => {
      return { at, viewport: view.viewport.peek(), top: view.rows.scrollTop.peek(), pinches: pinch.count };
    };
    let grip = gripAt(begin);
    return {
      move: (at) => {
        this.#dragging.value = true;
        classList.add('dragging');
        if (pinch.isActive) return;
        // A pinch has moved the view meanwhile.
        if (grip.pinches !== pinch.count) grip = gripAt(at);
        view.setViewport(panned(grip.viewport, -this.#share(at.x - grip.at.x)));
        view.rows.scrollTo(grip.top - (at.y - grip.at.y));
      },
      end: (at, moved) => {
        this.#dragging.value = false;
        classList.remove('dragging');
        if (!moved && pinch.count === pinches) void this.#select(at);
      },
    };
  }
}

/** Two fingers: the time under their middle stays under it. */
class Pinch {
  readonly #view: ViewModel;
  readonly #share: (x: number) => number;
  readonly #points = new Map<number, Point>();
  #count = 0;

  constructor(view: ViewModel, share: (x: number) => number) {
    this.#view = view;
    this.#share = share;
  }

  get isActive(): boolean {
    return this.#points.size >= 2;
  }

  /** How many there were, with the one that is active. */
  get count(): number {
    return this.#count;
  }

  down(event: PointerEvent, at: Point): void {
    if (event.pointerType !== 'touch') return;
    this.#points.set(event.pointerId, at);
    if (this.isActive) this.#count++;
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

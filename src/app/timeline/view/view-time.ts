/** The visible time: moves and jumps of the view. */
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ExperimentInfo } from '../../../engine/protocol/session.ts';
import * as math from './viewport.ts';
import { type TimeRange, type Viewport, sameViewport } from './viewport.ts';

/** Duration of animated moves of the view; none for readers who asked for reduced motion. */
const JUMP_MS = 160;

/** Margin on either side of a fitted range, as a share of it. */
const FIT_MARGIN = 0.05;

export class VisibleTime {
  /** The whole experiment. */
  readonly extent: ReadonlySignal<TimeRange>;
  readonly viewport: ReadonlySignal<Viewport>;
  readonly #viewport: Signal<Viewport>;
  readonly #stopFollowing: () => void;
  #isWhole = true;
  /** Next frame of the jump under way. */
  #frame = 0;

  constructor(info: ReadonlySignal<ExperimentInfo | undefined>) {
    this.extent = computed(() => ({ from: 0, to: Math.max(1, info.value?.lengthNs ?? 1) }));
    this.viewport = this.#viewport = signal(math.viewportOf(this.extent.peek()));
    // A view of the whole trace follows its length while it grows.
    this.#stopFollowing = effect(() => {
      const now = math.viewportOf(this.extent.value);
      if (this.#isWhole) this.#viewport.value = now;
    });
  }

  setViewport(view: Viewport, animated = false): void {
    const from = this.#viewport.peek();
    const to = math.clamped(view, this.extent.peek());
    // Ended by another jump or by the pointer.
    cancelAnimationFrame(this.#frame);
    if (!animated || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return this.#show(to);
    const begin = performance.now();
    const tick = (now: number) => {
      const t = Math.min(1, Math.max(0, (now - begin) / JUMP_MS));
      this.#show(math.between(from, to, 1 - (1 - t) ** 3));
      if (t < 1) this.#frame = requestAnimationFrame(tick);
    };
    this.#frame = requestAnimationFrame(tick);
  }

  setRange(wanted: TimeRange, animated = true): void {
    this.setViewport(math.viewportOf(wanted), animated);
  }

  fit(wanted: TimeRange): void {
    const margin = Math.max(1, Math.round((wanted.to - wanted.from) * FIT_MARGIN));
    const all = this.extent.peek();
    const from = Math.max(all.from, wanted.from - margin);
    this.setRange({ from, to: Math.max(from + 1, Math.min(all.to, wanted.to + margin)) });
  }

  /** Moves as little as needed to show a part of a range with one of its ends. */
  keepInView(wanted: TimeRange): void {
    const seen = math.rangeOf(this.#viewport.peek());
    if (wanted.to > seen.from && wanted.from < seen.to && (wanted.from >= seen.from || wanted.to <= seen.to))
      return;
    const span = Math.max(this.#viewport.peek().span, (wanted.to - wanted.from) * 1.2);
    const from = Math.round((wanted.from + wanted.to - span) / 2);
    this.setRange({ from, to: from + Math.ceil(span) });
  }

  /** @param share of the width, which stays in its place */
  zoomBy(factor: number, share = 0.5): void {
    this.setViewport(math.zoomed(this.#viewport.peek(), factor, share));
  }

  panBy(share: number): void {
    this.setViewport(math.panned(this.#viewport.peek(), share));
  }

  dispose(): void {
    cancelAnimationFrame(this.#frame);
    this.#stopFollowing();
  }

  #show(view: Viewport): void {
    const { from, to } = this.extent.peek();
    const next = math.clamped(view, { from, to });
    if (sameViewport(next, this.#viewport.peek())) return;
    this.#isWhole = next.span >= to - from;
    this.#viewport.value = next;
  }
}

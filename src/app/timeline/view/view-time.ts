/** The visible time: moves and jumps of the view, and the steps by which one comes back. */
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ExperimentInfo } from '../../../engine/protocol/session.ts';
import { createJump } from './jump.ts';
import { createViewSteps } from './view-steps.ts';
import * as math from './viewport.ts';
import type { TimeRange, Viewport } from './viewport.ts';

/** Around a fitted range, as a share of it on either side. */
const FIT_MARGIN = 0.05;

export class VisibleTime {
  /** The whole experiment. */
  readonly extent: ReadonlySignal<TimeRange>;
  readonly steps = createViewSteps();
  readonly #viewport: Signal<Viewport>;
  readonly #jump = createJump();
  readonly #stopFollowing: () => void;
  #isWhole = true;

  constructor(info: ReadonlySignal<ExperimentInfo | undefined>) {
    this.extent = computed(() => ({ from: 0, to: Math.max(1, info.value?.lengthNs ?? 1) }));
    let all = math.viewportOf(this.extent.peek());
    this.#viewport = signal(all);
    // While the length grows, a view of everything stays one, and so does a step.
    this.#stopFollowing = effect(() => {
      const now = math.viewportOf(this.extent.value);
      this.steps.grew(all, now);
      all = now;
      if (!this.#isWhole) return;
      this.#viewport.value = now;
      this.steps.moved(now);
    });
  }

  get viewport(): ReadonlySignal<Viewport> {
    return this.#viewport;
  }

  setViewport(view: Viewport): void {
    this.#jump.stop();
    this.#show(view);
  }

  setRange(wanted: TimeRange, animated = true): void {
    const from = this.#viewport.peek();
    const to = math.clamped(math.viewportOf(wanted), this.extent.peek());
    if (animated) this.#jump.start((t) => this.#show(math.between(from, to, t)));
    else this.setViewport(to);
  }

  fit(wanted: TimeRange): void {
    const margin = Math.max(1, Math.round((wanted.to - wanted.from) * FIT_MARGIN));
    const all = this.extent.peek();
    const from = Math.max(all.from, wanted.from - margin);
    this.setRange({ from, to: Math.max(from + 1, Math.min(all.to, wanted.to + margin)) });
  }

  /** Moves no further than needed to see a part of a range and one of its ends. */
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

  goToStep(step: number): void {
    const target = this.steps.go(step);
    if (!target) return;
    const from = this.#viewport.peek();
    this.#jump.start((t) => this.#put(math.between(from, target, t)));
  }

  dispose(): void {
    this.#jump.stop();
    this.#stopFollowing();
  }

  #show(view: Viewport): void {
    const next = math.clamped(view, this.extent.peek());
    if (math.sameViewport(next, this.#viewport.peek())) return;
    this.#put(next);
    this.steps.moved(next);
  }

  #put(view: Viewport): void {
    const { from, to } = this.extent.peek();
    this.#isWhole = view.span >= to - from;
    this.#viewport.value = view;
  }
}

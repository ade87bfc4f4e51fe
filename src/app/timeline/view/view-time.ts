/** The visible time: moves and jumps of the view, and the steps by which one comes back. */
import { computed, effect, signal, type ReadonlySignal, type Signal } from '@preact/signals';
import type { ExperimentInfo } from '../../../engine/protocol/session.ts';
import * as math from './viewport.ts';
import { type TimeRange, type Viewport, sameViewport } from './viewport.ts';

const REST_MS = 400;

const MOST_STEPS = 100;

interface ViewSteps {
  /** Position in the list of steps, -1 before the first. */
  readonly position: ReadonlySignal<number>;
  readonly length: ReadonlySignal<number>;
  /** Reports every change of the view. */
  moved(view: Viewport): void;
  /** The whole is another one now: a step that showed all of it does so again. */
  grew(before: Viewport, now: Viewport): void;
  /** The view at a position, which becomes the current one. */
  go(position: number): Viewport | undefined;
}

function createViewSteps(restMs = REST_MS): ViewSteps {
  let steps: Viewport[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const position = signal(-1);
  const length = signal(0);

  const rest = (view: Viewport) => {
    const current = steps[position.value];
    if (current && sameViewport(current, view)) return;
    steps = [...steps.slice(0, position.value + 1), view].slice(-MOST_STEPS);
    length.value = steps.length;
    position.value = steps.length - 1;
  };
  const moved = (view: Viewport) => {
    clearTimeout(timer);
    timer = setTimeout(() => rest(view), restMs);
  };
  const grew = (before: Viewport, now: Viewport) => {
    steps = steps.map((step) => (sameViewport(step, before) ? now : step));
  };
  const go = (target: number) => {
    clearTimeout(timer);
    const view = steps[target];
    if (view) position.value = target;
    return view;
  };
  return { position, length, moved, grew, go };
}

/** Programmatic moves of the view: 160 ms of easing, none for readers who asked for reduced motion. */
const JUMP_MS = 160;

interface Jump {
  /** Calls `step` with 0 … 1 on every frame until 1; a later start replaces it. */
  start(step: (t: number) => void): void;
  /** The pointer took over. */
  stop(): void;
}

function createJump(): Jump {
  let frame = 0;
  const stop = () => cancelAnimationFrame(frame);
  const start = (step: (t: number) => void) => {
    stop();
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
      step(1);
      return;
    }
    const begin = performance.now();
    const tick = (now: number) => {
      const t = Math.min(1, Math.max(0, (now - begin) / JUMP_MS));
      step(easeOut(t));
      if (t < 1) frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
  };
  return { start, stop };
}

function easeOut(t: number): number {
  return 1 - (1 - t) ** 3;
}

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

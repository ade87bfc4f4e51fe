/** Views one can step back to: a view becomes a step when it rested for a moment. The page mirrors them in its history. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { sameViewport, type Viewport } from './viewport.ts';

const REST_MS = 400;
const MOST_STEPS = 100;

export interface ViewSteps {
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

export function createViewSteps(restMs = REST_MS): ViewSteps {
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

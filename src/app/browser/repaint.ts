/** Paints on the next frame after any of the signals has changed; several changes are one painting. */
import { effect, type ReadonlySignal } from '@preact/signals';

export interface Repaint {
  /** Paints on the next frame in any case. */
  invalidate(): void;
  dispose(): void;
}

export function repaintOn(signals: readonly ReadonlySignal<unknown>[], paint: () => void): Repaint {
  let frame = 0;
  const invalidate = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      paint();
    });
  };
  const stop = effect(() => {
    for (const signal of signals) void signal.value;
    invalidate();
  });
  return {
    invalidate,
    dispose: () => {
      cancelAnimationFrame(frame);
      stop();
    },
  };
}

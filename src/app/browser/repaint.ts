/** Paints on the next frame after any of the signals has changed, once for several changes. */
import { effect, type ReadonlySignal } from '@preact/signals';

export function repaintOn(signals: readonly ReadonlySignal<unknown>[], paint: () => void) {
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
    /** Paints on the next frame in any case. */
    invalidate,
    dispose: () => {
      cancelAnimationFrame(frame);
      stop();
    },
  };
}

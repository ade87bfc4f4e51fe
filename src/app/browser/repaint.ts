/** Paints on the next frame after anything that `read` looks at has changed; several changes are one painting. */
import { effect } from '@preact/signals';

export interface Repaint {
  /** Paints on the next frame in any case. */
  invalidate(): void;
  dispose(): void;
}

export function repaintOn(read: () => void, paint: () => void): Repaint {
  let frame = 0;
  const invalidate = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      paint();
    });
  };
  const stop = effect(() => {
    read();
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

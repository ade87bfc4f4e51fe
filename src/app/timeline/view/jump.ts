/** Programmatic moves of the view: 160 ms of easing, none for readers who asked for reduced motion. */
const JUMP_MS = 160;

export interface Jump {
  /** Calls `step` with 0 … 1 on every frame until 1; a later start replaces it. */
  start(step: (t: number) => void): void;
  /** The pointer took over. */
  stop(): void;
}

export function createJump(): Jump {
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

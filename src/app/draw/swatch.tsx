/** Swatch of a state, in the same form as in the rows and in the palette of the nearest provider. */
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Palette } from './palette.ts';
import { beginPaint } from './pixels.ts';
import { statePainter } from './state-painter.ts';

/** The page provides `watchPalette(document.documentElement)` once. */
export const PaletteContext = createContext<ReadonlySignal<Palette | undefined>>(signal(undefined));

const WIDTH = 14;
const HEIGHT = 12;

/** @param props.code draw code (draw-codes.ts) */
export function Swatch({ code }: { readonly code: number }) {
  const palette = useContext(PaletteContext).value;
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    if (!canvas.current || !palette) return;
    const context = beginPaint(canvas.current, WIDTH, HEIGHT, window.devicePixelRatio);
    if (context) statePainter(palette)(context, code, 0, 0, WIDTH, HEIGHT);
  }, [code, palette]);
  return (
    <canvas
      class="swatch"
      ref={canvas}
      style={{ width: `${WIDTH}px`, height: `${HEIGHT}px` }}
      aria-hidden="true"
    />
  );
}

/** A state's swatch as a component, in the palette of the nearest provider. */
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Palette } from './palette.ts';
import { drawSwatch } from './state-painter.ts';

/** The page provides `watchPalette(document.documentElement).palette` once. */
export const PaletteContext = createContext<ReadonlySignal<Palette | undefined>>(signal(undefined));

const WIDTH = 14;
const HEIGHT = 12;

interface SwatchProps {
  /** Draw code (draw-codes.ts). */
  readonly code: number;
}

export function Swatch({ code }: SwatchProps) {
  const palette = useContext(PaletteContext).value;
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !palette) return;
    const ratio = window.devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawSwatch(context, code, WIDTH, HEIGHT, palette);
  }, [code, palette]);
  const ratio = window.devicePixelRatio;
  return (
    <canvas
      class="swatch"
      ref={canvas}
      width={WIDTH * ratio}
      height={HEIGHT * ratio}
      style={{ width: `${WIDTH}px`, height: `${HEIGHT}px` }}
      aria-hidden="true"
    />
  );
}

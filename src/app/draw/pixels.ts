/** Canvases in CSS pixels, sharp on every screen. */
import type { Colour } from './palette.ts';

/** Most device pixels drawn for a CSS pixel: more costs time and makes no visible difference. */
const MOST_RATIO = 2;

export function pixelRatio(): number {
  return Math.max(1, Math.min(MOST_RATIO, window.devicePixelRatio));
}

/** Sizes the canvas, clears it and returns its context in CSS pixels. */
export function beginPaint(
  canvas: HTMLCanvasElement,
  width: number,
  height: number,
  ratio: number,
): CanvasRenderingContext2D | undefined {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  const context = canvas.getContext('2d');
  if (!context) return undefined;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

export function fillBox(
  context: CanvasRenderingContext2D,
  { css }: Colour,
  x: number,
  y: number,
  width: number,
  height: number,
): void {
  context.fillStyle = css;
  context.fillRect(x, y, width, height);
}

/** Widths of texts in one font; measured once each. */
export class TextWidths {
  readonly #widths = new Map<string, number>();

  of(context: CanvasRenderingContext2D, text: string): number {
    const known = this.#widths.get(text);
    if (known !== undefined) return known;
    // Names come from traces, so the cache is bounded.
    if (this.#widths.size > 5000) this.#widths.clear();
    const { width } = context.measureText(text);
    this.#widths.set(text, width);
    return width;
  }
}

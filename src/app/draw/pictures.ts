/** Pictures of the page that can be saved: their painters draw on any context. */
import { signal, type ReadonlySignal } from '@preact/signals';
import { createContext } from 'preact';
import { DRAW_STYLES } from './draw-codes.ts';
import type { Palette } from './palette.ts';
import { fillBox } from './pixels.ts';
import { statePainter } from './state-painter.ts';

export interface Picture {
  /** Title in a menu: "Timeline". */
  readonly title: string;
  /** Draw codes of the states that its legend explains. */
  readonly legend?: readonly number[];
  /** Text on the time that it covers; absent: the visible range. */
  covers?(): string;
  /** undefined: not known yet. */
  palette(): Palette | undefined;
  /** CSS pixels. */
  size(): { readonly width: number; readonly height: number };
  /** Paints the current view with its background, from the top left. */
  paint(context: CanvasRenderingContext2D): void;
}

/** The pictures that are on the page now. */
class Pictures {
  readonly #shown = signal<readonly Picture[]>([]);
  readonly shown: ReadonlySignal<readonly Picture[]> = this.#shown;

  /** @returns a function that removes it */
  add(picture: Picture): () => void {
    this.#shown.value = [...this.#shown.peek(), picture];
    return () => (this.#shown.value = this.#shown.peek().filter((one) => one !== picture));
  }
}

export const PicturesContext = createContext(new Pictures());

/** CSS pixels. */
const [HEAD, LEGEND, MARGIN, LEAST_WIDTH, SWATCH] = [52, 28, 12, 480, 16] as const;
/** Largest width of a text in the legend, CSS pixels. */
const ITEM = 168;

/**
 * A picture with a title and the covered time above it, and its legend below, as it is saved.
 * @param name of the trace
 * @param visible text of the visible range
 */
export function framedPicture(picture: Picture, name: string, visible: string): Picture {
  const { legend = [], title } = picture;
  const columns = (width: number) => Math.max(1, Math.floor((width - 2 * MARGIN) / (ITEM + SWATCH)));
  const size = () => {
    const inner = picture.size();
    const width = Math.max(LEAST_WIDTH, inner.width);
    const lines = Math.ceil(legend.length / columns(width));
    return { width, height: HEAD + inner.height + lines * LEGEND };
  };
  const paint = (context: CanvasRenderingContext2D) => {
    const palette = picture.palette();
    if (palette === undefined) return;
    const { width, height } = size();
    fillBox(context, palette.canvas, 0, 0, width, height);
    context.textBaseline = 'middle';
    context.font = `600 14px ${palette.font}`;
    context.fillStyle = palette.text.css;
    context.fillText(`${name}: ${title}`, MARGIN, 18);
    context.font = `12px ${palette.font}`;
    context.fillStyle = palette.muted.css;
    context.fillText(picture.covers?.() ?? visible, MARGIN, 37);
    context.save();
    context.translate(0, HEAD);
    picture.paint(context);
    context.restore();
    const paint = statePainter(palette);
    context.textBaseline = 'middle';
    context.font = `12px ${palette.font}`;
    legend.forEach((code, i) => {
      const across = columns(width);
      const left = MARGIN + (i % across) * (ITEM + SWATCH);
      const top = HEAD + picture.size().height + Math.floor(i / across) * LEGEND + (LEGEND - SWATCH) / 2;
      paint(context, code, left, top, SWATCH, SWATCH);
      context.fillStyle = palette.text.css;
      context.fillText(DRAW_STYLES[code].label, left + SWATCH + 6, top + SWATCH / 2);
    });
  };
  return { ...picture, size, paint };
}

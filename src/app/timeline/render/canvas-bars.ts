/** Bars by Canvas 2D: the same rectangles where WebGL is missing or its context was lost. */
import {
  CAUSE_AT,
  FORM_AT,
  FORM_DENSITY,
  FORM_LOAD,
  FORM_MIXED,
  FORM_PLOT,
  INSTANCE_BYTES,
  SHARES_AT,
  SLOT_AT,
} from '../tiles/instances.ts';
import { DRAW_IDLE, DRAW_RUNNABLE, DRAW_STYLES, DRAW_UNKNOWN } from '../../draw/draw-codes.ts';
import type { Palette } from '../../draw/palette.ts';
import {
  BASE_LINE_PX,
  createStatePainter,
  SPAN_INSET_PX,
  type StatePainter,
} from '../../draw/state-painter.ts';
import { PATTERN_REPEAT, type BarFrame, type BarItem, type BarRenderer } from './bars.ts';

export function createCanvasBars(palette: Palette): BarRenderer {
  const canvas = document.createElement('canvas');
  let colours = palette;
  let painter = createStatePainter(palette);
  const draw = (frame: BarFrame) => {
    if (canvas.width !== frame.width) canvas.width = frame.width;
    if (canvas.height !== frame.height) canvas.height = frame.height;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.resetTransform();
    context.clearRect(0, 0, frame.width, frame.height);
    context.scale(frame.ratio, frame.ratio);
    paintBars(context, frame, painter, colours);
  };
  return {
    canvas,
    uploadedBytes: 0,
    setPalette: (next) => {
      colours = next;
      painter = createStatePainter(next);
    },
    draw,
    release: () => undefined,
    dispose: () => canvas.remove(),
  };
}

/** @param context in CSS pixels, with the origin at the top left of the rows */
export function paintBars(
  context: CanvasRenderingContext2D,
  frame: BarFrame,
  painter: StatePainter,
  palette: Palette,
): void {
  context.save();
  // The origin lies where the patterns begin to repeat.
  const shift = PATTERN_REPEAT - frame.phase / frame.ratio;
  context.translate(shift, 0);
  const pen = new BarPen(context, frame, painter, palette, shift);
  for (const item of frame.items) pen.item(item);
  context.restore();
}

/** One frame's drawing. All lengths in CSS pixels. */
class BarPen {
  readonly #context: CanvasRenderingContext2D;
  readonly #frame: BarFrame;
  readonly #painter: StatePainter;
  readonly #palette: Palette;
  readonly #shift: number;

  constructor(
    context: CanvasRenderingContext2D,
    frame: BarFrame,
    painter: StatePainter,
    palette: Palette,
    shift: number,
  ) {
    this.#context = context;
    this.#frame = frame;
    this.#painter = painter;
    this.#palette = palette;
    this.#shift = shift;
  }

  item({ instances, offset, scale, clipFrom, clipTo, rows }: BarItem): void {
    const { ratio, width: frameWidth } = this.#frame;
    const { bytes, count } = instances;
    const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const from = Math.max(0, clipFrom);
    const to = Math.min(frameWidth, clipTo);
    for (let i = 0; i < count; i++) {
      const at = i * INSTANCE_BYTES;
      const slot = bytes[at + SLOT_AT];
      const height = rows[slot * 2 + 1] / ratio;
      if (height === 0) continue;
      const begin = Math.round(offset + floats[at / 4] * scale);
      const end = Math.max(begin + 1, Math.round(offset + floats[at / 4 + 1] * scale));
      const left = Math.max(from, begin);
      const right = Math.min(to, end);
      if (right <= left) continue;
      const x = left / ratio - this.#shift;
      this.#instance(bytes, at, x, rows[slot * 2] / ratio, (right - left) / ratio, height);
    }
  }

  #instance(bytes: Uint8Array, at: number, x: number, y: number, width: number, height: number): void {
    const form = bytes[at + FORM_AT];
    const share = (i: number) => bytes[at + SHARES_AT + i] / 255;
    const { load, loadLine, density } = this.#palette;
    switch (form) {
      case FORM_MIXED:
        return this.#mixed(share, bytes[at + CAUSE_AT], x, y, width, height);
      case FORM_LOAD: {
        const used = ((share(0) + share(1)) / 2) * height;
        const most = ((share(2) + share(3)) / 2) * height;
        if (most > used) this.#state(DRAW_UNKNOWN, x, y + height - most, width, most);
        if (used === 0 && most > 0) return;
        const top = Math.max(1, used);
        this.#fill(load.css, x, y + height - top, width, top);
        const step = Math.max(1, Math.abs(share(1) - share(0)) * height);
        return this.#fill(loadLine.css, x, y + height - top, width, Math.min(step, top));
      }
      case FORM_PLOT: {
        const top = Math.max(1, share(1) * height);
        const line = Math.max(1, top - share(0) * height);
        this.#fill(load.css, x, y + height - top, width, top);
        return this.#fill(loadLine.css, x, y + height - top, width, line);
      }
      case FORM_DENSITY: {
        const bar = Math.max(1, share(0) * height);
        return this.#fill(density.css, x, y + height - bar, width, bar);
      }
      default:
        return this.#state(form, x, y, width, height);
    }
  }

  #mixed(
    share: (i: number) => number,
    cause: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ): void {
    const onCpu = share(0) + share(1) + share(2);
    const total = onCpu + share(3) + share(4) + share(5);
    if (cause === DRAW_IDLE) this.#state(cause, x, y, width, height);
    else if (DRAW_STYLES[cause].form === 'span') {
      const part = Math.max(1, share(4) * (height - 2 * SPAN_INSET_PX));
      this.#dim(cause);
      this.#fill(this.#palette.states[cause].solid.css, x, y + height - SPAN_INSET_PX - part, width, part);
      this.#undim();
    } else if (DRAW_STYLES[cause].form === 'wait' && share(4) > 0.1 && total > 0.6) {
      const colours = this.#palette.states[cause];
      this.#dim(cause);
      this.#fill(colours.tint.css, x, y, width, height);
      this.#fill(colours.solid.css, x, y + height - BASE_LINE_PX, width, BASE_LINE_PX);
    }
    const stretch = onCpu > 0 ? Math.max(1, 2 / (onCpu * height)) : 1;
    let base = y + height;
    const stack = (code: number, size: number) => {
      if (size <= 0) return;
      base -= size;
      this.#dim(code);
      this.#fill(this.#palette.states[code].solid.css, x, base, width, size);
    };
    for (let i = 0; i < 3; i++) stack(i + 1, share(i) * stretch * height);
    if (share(3) > 0) stack(DRAW_RUNNABLE, Math.max(1, share(3) * height));
    const unknown = share(5) * height;
    if (unknown > 0) this.#state(DRAW_UNKNOWN, x, base - unknown, width, unknown);
    this.#undim();
  }

  #state(code: number, x: number, y: number, width: number, height: number): void {
    this.#dim(code);
    this.#painter.paint(this.#context, code, x, y, width, height);
    this.#undim();
  }

  /** Another state is shown alone. Setting what is set already costs as much as a rectangle. */
  #dim(code: number): void {
    const { isolated } = this.#frame;
    if (isolated !== 0) this.#context.globalAlpha = isolated === code ? 1 : 0.25;
  }

  #undim(): void {
    if (this.#frame.isolated !== 0) this.#context.globalAlpha = 1;
  }

  #fill(style: string, x: number, y: number, width: number, height: number): void {
    this.#context.fillStyle = style;
    this.#context.fillRect(x, y, width, height);
  }
}

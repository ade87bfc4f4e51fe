/** Draws bars with Canvas 2D, if WebGL is missing or its context was lost. */
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
import type { Colour, Palette } from '../../draw/palette.ts';
import { fillBox } from '../../draw/pixels.ts';
import { BASE_LINE_PX, SPAN_INSET_PX, statePainter, type StatePainter } from '../../draw/state-painter.ts';
import { PATTERN_REPEAT, type BarFrame, type BarItem, type BarRenderer } from './bars.ts';

export function createCanvasBars(palette: Palette): BarRenderer {
  const canvas = document.createElement('canvas');
  let colours = palette;
  let paint = statePainter(palette);
  const draw = (frame: BarFrame) => {
    if (canvas.width !== frame.width) canvas.width = frame.width;
    if (canvas.height !== frame.height) canvas.height = frame.height;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.resetTransform();
    context.clearRect(0, 0, frame.width, frame.height);
    context.scale(frame.ratio, frame.ratio);
    paintBars(context, frame, paint, colours);
  };
  return {
    canvas,
    uploadedBytes: 0,
    setPalette: (next) => {
      colours = next;
      paint = statePainter(next);
    },
    draw,
    release: () => undefined,
    dispose: () => canvas.remove(),
  };
}

/** @param context in CSS pixels, as all lengths here are, with the origin at the top left of the rows */
export function paintBars(
  context: CanvasRenderingContext2D,
  frame: BarFrame,
  paint: StatePainter,
  palette: Palette,
): void {
  const { ratio, isolated } = frame;
  // The origin is moved to the begin of a period of the patterns.
  const shift = PATTERN_REPEAT - frame.phase / ratio;

  /** Makes states pale if another one is isolated. Setting an unchanged alpha would cost as much as a rectangle. */
  const dim = (code: number) => {
    if (isolated !== 0) context.globalAlpha = isolated === code ? 1 : 0.25;
  };
  const undim = () => {
    if (isolated !== 0) context.globalAlpha = 1;
  };
  const state = (code: number, x: number, y: number, width: number, height: number) => {
    dim(code);
    paint(context, code, x, y, width, height);
    undim();
  };

  const mixed = (
    share: (i: number) => number,
    cause: number,
    x: number,
    y: number,
    width: number,
    height: number,
  ) => {
    const onCpu = share(0) + share(1) + share(2);
    const total = onCpu + share(3) + share(4) + share(5);
    const colours = palette.states[cause];
    if (cause === DRAW_IDLE) state(cause, x, y, width, height);
    else if (DRAW_STYLES[cause].form === 'span') {
      const part = Math.max(1, share(4) * (height - 2 * SPAN_INSET_PX));
      dim(cause);
      fillBox(context, colours.solid, x, y + height - SPAN_INSET_PX - part, width, part);
      undim();
    } else if (DRAW_STYLES[cause].form === 'wait' && share(4) > 0.1 && total > 0.6) {
      dim(cause);
      fillBox(context, colours.tint, x, y, width, height);
      fillBox(context, colours.solid, x, y + height - BASE_LINE_PX, width, BASE_LINE_PX);
    }
    const stretch = onCpu > 0 ? Math.max(1, 2 / (onCpu * height)) : 1;
    let base = y + height;
    const stack = (code: number, size: number) => {
      if (size <= 0) return;
      base -= size;
      dim(code);
      fillBox(context, palette.states[code].solid, x, base, width, size);
    };
    for (let i = 0; i < 3; i++) stack(i + 1, share(i) * stretch * height);
    if (share(3) > 0) stack(DRAW_RUNNABLE, Math.max(1, share(3) * height));
    const unknown = share(5) * height;
    if (unknown > 0) state(DRAW_UNKNOWN, x, base - unknown, width, unknown);
    undim();
  };

  const instance = (bytes: Uint8Array, at: number, x: number, y: number, width: number, height: number) => {
    const form = bytes[at + FORM_AT];
    const share = (i: number) => bytes[at + SHARES_AT + i] / 255;
    /** Fills the row from its base up to a height. */
    const area = (colour: Colour, top: number, part = top) =>
      fillBox(context, colour, x, y + height - top, width, part);
    switch (form) {
      case FORM_MIXED:
        return mixed(share, bytes[at + CAUSE_AT], x, y, width, height);
      case FORM_LOAD: {
        const used = ((share(0) + share(1)) / 2) * height;
        const most = ((share(2) + share(3)) / 2) * height;
        if (most > used) state(DRAW_UNKNOWN, x, y + height - most, width, most);
        if (used === 0 && most > 0) return;
        const top = Math.max(1, used);
        area(palette.load, top);
        const step = Math.max(1, Math.abs(share(1) - share(0)) * height);
        return area(palette.loadLine, top, Math.min(step, top));
      }
      case FORM_PLOT: {
        const top = Math.max(1, share(1) * height);
        area(palette.load, top);
        return area(palette.loadLine, top, Math.max(1, top - share(0) * height));
      }
      case FORM_DENSITY:
        return area(palette.density, Math.max(1, share(0) * height));
      default:
        return state(form, x, y, width, height);
    }
  };

  const item = ({ instances, offset, scale, clipFrom, clipTo, rows }: BarItem) => {
    const { bytes, count } = instances;
    const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const from = Math.max(0, clipFrom);
    const to = Math.min(frame.width, clipTo);
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
      instance(bytes, at, left / ratio - shift, rows[slot * 2] / ratio, (right - left) / ratio, height);
    }
  };

  context.save();
  context.translate(shift, 0);
  frame.items.forEach(item);
  context.restore();
}

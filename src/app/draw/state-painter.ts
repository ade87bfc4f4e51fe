/** Draws states with Canvas 2D, for swatches, and for rows without WebGL. The shader draws the same forms. */
import { DRAW_STYLES, type Pattern } from './draw-codes.ts';
import type { Palette } from './palette.ts';

/** Heights in parts of a bar (16 px in a row of 20). */
export const READY_PART = 10 / 16;
export const BASE_LINE_PX = 3;
/** Space above and below a span, which distinguishes it from a state. */
export const SPAN_INSET_PX = 2;
/** Width from which on waits have their pattern. */
export const PATTERN_MIN_PX = 8;
/** Side of the square that a pattern repeats in. */
export const PATTERN_PERIOD: Record<Pattern, number> = {
  plain: 1,
  dots: 6,
  lines: 4,
  'back-diagonals': 6,
  'dense-diagonals': 4,
  columns: 5,
  checks: 8,
};
const HATCH_PERIOD = 6;

/** Fills the box of a bar whose top left is (x, y). */
export type StatePainter = (
  context: CanvasRenderingContext2D,
  code: number,
  x: number,
  y: number,
  width: number,
  height: number,
) => void;

export function statePainter(palette: Palette): StatePainter {
  const patterns = new Map<string, CanvasPattern | undefined>();
  const pattern = (context: CanvasRenderingContext2D, kind: Pattern | 'hatch', colour: string) => {
    const key = `${kind} ${colour}`;
    if (!patterns.has(key)) patterns.set(key, makePattern(context, kind, colour));
    return patterns.get(key);
  };
  return (context, code, x, y, width, height) => {
    const { form, pattern: kind } = DRAW_STYLES[code];
    const colours = palette.states[code];
    const fill = (style: string | CanvasPattern | undefined, top: number, h: number) => {
      if (style === undefined) return;
      context.fillStyle = style;
      context.fillRect(x, top, width, h);
    };
    switch (form) {
      case 'none':
        return;
      case 'full':
        return fill(colours.solid.css, y, height);
      case 'span':
        return fill(colours.solid.css, y + SPAN_INSET_PX, height - 2 * SPAN_INSET_PX);
      case 'ready':
        return fill(colours.solid.css, y + height * (1 - READY_PART), height * READY_PART);
      case 'line':
        return fill(palette.strongLine.css, y + height - 1, 1);
      case 'hatch':
        fill(palette.sunken.css, y, height);
        return fill(pattern(context, 'hatch', colours.solid.css), y, height);
      case 'wait':
        fill(colours.tint.css, y, height);
        if (kind !== 'plain' && width >= PATTERN_MIN_PX) {
          fill(pattern(context, kind, colours.pattern.css), y, height - BASE_LINE_PX);
        }
        return fill(colours.solid.css, y + height - BASE_LINE_PX, BASE_LINE_PX);
    }
  };
}

function makePattern(context: CanvasRenderingContext2D, kind: Pattern | 'hatch', colour: string) {
  const size = kind === 'hatch' ? HATCH_PERIOD : PATTERN_PERIOD[kind];
  const tile = document.createElement('canvas');
  tile.width = tile.height = size;
  const g = tile.getContext('2d');
  if (!g) return undefined;
  g.fillStyle = g.strokeStyle = colour;
  paintPattern(g, kind, size);
  return context.createPattern(tile, 'repeat') ?? undefined;
}

function paintPattern(g: CanvasRenderingContext2D, kind: Pattern | 'hatch', size: number): void {
  const diagonals = (rising: boolean, width: number) => {
    g.lineWidth = width;
    g.beginPath();
    for (const shift of [-size, 0, size]) {
      g.moveTo(shift - 1, rising ? size + 1 : -1);
      g.lineTo(shift + size + 1, rising ? -1 : size + 1);
    }
    g.stroke();
  };
  switch (kind) {
    case 'plain':
      return;
    case 'dots':
      g.fillRect(1, 1, 1, 1);
      return g.fillRect(1 + size / 2, 1 + size / 2, 1, 1);
    case 'lines':
      return g.fillRect(0, 1, size, 1);
    case 'columns':
      return g.fillRect(1, 0, 1, size);
    case 'checks':
      g.fillRect(0, 0, size / 4, 1);
      return g.fillRect(size / 2, size / 2, size / 4, 1);
    case 'back-diagonals':
      return diagonals(false, 1);
    case 'dense-diagonals':
      return diagonals(true, 1);
    case 'hatch':
      return diagonals(true, 1.2);
  }
}

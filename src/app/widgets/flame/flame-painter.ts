/**
 * Draws the boxes of a flame graph: workers neutral and bold, states in their form. If two trees are compared, a frame is
 * filled to the length of its value in the colour of the difference, a line at its base has the length of its value in
 * the other tree, and a frame without a value is only an outline.
 */
import { fillBox, type TextWidths } from '../../draw/pixels.ts';
import { statePainter } from '../../draw/state-painter.ts';
import { DRAW_STYLES } from '../../draw/draw-codes.ts';
import type { Palette } from '../../draw/palette.ts';
import { type FlameBox, type FlameFrame, type FlameTree, type OtherFrame, roomOf } from './flame-tree.ts';

/** Height of a row with its gap, CSS pixels. */
export const FLAME_ROW = 22;
const GAP = 1;
const TEXT_PADDING = 5;
/** Opacity of frames that do not match a search. */
const PALE = 0.3;

interface FlamePicture {
  readonly context: CanvasRenderingContext2D;
  readonly tree: FlameTree;
  readonly boxes: readonly FlameBox[];
  readonly rowOf: (depth: number) => number;
  readonly palette: Palette;
  /** Frame with a ring; -1: none. */
  readonly focused: number;
  /** Frame under the pointer; -1: none. */
  readonly hovered: number;
  /** undefined: nothing is searched. */
  readonly matches: ((text: string) => boolean) | undefined;
  readonly widths: TextWidths;
  readonly format: (value: number) => string;
}

export function paintFlame(picture: FlamePicture): void {
  const { context, tree, boxes, rowOf, palette, matches } = picture;
  const paint = statePainter(palette);
  const height = FLAME_ROW - GAP;
  context.textBaseline = 'middle';
  for (const { frame, depth, x, width } of boxes) {
    const y = rowOf(depth) * FLAME_ROW;
    const { text, code, other } = tree.frames[frame];
    const isHovered = frame === picture.hovered;
    const w = Math.max(1, width - GAP);
    context.globalAlpha = matches === undefined || matches(text) ? 1 : PALE;
    if (other !== undefined) paintCompared(tree.frames[frame], other, x, y, w, picture);
    else {
      if (code === 0) fillBox(context, isHovered ? palette.line : palette.sunken, x, y, w, height);
      else if (DRAW_STYLES[code].form === 'span')
        fillBox(context, palette.states[code][isHovered ? 'pattern' : 'tint'], x, y, w, height);
      else paint(context, code, x, y, w, height);
      paintText(tree.frames[frame], x, y, w, picture);
    }
    context.globalAlpha = 1;
    if (frame === picture.focused) paintRing(x, y, w, picture);
  }
}

/** Thickness of the line of the other tree, CSS pixels. */
const OTHER_LINE = 2;

function paintCompared(
  frame: FlameFrame,
  other: OtherFrame,
  x: number,
  y: number,
  width: number,
  { context, palette, widths, format }: FlamePicture,
): void {
  const { solid, text: ink } = palette.differences[other.step + 3];
  const height = FLAME_ROW - GAP;
  const scale = width / roomOf(frame);
  const filled = frame.value === 0 ? 0 : Math.max(1, frame.value * scale);
  fillBox(context, solid, x, y, filled, height);
  if (width - filled > 2) {
    context.lineWidth = 1;
    context.setLineDash([3, 2]);
    context.strokeStyle = palette.differences[other.step < 0 ? 0 : 3].solid.css;
    context.strokeRect(x + filled + 0.5, y + 0.5, width - filled - 1, height - 1);
    context.setLineDash([]);
  }
  fillBox(context, palette.text, x, y + height - OTHER_LINE, other.value * scale, OTHER_LINE);
  context.font = `11px ${palette.font}`;
  const ofA = other.value === 0 ? 'not in A' : `A ${format(other.value)}`;
  const numbers = `${frame.text}  ${format(frame.value)}, ${ofA}`;
  const text = [numbers, frame.text].find(
    (one) => widths.of(context, one) + 2 * TEXT_PADDING <= (frame.value === 0 ? width : filled),
  );
  if (text === undefined) return;
  context.fillStyle = frame.value === 0 ? palette.muted.css : ink.css;
  context.fillText(text, x + TEXT_PADDING, y + height / 2);
}

function paintText(
  { text, short = text, code }: FlameFrame,
  x: number,
  y: number,
  width: number,
  { context, palette, widths }: FlamePicture,
): void {
  const bold = code === 0;
  context.font = `${bold ? '600 ' : ''}11px ${palette.font}`;
  // Widths are of normal text; bold text is a little wider.
  const lengthOf = (words: string) => widths.of(context, words) * (bold ? 1.08 : 1);
  const room = width - 2 * TEXT_PADDING;
  const shown = [text, short].find((words) => lengthOf(words) <= room) ?? cut(short, room / lengthOf(short));
  if (shown === '') return;
  const { form } = DRAW_STYLES[code];
  const middle = y + FLAME_ROW / 2;
  if (form === 'wait' || form === 'ready' || form === 'hatch' || form === 'line') {
    const ground = form === 'wait' ? palette.states[code].tint : palette.canvas;
    fillBox(context, ground, x + TEXT_PADDING - 2, y + 2, Math.min(room, lengthOf(shown)) + 4, FLAME_ROW - 8);
    context.fillStyle = palette.text.css;
  } else {
    context.fillStyle = bold || form === 'span' ? palette.text.css : palette.states[code].text.css;
  }
  context.fillText(shown, x + TEXT_PADDING, middle - (form === 'wait' ? 1 : 0), room);
}

/** Least characters of a text that is cut. */
const LEAST_CHARACTERS = 4;

/** The share of a text that fits, with an ellipsis; '' if it is too short. */
function cut(text: string, share: number): string {
  const characters = Math.floor(text.length * share) - 1;
  return characters < LEAST_CHARACTERS ? '' : `${text.slice(0, characters)}…`;
}

function paintRing(x: number, y: number, width: number, { context, palette }: FlamePicture): void {
  context.lineWidth = 2;
  context.strokeStyle = palette.select.css;
  context.strokeRect(x + 1, y + 1, Math.max(1, width - 2), FLAME_ROW - GAP - 2);
}

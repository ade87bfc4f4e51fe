/** Paints the ruler: ticks with labels, the pointer's time, and the selected range with its length. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import { formatExact } from '../../format/numbers.ts';
import type { Colour, Palette } from '../../draw/palette.ts';
import { fillBox } from '../../draw/pixels.ts';
import { axisOf } from '../parts/ticks.ts';
import { exactTime, type TimeStyle } from '../time-text.ts';
import { xOfTime, type TimeRange, type Viewport } from '../view/viewport.ts';

interface Ruler {
  readonly context: CanvasRenderingContext2D;
  readonly view: Viewport;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  readonly style: TimeStyle;
  readonly hoverNs: number | undefined;
  readonly range: TimeRange | undefined;
}

const MAJOR = 8;
const MINOR = 4;
const LABEL_Y = 11;
const RANGE_LINE = 3;
const PILL_HEIGHT = 17;
const PILL_PADDING = 6;
const PILL_GAP = 4;

/** Part of the ruler that a pill covers, where no label is painted. */
interface Span {
  readonly left: number;
  readonly right: number;
}

export function paintRuler(ruler: Ruler): void {
  const { context, palette, range, hoverNs } = ruler;
  context.textBaseline = 'middle';
  const taken: Span[] = [];
  const pillSpan = range && paintRange(range, ruler);
  if (pillSpan) taken.push(pillSpan);
  context.font = `11px ${palette.font}`;
  const flag = hoverNs === undefined ? undefined : flagOf(hoverNs, pillSpan, ruler);
  if (flag) taken.push(flag);
  paintTicks(ruler, taken);
  if (range) {
    paintRangeLine(range, ruler);
    paintPill(range, ruler);
  }
  if (flag && hoverNs !== undefined) paintFlag(hoverNs, flag, ruler);
}

function paintTicks(ruler: Ruler, taken: readonly Span[]): void {
  const { context, view, width, height, palette, style } = ruler;
  const axis = axisOf(view, width, style);
  const free = (left: number, right: number) =>
    taken.every((span) => right < span.left - 6 || left > span.right + 6);
  const write = (text: string, x: number) => {
    const right = x + context.measureText(text).width;
    if (right < width - 2 && free(x, right)) context.fillText(text, x, LABEL_Y);
    return right;
  };
  let from = 0;
  if (axis.leading !== undefined) {
    context.font = `600 11px ${palette.font}`;
    context.fillStyle = palette.text.css;
    from = write(axis.leading, 6) + 8;
  }
  context.fillStyle = palette.strongLine.css;
  for (const { timeNs } of axis.ticks)
    context.fillRect(Math.round(xOfTime(view, width, timeNs)), height - MAJOR, 1, MAJOR);
  // Setting a font costs more than a text, so it is set only when it changes.
  let isBase: boolean | undefined;
  for (const { timeNs, label, base } of axis.ticks) {
    const x = Math.round(xOfTime(view, width, timeNs)) + 4;
    if (x < from) continue;
    if (base !== isBase) {
      isBase = base;
      context.font = `${base ? '600 ' : ''}11px ${palette.font}`;
      context.fillStyle = (base ? palette.text : palette.muted).css;
    }
    write(label, x);
  }
  if (axis.stepNs < 5) return;
  const minor = (axis.stepNs / 5) * (width / view.span);
  const first = axis.ticks[0] ? xOfTime(view, width, axis.ticks[0].timeNs) : 0;
  context.fillStyle = palette.line.css;
  for (let x = first - 5 * minor; x < width; x += minor)
    context.fillRect(Math.round(x), height - MINOR, 1, MINOR);
}

function paintRange(range: TimeRange, ruler: Ruler): Span {
  const { context, height, palette } = ruler;
  const [from, to] = edgesOf(range, ruler);
  fillBox(context, palette.accentWash, from, 0, to - from, height);
  return pillOf(range, ruler);
}

/** CSS pixels of the ends of a range, limited to where their handles would be visible. */
function edgesOf({ from, to }: TimeRange, { view, width }: Ruler): readonly [number, number] {
  return [Math.max(-8, xOfTime(view, width, from)), Math.min(width + 8, xOfTime(view, width, to))];
}

/** Paints the line of the range over the ticks, with a handle at either end. */
function paintRangeLine(range: TimeRange, ruler: Ruler): void {
  const { context, height, palette } = ruler;
  const [from, to] = edgesOf(range, ruler);
  fillBox(context, palette.accent, from, height - RANGE_LINE, Math.max(2, to - from), RANGE_LINE);
  for (const x of [from, to]) context.fillRect(Math.round(x) - 1, height - 14, 2, 14);
}

function pillOf(range: TimeRange, { context, view, width, palette }: Ruler): Span {
  context.font = `600 11px ${palette.font}`;
  const length = context.measureText(formatExact(range.to - range.from)).width + 2 * PILL_PADDING;
  const from = Math.max(0, xOfTime(view, width, range.from));
  const to = Math.min(width, xOfTime(view, width, range.to));
  const left = Math.max(2, Math.min(width - length - 2, (from + to - length) / 2));
  return { left, right: left + length };
}

function paintPill(range: TimeRange, ruler: Ruler): void {
  const { context, palette, view, width } = ruler;
  if (xOfTime(view, width, range.to) < 0 || xOfTime(view, width, range.from) > width) return;
  const { left, right } = pillOf(range, ruler);
  pill(context, left, 3, right - left, palette.accent);
  context.fillStyle = palette.onAccent.css;
  context.fillText(formatExact(range.to - range.from), left + PILL_PADDING, 12);
}

/** Place of the pointer's time: over the crosshair, or beside the range's pill, since both are read during a drag. */
function flagOf(time: DisplayNs, beside: Span | undefined, { context, view, width, style }: Ruler): Span {
  const length = context.measureText(exactTime(time, style)).width + 2 * PILL_PADDING;
  const x = xOfTime(view, width, time);
  const left = Math.max(2, Math.min(width - length - 2, x - length / 2));
  if (beside === undefined || left + length < beside.left || left > beside.right)
    return { left, right: left + length };
  const before = beside.left - PILL_GAP - length;
  const behind = beside.right + PILL_GAP;
  const fits = behind + length <= width;
  const at = before < 0 || (fits && x > (beside.left + beside.right) / 2) ? behind : before;
  return { left: at, right: at + length };
}

function paintFlag(time: DisplayNs, flag: Span, ruler: Ruler): void {
  const { context, palette, style, view, width, height } = ruler;
  context.globalAlpha = 0.55;
  fillBox(context, palette.text, Math.round(xOfTime(view, width, time)), 20, 1, height - 20);
  context.globalAlpha = 1;
  context.font = `11px ${palette.font}`;
  pill(context, flag.left, 4, flag.right - flag.left, palette.text);
  context.fillStyle = palette.canvas.css;
  context.fillText(exactTime(time, style), flag.left + PILL_PADDING, 13);
}

function pill(context: CanvasRenderingContext2D, x: number, y: number, width: number, { css }: Colour): void {
  context.fillStyle = css;
  context.beginPath();
  context.roundRect(x, y, width, PILL_HEIGHT, 3);
  context.fill();
}

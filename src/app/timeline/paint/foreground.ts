/** Foreground above the bars: texts in them, lost events, notes, the selection and the crosshair. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { HostInfo } from '../../../engine/protocol/session.ts';
import { barBox, visibleLaid, type SceneFrame } from '../tiles/draw-list.ts';
import { DRAW_NONE, DRAW_STYLES, drawCodeOf } from '../../draw/draw-codes.ts';
import { levelOf } from '../tiles/levels.ts';
import type { Palette } from '../../draw/palette.ts';
import { fillBox } from '../../draw/pixels.ts';
import type { LaidRow } from '../rows/row-layout.ts';
import { readRow } from '../rows/row-reader.ts';
import type { RowSeries } from '../tiles/series.ts';
import type { TileStore } from '../tiles/tile-store.ts';
import type { ShownPath } from '../view/shown-path.ts';
import type { SelectedInterval } from '../view/view-selection.ts';
import { rangeOf, xOfTime, type TimeRange } from '../view/viewport.ts';
import { paintNoteLines } from './notes.ts';
import { isInSight } from './path.ts';
import type { TextWidths } from '../../draw/pixels.ts';

export interface Foreground {
  readonly context: CanvasRenderingContext2D;
  readonly frame: SceneFrame;
  readonly palette: Palette;
  readonly hosts: ReadonlyMap<number, HostInfo>;
  readonly store: TileStore;
  readonly series: RowSeries;
  readonly widths: TextWidths;
  /** Text that says more about an interval than its state, if it is known. */
  readonly nameOf: (row: string, from: DisplayNs, value: number) => string | undefined;
  /** Path whose scrim makes texts pale. */
  readonly path: ShownPath | undefined;
  readonly selected: SelectedInterval | undefined;
  readonly range: TimeRange | undefined;
  readonly hoverNs: number | undefined;
  readonly notes: readonly TimeRange[];
}

const TEXT_PADDING = 5;
/** Least width of an interval with a text, CSS pixels. */
const LEAST_TEXT_WIDTH = 26;
/** Least width of a wait with a text, CSS pixels, since most of the picture are waits. */
const LEAST_WAIT_WIDTH = 120;
const LOST_HEIGHT = 2;

export function paintForeground(foreground: Foreground): void {
  const { context, frame, palette, hoverNs } = foreground;
  const bottom = Math.min(frame.height, frame.layout.height - frame.scrollTop);
  context.font = `11px ${palette.font}`;
  context.textBaseline = 'middle';
  for (const laid of visibleLaid(frame)) {
    paintTexts(laid, foreground);
    if (laid.row.kind === 'cpu') paintLost(laid, foreground);
  }
  paintNoteLines(foreground);
  if (foreground.selected) paintSelection(foreground.selected, foreground);
  if (hoverNs !== undefined) {
    context.globalAlpha = 0.55;
    fillBox(context, palette.text, Math.round(xOfTime(frame.view, frame.width, hoverNs)), 0, 1, bottom);
    context.globalAlpha = 1;
  }
}

function paintTexts(laid: LaidRow, foreground: Foreground): void {
  const series = foreground.series(laid.row);
  if (series.kind !== 'states') return;
  const { frame, store } = foreground;
  const seen = rangeOf(frame.view);
  const level = levelOf(frame.view, frame.width * frame.ratio);
  readRow({ store, series, level }, seen.from, seen.to, {
    leastNs: (LEAST_TEXT_WIDTH / frame.width) * frame.view.span,
    interval: (begin, end, value) => {
      const left = Math.max(0, xOfTime(frame.view, frame.width, begin));
      const right = Math.min(frame.width, xOfTime(frame.view, frame.width, end));
      const code = drawCodeOf(laid.row.kind, value);
      const { form, label, word } = DRAW_STYLES[code];
      if (code === DRAW_NONE || form === 'line' || form === 'hatch') return;
      if (form === 'wait' && right - left < LEAST_WAIT_WIDTH) return;
      const name = foreground.nameOf(laid.row.id, begin, value);
      // Tested where the text begins, since a path may begin or end within the interval.
      const at = Math.max(begin, seen.from);
      const pale = foreground.path !== undefined && !isInSight(foreground.path, laid.row.id, at);
      const bar = { code, x: left, width: right - left, laid, pale };
      for (const text of [name, form === 'wait' ? label : word])
        if (text && paintText(text, bar, foreground)) return;
    },
  });
}

interface TextBar {
  readonly code: number;
  /** CSS pixels. */
  readonly x: number;
  readonly width: number;
  readonly laid: LaidRow;
  /** Whether it is under the scrim of a path. */
  readonly pale: boolean;
}

/** @returns false: it does not fit, and nothing is drawn */
function paintText(text: string, { code, x, width, laid, pale }: TextBar, foreground: Foreground): boolean {
  const { context, frame, palette, widths } = foreground;
  const { form } = DRAW_STYLES[code];
  const length = widths.of(context, text);
  if (length + 2 * TEXT_PADDING > width) return false;
  const { top, height } = barBox(laid, frame.scrollTop);
  const colours = palette.states[code];
  if (form === 'wait') {
    fillBox(context, colours.tint, x + TEXT_PADDING - 2, top, length + 4, height - 4);
    context.fillStyle = palette.muted.css;
    context.fillText(text, x + TEXT_PADDING, top + 7);
    return true;
  }
  context.fillStyle = pale ? palette.muted.css : colours.text.css;
  context.fillText(text, x + TEXT_PADDING, form === 'ready' ? top + 11.5 : top + height / 2 + 0.5);
  return true;
}

function paintLost(laid: LaidRow, { context, frame, palette, hosts }: Foreground): void {
  const y = laid.y - frame.scrollTop;
  for (const { cpu, from, to } of hosts.get(laid.row.host)?.lost ?? []) {
    if (cpu !== laid.row.cpu) continue;
    const left = Math.max(0, Math.round(xOfTime(frame.view, frame.width, from)));
    const right = Math.min(frame.width, Math.round(xOfTime(frame.view, frame.width, to)));
    if (right < 0 || left > frame.width) continue;
    fillBox(context, palette.lost, left, y, Math.max(2, right - left), LOST_HEIGHT);
  }
}

/** A box of 2 px with a halo of 1 px outside; around an interval of 1 px it is 5 px wide. */
function paintSelection(selected: SelectedInterval, { context, frame, palette }: Foreground): void {
  const laid = frame.layout.find(selected.row);
  if (!laid) return;
  const left = Math.max(-4, Math.round(xOfTime(frame.view, frame.width, selected.from)));
  const right = Math.min(frame.width + 4, Math.round(xOfTime(frame.view, frame.width, selected.to)));
  if (right < 0 || left > frame.width) return;
  const width = Math.max(1, right - left);
  const y = laid.y - frame.scrollTop;
  context.lineWidth = 1;
  context.strokeStyle = palette.canvas.css;
  context.strokeRect(left - 2.5, y - 0.5, width + 5, laid.height);
  context.lineWidth = 2;
  context.strokeStyle = palette.select.css;
  context.strokeRect(left - 1, y + 1, width + 2, laid.height - 3);
}

/** Backdrop of the bars: row lines, grid, selections, notes, the reading line, what was not recorded or read. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { HostInfo, Overview } from '../../../engine/protocol/session.ts';
import { formatDuration } from '../../format/numbers.ts';
import type { Axis } from '../parts/ticks.ts';
import { visibleLaid, type SceneFrame } from '../tiles/draw-list.ts';
import type { Palette } from '../../draw/palette.ts';
import { fillBox } from '../../draw/pixels.ts';
import type { LaidRow } from '../rows/row-layout.ts';
import { xOfTime, type TimeRange } from '../view/viewport.ts';
import { paintNoteBands } from './notes.ts';

export interface Backdrop {
  readonly context: CanvasRenderingContext2D;
  readonly frame: SceneFrame;
  readonly palette: Palette;
  readonly axis: Axis;
  readonly hosts: ReadonlyMap<number, HostInfo>;
  readonly overview: Overview | undefined;
  readonly selectedRow: string | undefined;
  readonly range: TimeRange | undefined;
  readonly notes: readonly TimeRange[];
  /** Display ns up to which rows are read; Infinity when all is. */
  readonly readTo: number;
  /** Whether reading has ended. */
  readonly isOver: boolean;
}

export function paintBackdrop(backdrop: Backdrop): void {
  const { context, frame, palette, axis, range } = backdrop;
  const rows = visibleLaid(frame);
  const bottom = Math.min(frame.height, frame.layout.height - frame.scrollTop);
  for (const laid of rows) paintRow(laid, backdrop);
  for (const { timeNs } of axis.ticks)
    fillBox(context, palette.grid, Math.round(xOfTime(frame.view, frame.width, timeNs)), 0, 1, bottom);
  for (const laid of rows) paintUnrecorded(laid, backdrop);
  if (backdrop.readTo < Infinity) paintUnread(rows, bottom, backdrop);
  paintNoteBands(backdrop);
  if (range) paintRange(range, backdrop);
}

function paintRow(laid: LaidRow, { context, frame, palette, selectedRow }: Backdrop): void {
  const y = laid.y - frame.scrollTop;
  const host = laid.row.kind === 'host';
  const ground = laid.row.id === selectedRow ? palette.accentWash : host ? palette.sunken : undefined;
  if (ground) fillBox(context, ground, 0, y, frame.width, laid.height);
  fillBox(context, host ? palette.line : palette.softLine, 0, y + laid.height - 1, frame.width, 1);
}

/** Darker ground where the host was not recorded, with a text in the host's row. */
function paintUnrecorded(laid: LaidRow, backdrop: Backdrop): void {
  const { context, frame, palette, hosts } = backdrop;
  const host = hosts.get(laid.row.host);
  if (!host) return;
  const y = laid.y - frame.scrollTop;
  const height = laid.height - 1;
  const x = (time: DisplayNs) => Math.round(xOfTime(frame.view, frame.width, time));
  const ground = (from: number, to: number) => fillBox(context, palette.sunken, from, y, to - from, height);
  const edge = (at: number) => fillBox(context, palette.strongLine, at, y, 1, height);
  const say = (words: string, from: number, room: number) => {
    if (laid.row.kind === 'host') note(`Not recorded${words}`, from + 8, y + 12, room - 16, backdrop);
  };
  const begin = x(host.firstNs);
  if (begin > 0) {
    ground(0, Math.min(begin, frame.width));
    edge(begin);
  }
  // While reading, the time not read yet is no end of the recording.
  const end = x(host.lastNs);
  const hasEnd = end < frame.width - 1 && backdrop.readTo === Infinity;
  if (hasEnd) {
    ground(Math.max(0, end), frame.width);
    edge(end);
  }
  for (const { from, to } of host.notRecorded) {
    const [left, right] = [Math.max(-1, x(from)), Math.min(frame.width, x(to))];
    if (right <= 0 || left >= frame.width) continue;
    ground(left, Math.max(left + 1, right));
    edge(left);
    edge(right);
    say(`, ${formatDuration(to - from)}`, left, right - left);
  }
  if (begin > 0) say(` before ${formatDuration(host.firstNs)}`, 0, begin);
  else if (hasEnd) say(` after ${formatDuration(host.lastNs)}`, end, frame.width - end);
}

/** The reading line, which no bar crosses, and right of it an estimate from packet headers in the hosts' rows. */
function paintUnread(rows: readonly LaidRow[], bottom: number, backdrop: Backdrop): void {
  const { context, frame, palette, readTo, isOver, overview } = backdrop;
  const line = Math.round(xOfTime(frame.view, frame.width, readTo));
  const from = Math.max(0, line);
  if (from >= frame.width) return;
  for (const laid of rows) {
    if (laid.row.kind !== 'host') continue;
    const density = overview?.hosts.find((h) => h.host === laid.row.host)?.density;
    if (overview && density) paintEstimate(laid, density, overview.bucketNs, from, backdrop);
  }
  fillBox(context, palette.accent, line, 0, 1, bottom);
  const place = rows.find((laid) => laid.row.kind === 'thread' || laid.row.kind === 'process');
  if (!place) return;
  const y = place.y - frame.scrollTop + place.height / 2;
  const words = `${isOver ? 'Not read' : 'Not read yet'}: load from packet headers only`;
  note(words, from + 8, y, frame.width - from - 16, backdrop);
}

function paintEstimate(
  laid: LaidRow,
  density: Float32Array,
  bucketNs: number,
  from: number,
  { context, frame, palette }: Backdrop,
): void {
  const greatest = density.reduce((a, b) => (b > a ? b : a), 0);
  if (greatest === 0) return;
  const base = laid.y - frame.scrollTop + laid.height - 2;
  const room = laid.height - 5;
  const nsPerPixel = frame.view.span / frame.width;
  context.globalAlpha = 0.5;
  for (let x = from; x < frame.width; x++) {
    const value = density[Math.floor((frame.view.start + x * nsPerPixel) / bucketNs)] ?? 0;
    const height = (value / greatest) * room;
    if (height > 0) fillBox(context, palette.load, x, base - height, 1, height);
  }
  context.globalAlpha = 1;
}

function paintRange(range: TimeRange, { context, frame, palette }: Backdrop): void {
  const from = Math.max(0, Math.round(xOfTime(frame.view, frame.width, range.from)));
  const to = Math.min(frame.width, Math.round(xOfTime(frame.view, frame.width, range.to)));
  if (to <= from) return;
  context.globalAlpha = 0.07;
  fillBox(context, palette.accent, from, 0, to - from, frame.height);
  context.globalAlpha = 1;
}

/** Faint text, only if it fits. */
function note(text: string, x: number, y: number, room: number, { context, palette }: Backdrop): void {
  context.font = `11px ${palette.font}`;
  if (context.measureText(text).width > room) return;
  context.fillStyle = palette.faint.css;
  context.textBaseline = 'middle';
  context.fillText(text, x, y);
}

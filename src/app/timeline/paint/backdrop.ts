/**
 * Backdrop of the bars: row lines, grid, selected row and range, stretches with notes, the reading line, and the time
 * that was not recorded or read.
 */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { HostInfo, Overview } from '../../../engine/protocol/session.ts';
import { formatDuration } from '../../format/numbers.ts';
import type { Axis } from '../parts/ticks.ts';
import { visibleRows, type SceneFrame } from '../tiles/draw-list.ts';
import type { Palette } from '../../draw/palette.ts';
import type { LaidRow } from '../rows/row-layout.ts';
import { xOfTime, type TimeRange } from '../view/viewport.ts';
import { paintNoteBands } from './notes.ts';

export interface Backdrop {
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
  /** Nothing more is read. */
  readonly isOver: boolean;
}

export function paintBackdrop(context: CanvasRenderingContext2D, backdrop: Backdrop): void {
  const { frame, palette, axis, range } = backdrop;
  const seen = visibleRows(frame);
  const rows = frame.layout.slice(seen.first, seen.last + 1);
  const bottom = Math.min(frame.height, frame.layout.height - frame.scrollTop);
  for (const laid of rows) paintRow(context, laid, backdrop);
  context.fillStyle = palette.grid.css;
  for (const { timeNs } of axis.ticks) {
    context.fillRect(Math.round(xOfTime(frame.view, frame.width, timeNs)), 0, 1, bottom);
  }
  for (const laid of rows) paintUnrecorded(context, laid, backdrop);
  if (backdrop.readTo < Infinity) paintUnread(context, rows, bottom, backdrop);
  paintNoteBands(context, backdrop);
  if (range) paintRange(context, range, backdrop);
}

function paintRow(
  context: CanvasRenderingContext2D,
  laid: LaidRow,
  { frame, palette, selectedRow }: Backdrop,
): void {
  const y = laid.y - frame.scrollTop;
  const host = laid.row.kind === 'host';
  const ground = laid.row.id === selectedRow ? palette.accentWash : host ? palette.sunken : undefined;
  if (ground) {
    context.fillStyle = ground.css;
    context.fillRect(0, y, frame.width, laid.height);
  }
  context.fillStyle = (host ? palette.line : palette.softLine).css;
  context.fillRect(0, y + laid.height - 1, frame.width, 1);
}

/** Sunken ground where the host was not recorded; the host's row says so. */
function paintUnrecorded(context: CanvasRenderingContext2D, laid: LaidRow, backdrop: Backdrop): void {
  const { frame, palette, hosts } = backdrop;
  const host = hosts.get(laid.row.host);
  if (!host) return;
  const y = laid.y - frame.scrollTop;
  const x = (time: DisplayNs) => Math.round(xOfTime(frame.view, frame.width, time));
  const ground = (from: DisplayNs, to: DisplayNs) => {
    context.fillStyle = palette.sunken.css;
    context.fillRect(from, y, to - from, laid.height - 1);
  };
  const begin = x(host.firstNs);
  if (begin > 0) {
    ground(0, Math.min(begin, frame.width));
    context.fillStyle = palette.strongLine.css;
    context.fillRect(begin, y, 1, laid.height - 1);
  }
  // The watermark may be behind while reading: what is not read is no end of the recording.
  const end = x(host.lastNs);
  if (end < frame.width - 1 && backdrop.readTo === Infinity) {
    ground(Math.max(0, end), frame.width);
    context.fillStyle = palette.strongLine.css;
    context.fillRect(end, y, 1, laid.height - 1);
  }
  for (const { from, to } of host.notRecorded) {
    const [left, right] = [Math.max(-1, x(from)), Math.min(frame.width, x(to))];
    if (right <= 0 || left >= frame.width) continue;
    ground(left, Math.max(left + 1, right));
    context.fillStyle = palette.strongLine.css;
    for (const edge of [left, right]) context.fillRect(edge, y, 1, laid.height - 1);
    if (laid.row.kind === 'host')
      note(
        context,
        palette,
        `Not recorded, ${formatDuration(to - from)}`,
        left + 8,
        y + 12,
        right - left - 16,
      );
  }
  if (laid.row.kind !== 'host') return;
  if (begin > 0) {
    note(context, palette, `Not recorded before ${formatDuration(host.firstNs)}`, 8, y + 12, begin - 16);
  } else if (end < frame.width - 1 && backdrop.readTo === Infinity) {
    note(
      context,
      palette,
      `Not recorded after ${formatDuration(host.lastNs)}`,
      end + 8,
      y + 12,
      frame.width - end - 16,
    );
  }
}

/** The reading line, which no bar crosses; right of it an estimate from packet headers in the hosts' rows. */
function paintUnread(
  context: CanvasRenderingContext2D,
  rows: readonly LaidRow[],
  bottom: number,
  backdrop: Backdrop,
): void {
  const { frame, palette, readTo, isOver, overview } = backdrop;
  const line = Math.round(xOfTime(frame.view, frame.width, readTo));
  const from = Math.max(0, line);
  if (from >= frame.width) return;
  for (const laid of rows) {
    if (laid.row.kind !== 'host') continue;
    const density = overview?.hosts.find((h) => h.host === laid.row.host)?.density;
    if (overview && density) paintEstimate(context, laid, density, overview.bucketNs, from, backdrop);
  }
  context.fillStyle = palette.accent.css;
  context.fillRect(line, 0, 1, bottom);
  const place = rows.find((laid) => laid.row.kind === 'thread' || laid.row.kind === 'process');
  if (!place) return;
  const y = place.y - frame.scrollTop + place.height / 2;
  const words = `${isOver ? 'Not read' : 'Not read yet'}: load from packet headers only`;
  note(context, palette, words, from + 8, y, frame.width - from - 16);
}

function paintEstimate(
  context: CanvasRenderingContext2D,
  laid: LaidRow,
  density: Float32Array,
  bucketNs: number,
  from: number,
  { frame, palette }: Backdrop,
): void {
  const greatest = density.reduce((a, b) => (b > a ? b : a), 0);
  if (greatest === 0) return;
  const base = laid.y - frame.scrollTop + laid.height - 2;
  const room = laid.height - 5;
  const nsPerPixel = frame.view.span / frame.width;
  context.globalAlpha = 0.5;
  context.fillStyle = palette.load.css;
  for (let x = from; x < frame.width; x++) {
    const value = density[Math.floor((frame.view.start + x * nsPerPixel) / bucketNs)] ?? 0;
    const height = (value / greatest) * room;
    if (height > 0) context.fillRect(x, base - height, 1, height);
  }
  context.globalAlpha = 1;
}

function paintRange(context: CanvasRenderingContext2D, range: TimeRange, { frame, palette }: Backdrop): void {
  const from = Math.max(0, Math.round(xOfTime(frame.view, frame.width, range.from)));
  const to = Math.min(frame.width, Math.round(xOfTime(frame.view, frame.width, range.to)));
  if (to <= from) return;
  context.globalAlpha = 0.07;
  context.fillStyle = palette.accent.css;
  context.fillRect(from, 0, to - from, frame.height);
  context.globalAlpha = 1;
}

/** Quiet text, only where it fits. */
function note(
  context: CanvasRenderingContext2D,
  palette: Palette,
  text: string,
  x: number,
  y: number,
  room: number,
): void {
  context.font = `11px ${palette.font}`;
  if (context.measureText(text).width > room) return;
  context.fillStyle = palette.faint.css;
  context.textBaseline = 'middle';
  context.fillText(text, x, y);
}

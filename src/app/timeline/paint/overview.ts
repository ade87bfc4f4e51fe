/**
 * The overview strip: for every host its CPU load as an area, event density below it, lost events as red ticks; notes
 * as ticks above all.
 */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { HostInfo, Overview } from '../../../engine/protocol/session.ts';
import type { LoadAnswer } from '../../../engine/protocol/rows.ts';
import { DRAW_UNKNOWN } from '../../draw/draw-codes.ts';
import type { Colour, Palette } from '../../draw/palette.ts';
import { createStatePainter } from '../../draw/state-painter.ts';
import { axisOf } from '../parts/ticks.ts';
import type { TimeStyle } from '../time-text.ts';
import type { EventMatches } from '../view/view-model.ts';
import { viewportOf, xOfTime, type TimeRange } from '../view/viewport.ts';

export interface OverviewPicture {
  readonly overview: Overview | undefined;
  readonly hosts: readonly HostInfo[];
  readonly extent: TimeRange;
  readonly width: number;
  readonly height: number;
  readonly palette: Palette;
  readonly style: TimeStyle;
  readonly notes: readonly TimeRange[];
  /** Events that match the filter, in place of the density of all events. */
  readonly matches: EventMatches | undefined;
}

/** Room of the notes. */
const TOP = 6;
/** Room of the time labels. */
const BOTTOM = 14;
const LANE_GAP = 2;
const DENSITY_HEIGHT = 3;
const MATCH_HEIGHT = 5;
/** More hosts share one lane of their mean. */
const MOST_LANES = 3;

export function paintOverview(context: CanvasRenderingContext2D, picture: OverviewPicture): void {
  const { hosts, height } = picture;
  const lanes = hosts.slice(0, MOST_LANES);
  const lane = (height - TOP - BOTTOM) / Math.max(1, lanes.length);
  lanes.forEach((host, i) => paintLane(context, host, TOP + i * lane, lane - LANE_GAP, picture));
  paintLabels(context, picture);
  paintNotes(context, picture);
}

function paintLane(
  context: CanvasRenderingContext2D,
  host: HostInfo,
  y: number,
  height: number,
  picture: OverviewPicture,
): void {
  const { overview, palette, width, extent } = picture;
  const data = overview?.hosts.find((entry) => entry.host === host.index);
  const base = y + height - DENSITY_HEIGHT - 1;
  const x = (time: DisplayNs) => xOfTime(viewportOf(extent), width, time);
  if (overview && data) {
    const used = columnsOf(data.load.used, overview.bucketNs, picture);
    const unknown = columnsOf(data.load.unknown, overview.bucketNs, picture);
    const density = columnsOf(data.density, overview.bucketNs, picture);
    const share = relative(density);
    const isUnknown = (x: number) => used[x] === 0 && unknown[x] > 0;
    // Where nothing is read yet, density from packet headers stands for load.
    const area = used.map((value, x) => (Number.isNaN(value) ? share[x] : isUnknown(x) ? NaN : value));
    const room = height - DENSITY_HEIGHT - 1;
    paintUnknown(context, { used, unknown }, base, room, palette);
    paintArea(context, area, base, room, palette);
    if (picture.matches === undefined)
      paintDensity(context, share, y + height - DENSITY_HEIGHT, palette.density);
  }
  paintUnrecorded(context, 0, x(host.firstNs), y, height, palette);
  const matches = picture.matches?.hosts.find((entry) => entry.host === host.index);
  if (picture.matches && matches) {
    const counts = columnsOf(matches.counts, picture.matches.bucketNs, picture);
    paintDensity(context, relative(counts), y + height - MATCH_HEIGHT, palette.accent, MATCH_HEIGHT);
  }
  paintUnrecorded(context, x(host.lastNs), width, y, height, palette);
  for (const { from, to } of host.notRecorded) paintUnrecorded(context, x(from), x(to), y, height, palette);
  context.fillStyle = palette.lost.css;
  for (const { from, to } of host.lost) context.fillRect(x(from), y, Math.max(2, x(to) - x(from)), 2);
  context.fillStyle = palette.line.css;
  context.fillRect(0, Math.round(y + height), width, 1);
}

/** Mean of the buckets in each pixel; NaN where nothing is known. */
function columnsOf(values: Float32Array, bucketNs: number, { extent, width }: OverviewPicture): Float32Array {
  const perPixel = (extent.to - extent.from) / width / bucketNs;
  return Float32Array.from({ length: Math.ceil(width) }, (_, x) => {
    const first = Math.floor(x * perPixel);
    const last = Math.max(first + 1, Math.floor((x + 1) * perPixel));
    let sum = 0;
    let count = 0;
    for (let i = first; i < last && i < values.length; i++) {
      if (Number.isNaN(values[i])) continue;
      sum += values[i];
      count++;
    }
    return count === 0 ? NaN : sum / count;
  });
}

function relative(values: Float32Array): Float32Array {
  const greatest = values.reduce((a, b) => (b > a ? b : a), 0);
  return greatest === 0 ? values : values.map((value) => value / greatest);
}

/** Paints the unknown share of the load, above the used one. */
function paintUnknown(
  context: CanvasRenderingContext2D,
  { used, unknown }: LoadAnswer,
  base: number,
  height: number,
  palette: Palette,
): void {
  const painter = createStatePainter(palette);
  unknown.forEach((share, x) => {
    const from = base - Math.min(1, used[x] + share) * height;
    if (share > 0) painter.paint(context, DRAW_UNKNOWN, x, from, 1, base - from);
  });
}

function paintArea(
  context: CanvasRenderingContext2D,
  values: Float32Array,
  base: number,
  height: number,
  palette: Palette,
): void {
  const top = (i: number) => {
    let sum = 0;
    let count = 0;
    for (let k = Math.max(0, i - 1); k <= Math.min(values.length - 1, i + 1); k++) {
      if (Number.isNaN(values[k])) continue;
      sum += values[k];
      count++;
    }
    return base - (count === 0 ? 0 : Math.min(1, sum / count)) * height;
  };
  context.beginPath();
  context.moveTo(0, base);
  for (let i = 0; i < values.length; i++) context.lineTo(i + 0.5, top(i));
  context.lineTo(values.length, base);
  context.closePath();
  context.fillStyle = palette.load.css;
  context.fill();
  context.beginPath();
  let drawing = false;
  for (let i = 0; i < values.length; i++) {
    const known = !Number.isNaN(values[i]);
    if (known && drawing) context.lineTo(i + 0.5, top(i));
    else if (known) context.moveTo(i + 0.5, top(i));
    drawing = known;
  }
  context.strokeStyle = palette.loadLine.css;
  context.lineWidth = 1;
  context.stroke();
}

function paintDensity(
  context: CanvasRenderingContext2D,
  values: Float32Array,
  y: number,
  colour: Colour,
  height = DENSITY_HEIGHT,
): void {
  context.fillStyle = colour.css;
  values.forEach((value, x) => {
    if (!(value > 0.004)) return;
    context.globalAlpha = Math.min(1, 0.18 + value * 1.6);
    context.fillRect(x, y, 1, height);
  });
  context.globalAlpha = 1;
}

function paintUnrecorded(
  context: CanvasRenderingContext2D,
  from: number,
  to: number,
  y: number,
  height: number,
  palette: Palette,
): void {
  if (to - from < 1) return;
  context.fillStyle = palette.sunken.css;
  context.fillRect(from, y, to - from, height);
  context.save();
  context.beginPath();
  context.rect(from, y, to - from, height);
  context.clip();
  context.strokeStyle = palette.line.css;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = from - height; x < to; x += 6) {
    context.moveTo(x, y + height);
    context.lineTo(x + height, y);
  }
  context.stroke();
  context.restore();
}

function paintLabels(context: CanvasRenderingContext2D, picture: OverviewPicture): void {
  const { extent, width, height, palette, style } = picture;
  const view = viewportOf(extent);
  context.font = `10px ${palette.font}`;
  context.fillStyle = palette.faint.css;
  context.textBaseline = 'alphabetic';
  for (const { timeNs, label } of axisOf(view, width, style, 110).ticks) {
    const x = xOfTime(view, width, timeNs);
    const length = context.measureText(label).width;
    if (x > length / 2 && x < width - 30) context.fillText(label, x - length / 2, height - 3);
  }
}

function paintNotes(
  context: CanvasRenderingContext2D,
  { notes, extent, width, palette }: OverviewPicture,
): void {
  const view = viewportOf(extent);
  context.fillStyle = palette.note.css;
  for (const { from, to } of notes) {
    const left = Math.round(xOfTime(view, width, from));
    context.fillRect(left - 1, 0, 2, TOP);
    context.fillRect(left, 0, Math.round(xOfTime(view, width, to)) - left, 2);
  }
}

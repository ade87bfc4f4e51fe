/** Paints the overview strip: the load of each host, event density below, lost events in red, notes above all. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { HostInfo, Overview } from '../../../engine/protocol/session.ts';
import type { LoadAnswer } from '../../../engine/protocol/rows.ts';
import { DRAW_UNKNOWN } from '../../draw/draw-codes.ts';
import type { Colour, Palette } from '../../draw/palette.ts';
import { fillBox } from '../../draw/pixels.ts';
import { statePainter } from '../../draw/state-painter.ts';
import { axisOf } from '../parts/ticks.ts';
import type { TimeStyle } from '../time-text.ts';
import type { EventMatches } from '../view/view-model.ts';
import { viewportOf, xOfTime, type TimeRange } from '../view/viewport.ts';

interface OverviewPicture {
  readonly context: CanvasRenderingContext2D;
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

/** Height of the notes, CSS pixels. */
const TOP = 6;
/** Height of the time labels, CSS pixels. */
const BOTTOM = 14;
const LANE_GAP = 2;
const DENSITY_HEIGHT = 3;
const MATCH_HEIGHT = 5;
/** Most hosts with lanes of their own; more share one lane of their mean. */
const MOST_LANES = 3;

export function paintOverview(picture: OverviewPicture): void {
  const { hosts, height } = picture;
  const lanes = hosts.slice(0, MOST_LANES);
  const lane = (height - TOP - BOTTOM) / Math.max(1, lanes.length);
  lanes.forEach((host, i) => paintLane(host, TOP + i * lane, lane - LANE_GAP, picture));
  paintLabels(picture);
  paintNotes(picture);
}

function paintLane(host: HostInfo, y: number, height: number, picture: OverviewPicture): void {
  const { context, overview, palette, width, extent } = picture;
  const data = overview?.hosts.find((entry) => entry.host === host.index);
  const base = y + height - DENSITY_HEIGHT - 1;
  const x = (time: DisplayNs) => xOfTime(viewportOf(extent), width, time);
  const unrecorded = (from: number, to: number) => paintUnrecorded(from, to, y, height, picture);
  if (overview && data) {
    const used = columnsOf(data.load.used, overview.bucketNs, picture);
    const unknown = columnsOf(data.load.unknown, overview.bucketNs, picture);
    const density = columnsOf(data.density, overview.bucketNs, picture);
    const share = relative(density);
    const isUnknown = (x: number) => used[x] === 0 && unknown[x] > 0;
    // Where nothing is read yet, density from packet headers is shown in place of load.
    const area = used.map((value, x) => (Number.isNaN(value) ? share[x] : isUnknown(x) ? NaN : value));
    const room = height - DENSITY_HEIGHT - 1;
    paintUnknown({ used, unknown }, base, room, picture);
    paintArea(area, base, room, picture);
    if (picture.matches === undefined)
      paintDensity(context, share, palette.density, y + height - DENSITY_HEIGHT, DENSITY_HEIGHT);
  }
  unrecorded(0, x(host.firstNs));
  const matches = picture.matches?.hosts.find((entry) => entry.host === host.index);
  if (picture.matches && matches) {
    const counts = columnsOf(matches.counts, picture.matches.bucketNs, picture);
    paintDensity(context, relative(counts), palette.accent, y + height - MATCH_HEIGHT, MATCH_HEIGHT);
  }
  unrecorded(x(host.lastNs), width);
  for (const { from, to } of host.notRecorded) unrecorded(x(from), x(to));
  for (const { from, to } of host.lost)
    fillBox(context, palette.lost, x(from), y, Math.max(2, x(to) - x(from)), 2);
  fillBox(context, palette.line, 0, Math.round(y + height), width, 1);
}

/** Mean of the buckets in each pixel; NaN where nothing is known. */
function columnsOf(values: Float32Array, bucketNs: number, { extent, width }: OverviewPicture): Float32Array {
  const perPixel = (extent.to - extent.from) / width / bucketNs;
  return Float32Array.from({ length: Math.ceil(width) }, (_, x) => {
    const first = Math.floor(x * perPixel);
    return meanOf(values, first, Math.max(first + 1, Math.floor((x + 1) * perPixel)));
  });
}

/** Mean of the known values from `from` to `to`; NaN: there are none. */
function meanOf(values: Float32Array, from: number, to: number): number {
  const known = values.subarray(from, to).filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

function relative(values: Float32Array): Float32Array {
  const greatest = values.reduce((a, b) => (b > a ? b : a), 0);
  return greatest === 0 ? values : values.map((value) => value / greatest);
}

/** Paints the unknown share of the load, above the used one. */
function paintUnknown(
  { used, unknown }: LoadAnswer,
  base: number,
  height: number,
  { context, palette }: OverviewPicture,
): void {
  const paint = statePainter(palette);
  unknown.forEach((share, x) => {
    const from = base - Math.min(1, used[x] + share) * height;
    if (share > 0) paint(context, DRAW_UNKNOWN, x, from, 1, base - from);
  });
}

function paintArea(
  values: Float32Array,
  base: number,
  height: number,
  { context, palette }: OverviewPicture,
): void {
  const top = (i: number) => base - Math.min(1, meanOf(values, Math.max(0, i - 1), i + 2) || 0) * height;
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
  colour: Colour,
  y: number,
  height: number,
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
  from: number,
  to: number,
  y: number,
  height: number,
  { context, palette }: OverviewPicture,
): void {
  if (to - from < 1) return;
  fillBox(context, palette.sunken, from, y, to - from, height);
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

function paintLabels({ context, extent, width, height, palette, style }: OverviewPicture): void {
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

function paintNotes({ context, notes, extent, width, palette }: OverviewPicture): void {
  const view = viewportOf(extent);
  context.fillStyle = palette.note.css;
  for (const { from, to } of notes) {
    const left = Math.round(xOfTime(view, width, from));
    context.fillRect(left - 1, 0, 2, TOP);
    context.fillRect(left, 0, Math.round(xOfTime(view, width, to)) - left, 2);
  }
}

/** Finds what is at a time in a row, from loaded tiles and not from pixels. Logarithmic in the spans of a tile. */
import * as codes from '../../draw/draw-codes.ts';
import { tileNs } from '../tiles/levels.ts';
import type { PlotRange } from '../tiles/plot-scale.ts';
import { readRow, spansAt, pieceAt, type RowTiles } from '../rows/row-reader.ts';
import {
  SHARE_BLOCKED,
  SHARE_CAUSE,
  SHARE_GUEST,
  SHARE_RUNNING,
  SHARE_UNKNOWN,
  spanAfter,
} from '../tiles/tile-spans.ts';
import type { TimeRange } from '../view/viewport.ts';

interface IntervalHit extends TimeRange {
  readonly kind: 'interval';
  readonly value: number;
  /** Whether both ends are known; false: it goes on beyond the loaded tiles. */
  readonly whole: boolean;
}

interface MixedHit extends TimeRange {
  readonly kind: 'mixed';
  /** ns by draw code, most first. */
  readonly parts: readonly { readonly code: number; readonly ns: number }[];
}

/** Hit in a row of event density. */
export interface DensityHit extends TimeRange {
  readonly kind: 'density';
  /** Events per ns; undefined: not known yet. */
  readonly rate: number | undefined;
}

/** Hit in a row of numbers. */
export interface PlotHit extends TimeRange {
  readonly kind: 'plot';
  /** NaN: there is none here. */
  readonly least: number;
  readonly most: number;
  readonly range: PlotRange;
}

export type TileHit = IntervalHit | MixedHit | DensityHit | PlotHit;

/** Tiles on either side that are searched for the ends of a long interval. */
const MOST_TILES = 8;
/** Share of the pixel from which on an interval is hit itself. */
const FILLS = 0.98;

/** Finds the interval at a time, or the shares of several within one pixel. @param pixelNs length of a pixel */
export function hitTest(row: RowTiles, timeNs: number, pixelNs: number): TileHit | undefined {
  const interval = intervalAt(row, timeNs);
  if (interval && interval.to - interval.from >= pixelNs) return interval;
  const to = timeNs + Math.max(1, pixelNs);
  const parts = sumsIn(row, timeNs, to);
  const found = [...parts].map((ns, code) => ({ code, ns })).filter(({ ns }) => ns > 0);
  if (found.length === 0) return undefined;
  if (interval && parts[codeOf(row, interval.value)] > FILLS * (to - timeNs)) return interval;
  return { kind: 'mixed', from: timeNs, to, parts: found.sort((a, b) => b.ns - a.ns) };
}

function codeOf({ series }: RowTiles, value: number): number {
  return codes.withoutTone(codes.drawCodeOf(series.row.kind, value));
}

/** ns by draw code from `from` to `to`. */
export function sumsIn(row: RowTiles, from: number, to: number): Float64Array {
  const sums = new Float64Array(codes.DRAW_STYLES.length);
  readRow(row, from, to, {
    interval: (begin, end, value) => {
      sums[codeOf(row, value)] += end - begin;
    },
    mixed: (begin, end, shares, at) => addShares(sums, shares, at, end - begin),
  });
  return sums;
}

/** The numbers of the buckets that overlap [from, to); undefined: nothing came yet. */
export function plotIn({ store, series, level }: RowTiles, from: number, to: number): PlotHit | undefined {
  const range = store.plotted(series);
  if (range === undefined) return undefined;
  const length = tileNs(level);
  let [least, most] = [NaN, NaN];
  for (let tile = Math.floor(from / length); tile * length < to; tile++) {
    const piece = store.piece(series, level, tile);
    if (piece?.kind !== 'plot') continue;
    const { plot } = piece;
    const width = length / plot.least.length;
    const first = Math.max(0, Math.floor((from - tile * length) / width));
    const end = Math.min(plot.least.length, Math.ceil((to - tile * length) / width));
    for (let i = first; i < end; i++) {
      if (!(plot.least[i] >= least) && !Number.isNaN(plot.least[i])) least = plot.least[i];
      if (!(plot.most[i] <= most) && !Number.isNaN(plot.most[i])) most = plot.most[i];
    }
  }
  return { kind: 'plot', from, to, least, most, range };
}

/** The density of events at a time. */
export function densityAt({ store, series, level }: RowTiles, timeNs: number): DensityHit {
  const tile = Math.floor(timeNs / tileNs(level));
  const piece = store.piece(series, level, tile);
  if (piece?.kind !== 'density') return { kind: 'density', from: timeNs, to: timeNs, rate: undefined };
  const width = tileNs(level) / piece.values.length;
  const bucket = Math.floor((timeNs - tile * tileNs(level)) / width);
  const from = tile * tileNs(level) + bucket * width;
  return { kind: 'density', from, to: from + width, rate: piece.values[bucket] / width };
}

/** Events in [from, to) of a row of event density, by its loaded pieces, also coarser ones; taken as uniform in a bucket. */
export function eventsIn(row: RowTiles, from: number, to: number): number {
  let events = 0;
  const length = tileNs(row.level);
  for (let tile = Math.floor(from / length); tile * length < to; tile++) {
    const found = pieceAt(row, tile);
    if (found?.piece.kind !== 'density') continue;
    const { values } = found.piece;
    const whole = tileNs(found.level);
    const origin = Math.floor((tile * length) / whole) * whole;
    const [first, end] = [Math.max(from, tile * length), Math.min(to, (tile + 1) * length)];
    const width = whole / values.length;
    values.forEach((count, i) => {
      const begin = origin + i * width;
      events += (count * Math.max(0, Math.min(end, begin + width) - Math.max(first, begin))) / width;
    });
  }
  return events;
}

/** Adds a bucket's shares over `length` ns to sums by draw code. */
function addShares(parts: Float64Array, shares: Uint8Array, at: number, length: number): void {
  for (let group = 0; group < SHARE_BLOCKED; group++) parts[group + 1] += (shares[at + group] / 255) * length;
  parts[codes.drawCodeOfMixedCause(shares[at + SHARE_CAUSE])] += (shares[at + SHARE_BLOCKED] / 255) * length;
  parts[codes.DRAW_UNKNOWN] += (shares[at + SHARE_UNKNOWN] / 255) * length;
  parts[codes.DRAW_GUEST] += (shares[at + SHARE_GUEST] / 255) * length;
  parts[codes.DRAW_RUNNING] += (shares[at + SHARE_RUNNING] / 255) * length;
}

function intervalAt(row: RowTiles, time: number): IntervalHit | undefined {
  const spans = spansAt(row, Math.floor(time / tileNs(row.level)));
  if (!spans) return undefined;
  const at = spanAfter(spans, time);
  const { tile } = spans;
  if (at >= tile.rowStart[spans.row + 1] || tile.begin[at] > time || tile.value[at] < 0) return undefined;
  const value = tile.value[at];
  const left = followed(row, tile.begin[at], value, -1);
  const right = followed(row, tile.end[at], value, 1);
  return { kind: 'interval', from: left.end, to: right.end, value, whole: left.known && right.known };
}

/** The end of an interval in one direction, through the loaded tiles, from its end in one tile. */
function followed(row: RowTiles, from: number, value: number, direction: -1 | 1) {
  let end = from;
  for (let i = 0; i < MOST_TILES; i++) {
    const beyond = direction < 0 ? end - 1 : end;
    const spans = spansAt(row, Math.floor(beyond / tileNs(row.level)));
    if (!spans) return { end, known: false };
    const at = spanAfter(spans, beyond);
    const { tile } = spans;
    const here = at < tile.rowStart[spans.row + 1] && tile.begin[at] <= beyond;
    if (!here) return { end, known: true };
    // A bucket of several intervals may contain a part of this one.
    if (tile.value[at] !== value) return { end, known: tile.value[at] >= 0 };
    end = direction < 0 ? tile.begin[at] : tile.end[at];
  }
  return { end, known: false };
}

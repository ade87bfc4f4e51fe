/**
 * Builds the rectangles of a block of rows in one time tile. Intervals wider than about one and a half columns stay exact;
 * the rest is summed into columns of shares, and equal neighbours are joined, so the number of rectangles is bounded by
 * rows × columns. Linear in spans and columns.
 */
import type { DisplayNs } from '../../../engine/base/units.ts';
import { levelOf, SPAN_LEVELS } from '../../../engine/layers/contract/span-values.ts';
import type { Tile } from '../../../engine/history/query-types.ts';
import type { LoadAnswer, PlotAnswer, RowKind } from '../../../engine/protocol/rows.ts';
import * as codes from '../../draw/draw-codes.ts';
import {
  FORM_DENSITY,
  FORM_LOAD,
  FORM_MIXED,
  FORM_PLOT,
  type Instances,
  InstanceWriter,
  SHARE_COUNT,
} from './instances.ts';
import { TILE_COLUMNS } from './levels.ts';
import { plotHeights } from './plot-scale.ts';
import {
  mixedRun,
  type RowSpans,
  SHARE_BLOCKED,
  SHARE_CAUSE,
  SHARE_GROUPS,
  SHARE_GUEST,
  SHARE_RUNNING,
  SHARE_UNKNOWN,
  SHARES,
} from './tile-spans.ts';

/** Known data of a row in a tile. */
export type RowPiece =
  | { readonly kind: 'states'; readonly spans: RowSpans }
  /** Loads by sample; `margin` samples lie before the tile's begin and after its end. */
  | {
      readonly kind: 'load';
      readonly load: LoadAnswer;
      readonly margin: number;
      readonly capacity: number;
    }
  /** Least and greatest number, by sample. */
  | { readonly kind: 'plot'; readonly plot: PlotAnswer }
  /** Events, by sample. */
  | { readonly kind: 'density'; readonly values: Float32Array };

export interface BlockRow {
  readonly kind: RowKind;
  readonly piece: RowPiece | undefined;
}

export interface TileFrame {
  readonly from: DisplayNs;
  readonly columnNs: number;
}

/** Width in columns below which intervals are summed. */
const EXACT_COLUMNS = 1.6;
/** Least cover of a drawn column: a lone burst is stretched to it. */
const LEAST_COVER = 0.35;
/** Cover below which a column shows nothing. */
const NOTHING = 1 / 512;
/** Shares are rounded to these many steps, two of a pixel, so that equal neighbours join. */
const STEPS = 32;
/** Events in a column that fill the row's height, on a logarithmic scale. */
const FULL_DENSITY = 64;
/** Share of the height for a single event. */
const LEAST_DENSITY = 0.2;

/** Builds blocks one after another; keeps its buffers. */
export class BlockBuilder {
  readonly #writer = new InstanceWriter();
  /** ns of each group and of the longest wait, and its draw code, by column. */
  readonly #sums = new Float32Array(TILE_COLUMNS * SUMS);
  /** Flag of each column, 1 if something in it is too narrow to be exact. */
  readonly #mixed = new Uint8Array(TILE_COLUMNS);
  readonly #bytes = new Uint8Array(SHARE_COUNT);

  build(rows: readonly BlockRow[], frame: TileFrame): Instances {
    rows.forEach(({ kind, piece }, slot) => {
      switch (piece?.kind) {
        case undefined:
          return;
        case 'states':
          return this.#states(slot, kind, piece.spans, frame);
        case 'load':
          return this.#load(slot, piece.load, piece.margin, piece.capacity);
        case 'plot':
          return this.#plot(slot, piece.plot);
        case 'density':
          return this.#density(slot, piece.values);
      }
    });
    return this.#writer.take();
  }

  #states(slot: number, kind: RowKind, { tile, row }: RowSpans, frame: TileFrame): void {
    const { from, columnNs } = frame;
    const to = from + TILE_COLUMNS * columnNs;
    const last = tile.rowStart[row + 1];
    let openCode = codes.DRAW_NONE;
    let openLevel = 0;
    let openBegin = 0;
    let openEnd = 0;
    for (let span = tile.rowStart[row]; span < last; span++) {
      const begin = Math.max(from, tile.begin[span]);
      const end = Math.min(to, tile.end[span]);
      if (end <= begin) continue;
      const value = tile.value[span];
      if (value < 0) {
        this.#sumRun(tile, span, begin, end, frame);
        continue;
      }
      const code = codes.drawCodeOf(kind, value);
      if (code === codes.DRAW_NONE) continue;
      if (tile.end[span] - tile.begin[span] < EXACT_COLUMNS * columnNs) {
        this.#sumState(code, begin, end, frame, 1);
        continue;
      }
      const level = kind === 'layer' ? levelOf(value) : 0;
      if (code === openCode && level === openLevel && begin === openEnd) {
        openEnd = end;
        continue;
      }
      this.#exact(slot, openCode, openLevel, openBegin, openEnd, frame);
      openCode = code;
      openLevel = level;
      openBegin = begin;
      openEnd = end;
    }
    this.#exact(slot, openCode, openLevel, openBegin, openEnd, frame);
    this.#columns(slot, columnNs);
  }

  /** @param level of a span; 0: as high as the row */
  #exact(slot: number, code: number, level: number, begin: number, end: number, frame: TileFrame): void {
    if (code === codes.DRAW_NONE) return;
    const { from, columnNs } = frame;
    const first = (begin - from) / columnNs;
    const last = (end - from) / columnNs;
    if (level === 0) this.#writer.state(slot, code, first, last);
    else this.#span(slot, code, level, first, last);
    // Its ends count in columns that they share with narrow neighbours.
    const firstWhole = Math.min(end, from + Math.ceil(first) * columnNs);
    const lastWhole = Math.max(firstWhole, from + Math.floor(last) * columnNs);
    if (firstWhole > begin) this.#sumState(code, begin, firstWhole, frame, 0);
    if (end > lastWhole) this.#sumState(code, lastWhole, end, frame, 0);
  }

  /** Writes a span that is filled from its base to a share of the row's height, as a column of shares. */
  #span(slot: number, code: number, level: number, begin: number, end: number): void {
    const bytes = this.#bytes.fill(0);
    bytes[SHARE_BLOCKED] = Math.round((level / SPAN_LEVELS) * 255);
    this.#writer.shares(slot, FORM_MIXED, codes.withoutTone(code), begin, end, bytes);
  }

  /** Adds an interval to the columns that it touches; `mixed` 1 has them drawn by shares. */
  #sumState(code: number, begin: number, end: number, { from, columnNs }: TileFrame, mixed: 0 | 1): void {
    const group = shareOfCode(code);
    const first = Math.floor((begin - from) / columnNs);
    const last = Math.min(TILE_COLUMNS - 1, Math.ceil((end - from) / columnNs) - 1);
    for (let column = first; column <= last; column++) {
      const columnBegin = from + column * columnNs;
      const length = Math.min(end, columnBegin + columnNs) - Math.max(begin, columnBegin);
      const at = column * SUMS;
      this.#mixed[column] |= mixed;
      this.#sums[at + group] += length;
      if (group === SHARE_BLOCKED && length > this.#sums[at + LONGEST]) {
        this.#sums[at + LONGEST] = length;
        this.#sums[at + LONGEST_CODE] = codes.withoutTone(code);
      }
    }
  }

  /** Adds buckets of a mixed run to the columns that they touch. */
  #sumRun(
    tile: Tile<DisplayNs>,
    span: number,
    begin: number,
    end: number,
    { from, columnNs }: TileFrame,
  ): void {
    const run = mixedRun(tile, span);
    const width = tile.bucketNs;
    const firstBucket = Math.max(0, Math.floor((begin - run.origin) / width));
    const lastBucket = Math.min(run.count - 1, Math.ceil((end - run.origin) / width) - 1);
    for (let bucket = firstBucket; bucket <= lastBucket; bucket++) {
      const bucketBegin = Math.max(begin, run.origin + bucket * width);
      const bucketEnd = Math.min(end, run.origin + (bucket + 1) * width);
      const first = Math.floor((bucketBegin - from) / columnNs);
      const last = Math.min(TILE_COLUMNS - 1, Math.ceil((bucketEnd - from) / columnNs) - 1);
      for (let column = first; column <= last; column++) {
        const columnBegin = from + column * columnNs;
        const length = Math.min(bucketEnd, columnBegin + columnNs) - Math.max(bucketBegin, columnBegin);
        this.#mixed[column] = 1;
        this.#sumBucket(tile.shares, run.shares + bucket * SHARES, column * SUMS, length);
      }
    }
  }

  #sumBucket(shares: Uint8Array, source: number, at: number, length: number): void {
    const sums = this.#sums;
    for (let group = 0; group < SHARE_GROUPS; group++)
      sums[at + group] += (shares[source + group] / 255) * length;
    const blocked = (shares[source + SHARE_BLOCKED] / 255) * length;
    if (blocked <= sums[at + LONGEST]) return;
    sums[at + LONGEST] = blocked;
    sums[at + LONGEST_CODE] = codes.drawCodeOfMixedCause(shares[source + SHARE_CAUSE]);
  }

  /** Writes the mixed columns and clears all. */
  #columns(slot: number, columnNs: number): void {
    const sums = this.#sums;
    for (let column = 0; column < TILE_COLUMNS; column++) {
      if (this.#mixed[column] === 0) continue;
      const at = column * SUMS;
      let total = 0;
      for (let group = 0; group < SHARE_GROUPS; group++) total += sums[at + group];
      const cover = total / columnNs;
      if (cover >= NOTHING) this.#column(slot, column, at, cover, columnNs);
    }
    sums.fill(0);
    this.#mixed.fill(0);
  }

  #column(slot: number, column: number, at: number, cover: number, columnNs: number): void {
    const bytes = this.#bytes.fill(0);
    const whole = columnNs * Math.max(cover, LEAST_COVER);
    let sum = 0;
    let edge = 0;
    for (let group = 0; group < SHARE_GROUPS; group++) {
      const share = this.#sums[at + group] / whole;
      if (share === 0) continue;
      // Edges are rounded and not shares, so that shares add up; a share is at least one step, to be visible.
      sum += share;
      const steps = Math.max(1, Math.min(STEPS, Math.round(sum * STEPS)) - edge);
      edge += steps;
      bytes[group] = Math.round((steps / STEPS) * 255);
    }
    const cause = this.#sums[at + SHARE_BLOCKED] > 0 ? this.#sums[at + LONGEST_CODE] : codes.DRAW_NONE;
    this.#writer.shares(slot, FORM_MIXED, cause, column, column + 1, bytes);
  }

  /** Writes trapezoids between neighbouring samples, smoothed over three: used time, and above it unknown time. */
  #load(slot: number, { used, unknown }: LoadAnswer, margin: number, capacity: number): void {
    const samples = used.length - 2 * margin;
    const width = TILE_COLUMNS / samples;
    const height = (i: number, isUnknown: boolean) => {
      let sum = 0;
      let count = 0;
      for (let k = i - 1 + margin; k <= i + 1 + margin; k++) {
        if (!(used[k] >= 0)) continue;
        sum += isUnknown ? used[k] + unknown[k] : used[k];
        count++;
      }
      return count === 0 ? 0 : Math.min(1, sum / count / capacity);
    };
    /** Height at the border between two samples: the middle between them. */
    const border = (i: number, isUnknown: boolean) =>
      Math.round(((height(i - 1, isUnknown) + height(i, isUnknown)) / 2) * 255);
    const bytes = this.#bytes;
    for (let i = 0; i < samples; i++) {
      if (Number.isNaN(used[i + margin])) continue;
      bytes.fill(0);
      bytes[0] = border(i, false);
      bytes[1] = border(i + 1, false);
      bytes[2] = border(i, true);
      bytes[3] = border(i + 1, true);
      this.#writer.shares(slot, FORM_LOAD, 0, i * width, (i + 1) * width, bytes);
    }
  }

  /** Writes a line from the least to the greatest number of each sample, and the area below it. */
  #plot(slot: number, plot: PlotAnswer): void {
    const { least, most } = plot;
    const width = TILE_COLUMNS / least.length;
    const heightOf = plotHeights(plot);
    const bytes = this.#bytes;
    for (let i = 0; i < least.length; i++) {
      if (Number.isNaN(least[i])) continue;
      bytes.fill(0);
      bytes[0] = Math.round(heightOf(least[i]) * 255);
      bytes[1] = Math.round(heightOf(most[i]) * 255);
      this.#writer.shares(slot, FORM_PLOT, 0, i * width, (i + 1) * width, bytes);
    }
  }

  #density(slot: number, values: Float32Array): void {
    const width = TILE_COLUMNS / values.length;
    const full = Math.log2(1 + FULL_DENSITY * width);
    const bytes = this.#bytes;
    for (let i = 0; i < values.length; i++) {
      if (!(values[i] > 0)) continue;
      bytes.fill(0);
      const share = Math.min(1, Math.log2(1 + values[i]) / full);
      bytes[0] = Math.round((LEAST_DENSITY + (1 - LEAST_DENSITY) * share) * 255);
      this.#writer.shares(slot, FORM_DENSITY, 0, i * width, (i + 1) * width, bytes);
    }
  }
}

/** Places in a column's sums, after the groups, of the longest wait, ns, and of its draw code. */
const LONGEST = SHARE_GROUPS;
const LONGEST_CODE = SHARE_GROUPS + 1;
const SUMS = SHARE_GROUPS + 2;

const SHARE_OF_CODE: Record<number, number> = {
  [codes.DRAW_USER]: 0,
  [codes.DRAW_KERNEL]: 1,
  [codes.DRAW_GUEST]: SHARE_GUEST,
  [codes.DRAW_RUNNING]: SHARE_RUNNING,
  [codes.DRAW_INTERRUPTED]: 2,
  [codes.DRAW_RUNNABLE]: 3,
  [codes.DRAW_IDLE]: SHARE_BLOCKED,
  [codes.DRAW_UNKNOWN]: SHARE_UNKNOWN,
};

function shareOfCode(code: number): number {
  return SHARE_OF_CODE[code] ?? SHARE_BLOCKED;
}

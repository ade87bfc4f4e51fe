/** Reads the known data of a row over a range of time, across tiles, for texts in bars, hit tests and summaries. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import { tileNs } from '../tiles/levels.ts';
import type { Series } from '../tiles/series.ts';
import { SHARES, mixedRun, spanAfter, type RowSpans } from '../tiles/tile-spans.ts';
import type { TileStore } from '../tiles/tile-store.ts';

/** Coarser levels that are tried if a tile of the current one has not come. */
const COARSER_LEVELS = 4;

interface RowVisitor {
  /** Shorter intervals (ns) are left out. */
  readonly leastNs?: number;
  /** One value from begin to end, cut at the borders of what was read; joined over tiles. */
  readonly interval: (begin: DisplayNs, end: DisplayNs, value: number) => void;
  /** A part of a bucket with mixed content; its shares (0 … 255) at `shares[at …]`. */
  readonly mixed?: (begin: DisplayNs, end: DisplayNs, shares: Uint8Array, at: number) => void;
}

/** A row and the level of its tiles that is drawn. */
export interface RowTiles {
  readonly store: TileStore;
  readonly series: Series;
  readonly level: number;
}

/** Visits [from, to) in time order. False where some of it is not known (yet). */
export function readRow(row: RowTiles, from: DisplayNs, to: DisplayNs, visitor: RowVisitor): boolean {
  const length = tileNs(row.level);
  const joined = joinedIntervals(visitor);
  let complete = true;
  for (let tile = Math.floor(from / length); tile * length < to; tile++) {
    const spans = spansAt(row, tile);
    if (!spans) {
      joined.flush();
      complete = false;
      continue;
    }
    readTile(spans, Math.max(from, tile * length), Math.min(to, (tile + 1) * length), joined, visitor);
  }
  joined.flush();
  return complete;
}

/** Known spans of the row in a tile: of its level, else of the next coarser ones. */
export function spansAt(row: RowTiles, tile: number): RowSpans | undefined {
  const piece = pieceAt(row, tile)?.piece;
  return piece?.kind === 'states' ? piece.spans : undefined;
}

/** The loaded piece of a row that contains a tile, of its level or else of the next coarser ones, with that level. */
export function pieceAt({ store, series, level }: RowTiles, tile: number) {
  for (let up = 0; up <= COARSER_LEVELS; up++) {
    const piece = store.piece(series, level + up, Math.floor(tile / 2 ** up));
    if (piece) return { piece, level: level + up };
  }
  return undefined;
}

function readTile(
  spans: RowSpans,
  from: DisplayNs,
  to: DisplayNs,
  joined: ReturnType<typeof joinedIntervals>,
  visitor: RowVisitor,
): void {
  const { tile, row } = spans;
  const last = tile.rowStart[row + 1];
  for (let span = spanAfter(spans, from); span < last && tile.begin[span] < to; span++) {
    const begin = Math.max(from, tile.begin[span]);
    const end = Math.min(to, tile.end[span]);
    if (tile.value[span] >= 0) {
      joined.add(begin, end, tile.value[span]);
      continue;
    }
    joined.flush();
    if (visitor.mixed) readRun(spans, span, begin, end, visitor.mixed);
  }
}

function readRun(
  { tile }: RowSpans,
  span: number,
  from: DisplayNs,
  to: DisplayNs,
  mixed: NonNullable<RowVisitor['mixed']>,
): void {
  const run = mixedRun(tile, span);
  const width = tile.bucketNs;
  const first = Math.max(0, Math.floor((from - run.origin) / width));
  for (let bucket = first; bucket < run.count; bucket++) {
    const begin = run.origin + bucket * width;
    if (begin >= to) return;
    mixed(Math.max(from, begin), Math.min(to, begin + width), tile.shares, run.shares + bucket * SHARES);
  }
}

/** Joins touching intervals of one value, since a long interval is in several tiles. */
function joinedIntervals({ interval, leastNs = 0 }: RowVisitor) {
  let [first, last, joined] = [0, 0, -1];
  const flush = () => {
    if (joined >= 0 && last - first >= leastNs) interval(first, last, joined);
    joined = -1;
  };
  const add = (begin: DisplayNs, end: DisplayNs, value: number) => {
    if (value !== joined || begin !== last) {
      flush();
      [first, joined] = [begin, value];
    }
    last = end;
  };
  return { add, flush };
}

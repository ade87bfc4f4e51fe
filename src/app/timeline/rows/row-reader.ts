/** Reads what is known of one row over a stretch of time, across tiles: for texts in bars, hit tests, summaries. */
import type { DisplayNs } from '../../../engine/base/units.ts';
import { tileNs } from '../tiles/levels.ts';
import type { Series } from '../tiles/series.ts';
import { SHARES, mixedRun, spanAfter, type RowSpans } from '../tiles/tile-spans.ts';
import type { TileStore } from '../tiles/tile-store.ts';

/** Coarser levels that are looked at where the current one is not there yet. */
const COARSER_LEVELS = 4;

export interface RowVisitor {
  /** Shorter intervals (ns) are left out. */
  readonly leastNs?: number;
  /** One value from begin to end, cut at the borders of what was read; joined over tiles. */
  interval(begin: DisplayNs, end: DisplayNs, value: number): void;
  /** A part of a bucket with mixed content; its shares (0 … 255) at `shares[at …]`. */
  mixed?(begin: DisplayNs, end: DisplayNs, shares: Uint8Array, at: number): void;
}

/** Visits [from, to) in time order. False where some of it is not known (yet). */
export function readRow(
  store: TileStore,
  series: Series,
  level: number,
  from: DisplayNs,
  to: DisplayNs,
  visitor: RowVisitor,
): boolean {
  const length = tileNs(level);
  const joined = new JoinedIntervals(visitor);
  let complete = true;
  for (let tile = Math.floor(from / length); tile * length < to; tile++) {
    const spans = spansAt(store, series, level, tile);
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

/** Spans of the row that are known in a tile: of its level, else of the next coarser ones. */
export function spansAt(store: TileStore, series: Series, level: number, tile: number): RowSpans | undefined {
  const piece = pieceAt(store, series, level, tile)?.piece;
  return piece?.kind === 'states' ? piece.spans : undefined;
}

/** The piece of a row that holds a tile: of its level, else of the next coarser ones; and its own level. */
export function pieceAt(store: TileStore, series: Series, level: number, tile: number) {
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
  joined: JoinedIntervals,
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
    if (visitor.mixed) readRun(spans, span, begin, end, visitor.mixed.bind(visitor));
  }
}

function readRun(
  { tile }: RowSpans,
  span: number,
  from: DisplayNs,
  to: DisplayNs,
  mixed: (begin: DisplayNs, end: DisplayNs, shares: Uint8Array, at: number) => void,
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

/** Joins touching intervals of one value, as a long one comes in a piece for every tile. */
class JoinedIntervals {
  readonly #visitor: RowVisitor;
  readonly #leastNs: number;
  #begin = 0;
  #end = 0;
  #value = -1;

  constructor(visitor: RowVisitor) {
    this.#visitor = visitor;
    this.#leastNs = visitor.leastNs ?? 0;
  }

  add(begin: DisplayNs, end: DisplayNs, value: number): void {
    if (value === this.#value && begin === this.#end) {
      this.#end = end;
      return;
    }
    this.flush();
    this.#begin = begin;
    this.#end = end;
    this.#value = value;
  }

  flush(): void {
    if (this.#value >= 0 && this.#end - this.#begin >= this.#leastNs)
      this.#visitor.interval(this.#begin, this.#end, this.#value);
    this.#value = -1;
  }
}

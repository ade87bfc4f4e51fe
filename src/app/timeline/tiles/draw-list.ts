/**
 * List of the rectangles that a frame draws, and their places: for every visible block and time tile the current level,
 * or what there is of coarser and finer levels, stretched, until it arrives. Asks the store for what is missing.
 */
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { BlockCache } from './block-cache.ts';
import type { Instances } from './instances.ts';
import { COARSEST_LEVEL, TILE_COLUMNS, columnNs, levelOf, tileNs, tilesOf } from './levels.ts';
import { BLOCK_ROWS, type BarItem } from '../render/bars.ts';
import type { RowBlock, RowBlocks } from '../rows/row-blocks.ts';
import type { LaidRow, RowLayout } from '../rows/row-layout.ts';
import type { TileStore } from './tile-store.ts';
import { xOfTime, type TimeRange, type Viewport } from '../view/viewport.ts';

/** The part of time and rows that is seen; CSS pixels but for `ratio`. */
export interface SceneFrame {
  readonly view: Viewport;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly layout: RowLayout;
  readonly scrollTop: number;
}

/** A stretched tile of this many levels above still places its rectangles to a tenth of a pixel. */
const COARSER_LEVELS = 10;
const FINER_LEVELS = 2;
/** Space above and below a bar in its row; a load area has one more pixel above. */
const BAR_MARGIN = 2;

export class DrawList {
  readonly #store: TileStore;
  readonly #cache: BlockCache;

  constructor(store: TileStore, cache: BlockCache) {
    this.#store = store;
    this.#cache = cache;
  }

  /**
   * @param extent of the experiment, within which what lies beside the frame is prepared for; undefined: it is not,
   * while reading it would be asked for again and again
   */
  build(frame: SceneFrame, blocks: RowBlocks, extent: TimeRange | undefined): BarItem[] {
    const { view, width, ratio } = frame;
    const level = levelOf(view, width * ratio);
    const tiles = tilesOf(view, level);
    const stretched: BarItem[] = [];
    const items: BarItem[] = [];
    const seen = visibleRows(frame);
    this.#cache.beginFrame();
    let complete = true;
    for (let position = seen.first; position <= seen.last; position = nextBlock(position)) {
      const block = blocks.at(position);
      const rows = placeRows(block, frame);
      for (let tile = tiles.first; tile <= tiles.last; tile++) {
        complete = this.#store.want(block.rows, level, tile) && complete;
        const current = this.#cache.current(block, level, tile);
        if (current) items.push(place(current, level, tile, level, tile, rows, frame));
        else this.#stretch(block, level, tile, rows, frame, stretched);
      }
    }
    if (complete && extent !== undefined && !this.#store.busy)
      this.#prefetch(blocks, level, tiles, seen, extent);
    return [...stretched, ...items];
  }

  /** The nearest coarser level, else what there is of the next finer ones. */
  #stretch(
    block: RowBlock,
    level: number,
    tile: number,
    rows: Float32Array,
    frame: SceneFrame,
    out: BarItem[],
  ): void {
    for (let up = 1; up <= COARSER_LEVELS && level + up <= COARSEST_LEVEL; up++) {
      const parent = Math.floor(tile / 2 ** up);
      const built = this.#cache.built(block, level + up, parent);
      if (!built) continue;
      out.push(place(built, level + up, parent, level, tile, rows, frame));
      return;
    }
    for (let down = 1; down <= FINER_LEVELS && level - down >= 0; down++) {
      const parts = 2 ** down;
      let found = false;
      for (let part = 0; part < parts; part++) {
        const child = tile * parts + part;
        const built = this.#cache.built(block, level - down, child);
        if (!built) continue;
        found = true;
        out.push(place(built, level - down, child, level - down, child, rows, frame));
      }
      if (found) return;
    }
  }

  /** Tiles and blocks around what is seen. */
  #prefetch(
    blocks: RowBlocks,
    level: number,
    tiles: { readonly first: number; readonly last: number },
    seen: { readonly first: number; readonly last: number; readonly count: number },
    extent: TimeRange,
  ): void {
    const length = tileNs(level);
    const beside = [tiles.last + 1, tiles.first - 1].filter(
      (tile) => tile * length < extent.to && (tile + 1) * length > extent.from,
    );
    for (let position = seen.first; position <= seen.last; position = nextBlock(position))
      for (const tile of beside) this.#store.want(blocks.at(position).rows, level, tile);
    for (const position of [seen.last + BLOCK_ROWS, seen.first - BLOCK_ROWS]) {
      if (position < 0 || position >= seen.count) continue;
      for (let tile = tiles.first; tile <= tiles.last; tile++) {
        this.#store.want(blocks.at(position).rows, level, tile);
      }
    }
  }
}

/** Positions of the first and last row that is seen; last < first when there is none. */
export function visibleRows({ layout, scrollTop, height }: SceneFrame) {
  const first = Math.max(0, layout.positionAt(scrollTop));
  const last = layout.positionAt(scrollTop + height);
  return { first, last, count: layout.length };
}

/** Top and height of a row's bar in CSS pixels from the top of the area. */
export function barBox(
  { row, y, height }: LaidRow,
  scrollTop: number,
): { readonly top: number; readonly height: number } {
  const states = row.kind === 'cpu' || row.kind === 'thread';
  const above = states ? BAR_MARGIN : BAR_MARGIN + 1;
  return { top: y - scrollTop + above, height: height - BAR_MARGIN - above };
}

function nextBlock(position: number): number {
  return (Math.floor(position / BLOCK_ROWS) + 1) * BLOCK_ROWS;
}

function placeRows(block: RowBlock, { layout, scrollTop, height, ratio }: SceneFrame): Float32Array {
  const rows = new Float32Array(BLOCK_ROWS * 2);
  for (let slot = 0; slot < block.rows.length; slot++) {
    const laid = layout.at(block.first + slot);
    if (!laid || laid.y + laid.height < scrollTop || laid.y > scrollTop + height) continue;
    const box = barBox(laid, scrollTop);
    rows[slot * 2] = Math.round(box.top * ratio);
    rows[slot * 2 + 1] = Math.round(box.height * ratio);
  }
  return rows;
}

/** Rectangles of (level, tile), seen within the borders of (clipLevel, clipTile). */
function place(
  instances: Instances,
  level: number,
  tile: number,
  clipLevel: number,
  clipTile: number,
  rows: Float32Array,
  { view, width, ratio }: SceneFrame,
): BarItem {
  const pixels = width * ratio;
  const x = (time: DisplayNs) => xOfTime(view, pixels, time);
  const offset = x(tile * tileNs(level));
  return {
    instances,
    offset,
    scale: (columnNs(level) * pixels) / view.span,
    clipFrom: Math.max(0, Math.round(x(clipTile * tileNs(clipLevel)))),
    clipTo: Math.min(
      pixels,
      Math.round(x(clipTile * tileNs(clipLevel)) + (TILE_COLUMNS * columnNs(clipLevel) * pixels) / view.span),
    ),
    rows,
  };
}

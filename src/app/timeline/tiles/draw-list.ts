/**
 * List of the rectangles that a frame draws, with their positions: for every visible block and time tile those of the
 * current level, or until it arrives those of coarser and finer levels, stretched. Asks the store for missing tiles.
 */
import { append } from '../../../engine/base/append.ts';
import type { DisplayNs } from '../../../engine/base/units.ts';
import type { BlockCache, RowBlock, RowBlocks } from './block-cache.ts';
import type { Instances } from './instances.ts';
import { COARSEST_LEVEL, columnNs, levelOf, tileNs, tilesOf } from './levels.ts';
import { BLOCK_ROWS, type BarItem } from '../render/bars.ts';
import type { LaidRow, RowLayout } from '../rows/row-layout.ts';
import { xOfTime, type TimeRange, type Viewport } from '../view/viewport.ts';

/** Visible time and rows; CSS pixels except for `ratio`. */
export interface SceneFrame {
  readonly view: Viewport;
  readonly width: number;
  readonly height: number;
  readonly ratio: number;
  readonly layout: RowLayout;
  readonly scrollTop: number;
}

/** Coarser levels that are tried: a stretched tile of this many levels above is exact to a tenth of a pixel. */
const COARSER_LEVELS = 10;
const FINER_LEVELS = 2;
/** Space above and below a bar in its row, CSS pixels; a load area has one more above. */
const BAR_MARGIN = 2;

/**
 * @param extent of the experiment, within which tiles beside the frame are prepared; undefined while reading, when they
 * would be asked for again and again
 */
export function drawList(
  cache: BlockCache,
  frame: SceneFrame,
  blocks: RowBlocks,
  extent: TimeRange | undefined,
): BarItem[] {
  const { store } = cache;
  const { view, width, ratio } = frame;
  const level = levelOf(view, width * ratio);
  const tiles = tilesOf(view, level);
  const stretched: BarItem[] = [];
  const items: BarItem[] = [];
  const seen = visibleRows(frame);
  cache.beginFrame();
  let complete = true;
  for (let position = seen.first; position <= seen.last; position = nextBlock(position)) {
    const block = blocks.at(position);
    const rows = placeRows(block, frame);
    for (let tile = tiles.first; tile <= tiles.last; tile++) {
      complete = store.want(block.rows, level, tile) && complete;
      const current = cache.current(block, level, tile);
      if (current) items.push(place(current, level, tile, level, tile, rows, frame));
      else append(stretched, stretch(cache, block, level, tile, rows, frame));
    }
  }
  if (!complete || extent === undefined || store.busy) return [...stretched, ...items];
  // Tiles and blocks around the visible ones.
  const length = tileNs(level);
  const beside = [tiles.last + 1, tiles.first - 1].filter(
    (tile) => tile * length < extent.to && (tile + 1) * length > extent.from,
  );
  for (let position = seen.first; position <= seen.last; position = nextBlock(position))
    for (const tile of beside) store.want(blocks.at(position).rows, level, tile);
  for (const position of [seen.last + BLOCK_ROWS, seen.first - BLOCK_ROWS]) {
    if (position < 0 || position >= frame.layout.length) continue;
    for (let tile = tiles.first; tile <= tiles.last; tile++)
      store.want(blocks.at(position).rows, level, tile);
  }
  return [...stretched, ...items];
}

/** Rectangles of the nearest coarser level, else what there is of the next finer ones. */
function stretch(
  cache: BlockCache,
  block: RowBlock,
  level: number,
  tile: number,
  rows: Float32Array,
  frame: SceneFrame,
): BarItem[] {
  for (let up = 1; up <= COARSER_LEVELS && level + up <= COARSEST_LEVEL; up++) {
    const parent = Math.floor(tile / 2 ** up);
    const built = cache.built(block, level + up, parent);
    if (built) return [place(built, level + up, parent, level, tile, rows, frame)];
  }
  for (let down = 1; down <= FINER_LEVELS && level - down >= 0; down++) {
    const parts = Array.from({ length: 2 ** down }, (_, part) => tile * 2 ** down + part);
    const found = parts.flatMap((child) => {
      const built = cache.built(block, level - down, child);
      return built ? [place(built, level - down, child, level - down, child, rows, frame)] : [];
    });
    if (found.length > 0) return found;
  }
  return [];
}

/** Positions of the first and last visible row; last < first when there is none. */
function visibleRows({ layout, scrollTop, height }: SceneFrame) {
  const first = Math.max(0, layout.positionAt(scrollTop));
  const last = layout.positionAt(scrollTop + height);
  return { first, last };
}

/** Visible rows. */
export function visibleLaid(frame: SceneFrame): LaidRow[] {
  const { first, last } = visibleRows(frame);
  return frame.layout.slice(first, last + 1);
}

/** Top and height of a row's bar in CSS pixels from the top of the area. */
export function barBox({ row, y, height }: LaidRow, scrollTop: number) {
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

/** Places the rectangles of (level, tile) within the borders of (clipLevel, clipTile). */
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
  const clip = x(clipTile * tileNs(clipLevel));
  return {
    instances,
    offset: x(tile * tileNs(level)),
    scale: (columnNs(level) * pixels) / view.span,
    clipFrom: Math.max(0, Math.round(clip)),
    clipTo: Math.min(pixels, Math.round(clip + (tileNs(clipLevel) * pixels) / view.span)),
    rows,
  };
}

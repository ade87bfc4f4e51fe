/** Levels of detail: a column is 2^level ns, one to two device pixels; a tile is some columns, aligned to time 0. */
import type { Viewport } from '../view/viewport.ts';

/** Columns of a time tile. */
export const TILE_COLUMNS = 512;
export const COARSEST_LEVEL = 48;

/** Level at which `pixels` device pixels show the view. */
export function levelOf(view: Viewport, pixels: number): number {
  const level = Math.ceil(Math.log2(view.span / Math.max(1, pixels)));
  return Math.max(0, Math.min(COARSEST_LEVEL, level));
}

/** ns of a column. */
export function columnNs(level: number): number {
  return 2 ** level;
}

/** ns of a tile. */
export function tileNs(level: number): number {
  return TILE_COLUMNS * 2 ** level;
}

/** First and last tile that the view touches. */
export function tilesOf(view: Viewport, level: number): { readonly first: number; readonly last: number } {
  const length = tileNs(level);
  return {
    first: Math.floor(view.start / length),
    last: Math.floor((view.start + view.fraction + view.span) / length),
  };
}

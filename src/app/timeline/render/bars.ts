/** Input of the two renderers of bars, WebGL (pixi-bars) and Canvas 2D (canvas-bars), for each frame. */
import type { Instances } from '../tiles/instances.ts';
import type { Palette } from '../../draw/palette.ts';

/** Rows of a block; also the length of a uniform array. */
export const BLOCK_ROWS = 16;
/** Common period of all patterns, CSS pixels. */
export const PATTERN_REPEAT = 120;

/** The rectangles of a block in one time tile, and their positions in device pixels. */
export interface BarItem {
  readonly instances: Instances;
  /** x of the tile's begin. */
  readonly offset: number;
  /** Pixels of a column. */
  readonly scale: number;
  readonly clipFrom: number;
  readonly clipTo: number;
  /** Top and height of the bar of each row slot, in turn; height 0: not shown. */
  readonly rows: Float32Array;
}

export interface BarFrame {
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
  /** Device pixels of a CSS pixel. */
  readonly ratio: number;
  /** Offset added to x in patterns, so that they move with time. */
  readonly phase: number;
  /** Draw code shown alone; 0: all. */
  readonly isolated: number;
  readonly items: readonly BarItem[];
}

const FRAME_PARTS = ['width', 'height', 'ratio', 'phase', 'isolated'] as const;
const ITEM_PARTS = ['instances', 'offset', 'scale', 'clipFrom', 'clipTo'] as const;

/** Whether two frames look the same. */
export function isSameFrame(a: BarFrame, b: BarFrame): boolean {
  const isSameItem = (item: BarItem, other: BarItem) =>
    ITEM_PARTS.every((part) => item[part] === other[part]) &&
    item.rows.every((place, i) => place === other.rows[i]);
  return (
    FRAME_PARTS.every((part) => a[part] === b[part]) &&
    a.items.length === b.items.length &&
    a.items.every((item, i) => isSameItem(item, b.items[i]))
  );
}

export interface BarRenderer {
  readonly canvas: HTMLCanvasElement;
  setPalette(palette: Palette): void;
  draw(frame: BarFrame): void;
  /** Frees what is kept of rectangles that will not be drawn again. */
  release(instances: Instances): void;
  /** Bytes of geometry sent to the GPU so far. */
  readonly uploadedBytes: number;
  dispose(): void;
}

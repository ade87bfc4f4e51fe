/** Rows of a layout in blocks of a fixed number, the unit in which geometry is built and drawn. */
import type { RowLayout } from './row-layout.ts';
import { BLOCK_ROWS } from '../render/bars.ts';
import type { RowSeries, Series } from '../tiles/series.ts';

export interface RowBlock {
  /** Equal for blocks of the same rows in the same order. */
  readonly key: string;
  readonly rows: readonly Series[];
  /** Position of the first row in the layout. */
  readonly first: number;
}

/** Blocks of a layout, made when they are first seen. */
export class RowBlocks {
  readonly layout: RowLayout;
  readonly #series: RowSeries;
  readonly #blocks: (RowBlock | undefined)[] = [];

  constructor(layout: RowLayout, series: RowSeries) {
    this.layout = layout;
    this.#series = series;
  }

  /** The block of the row at a position in the layout. */
  at(position: number): RowBlock {
    const number = Math.floor(position / BLOCK_ROWS);
    return (this.#blocks[number] ??= this.#make(number * BLOCK_ROWS));
  }

  #make(first: number): RowBlock {
    const rows = this.layout.slice(first, first + BLOCK_ROWS).map(({ row }) => this.#series.of(row));
    return { key: rows.map((series) => series.key).join('|'), rows, first };
  }
}

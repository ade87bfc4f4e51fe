/** Cache of the rectangles of blocks by level and time tile, built from loaded pieces; the least recently drawn are dropped first. */
import { BlockBuilder, type RowPiece } from './block-geometry.ts';
import type { Instances } from './instances.ts';
import { columnNs, tileNs } from './levels.ts';
import { BLOCK_ROWS } from '../render/bars.ts';
import type { RowLayout } from '../rows/row-layout.ts';
import type { RowSeries, Series } from './series.ts';
import type { TileStore } from './tile-store.ts';

export interface RowBlock {
  /** Equal for blocks of the same rows in the same order. */
  readonly key: string;
  readonly rows: readonly Series[];
  /** Position of the first row in the layout. */
  readonly first: number;
}

/** Rows of a layout in blocks of a fixed size, made on demand: the unit in which geometry is built and drawn. */
export class RowBlocks {
  readonly #blocks: (RowBlock | undefined)[] = [];

  constructor(
    readonly layout: RowLayout,
    private readonly series: RowSeries,
  ) {}

  at(position: number): RowBlock {
    const first = Math.floor(position / BLOCK_ROWS) * BLOCK_ROWS;
    return (this.#blocks[first / BLOCK_ROWS] ??= this.#make(first));
  }

  #make(first: number): RowBlock {
    const rows = this.layout.slice(first, first + BLOCK_ROWS).map(({ row }) => this.series(row));
    return { key: rows.map((series) => series.key).join('|'), rows, first };
  }
}

/** Most instances kept; each takes 20 bytes here and again on the GPU. */
const INSTANCE_BUDGET = 1_500_000;
const BUILD_MS = 5;

interface Entry {
  readonly instances: Instances;
  readonly pieces: readonly (RowPiece | undefined)[];
  /** Version of the store when the pieces were last compared. */
  version: number;
}

export class BlockCache {
  /** Entries in order of use, least recent first. */
  readonly #entries = new Map<string, Entry>();
  readonly #builder = new BlockBuilder();
  #instances = 0;
  #budgetEnds = 0;
  /** Whether some blocks could not be built within the frame's time. */
  late = false;

  constructor(
    readonly store: TileStore,
    private readonly release: (instances: Instances) => void,
  ) {}

  /** Begins a frame, with new time for building. */
  beginFrame(): void {
    this.#budgetEnds = performance.now() + BUILD_MS;
    this.late = false;
  }

  /** Current instances of a block; undefined while not all states of its rows are loaded. */
  current(block: RowBlock, level: number, tile: number): Instances | undefined {
    const key = keyOf(block, level, tile);
    const entry = this.#entries.get(key);
    if (entry) {
      this.#entries.delete(key);
      this.#entries.set(key, entry);
      if (entry.version === this.store.version) return entry.instances;
    }
    const pieces = block.rows.map((series) => this.store.piece(series, level, tile));
    if (entry && pieces.every((piece, i) => piece === entry.pieces[i])) {
      entry.version = this.store.version;
      return entry.instances;
    }
    const ready = block.rows.every((series, i) => series.kind !== 'states' || pieces[i] !== undefined);
    if (!ready || pieces.every((piece) => piece === undefined)) return entry?.instances;
    if (performance.now() > this.#budgetEnds) {
      this.late = true;
      return entry?.instances;
    }
    return this.#build(key, block, level, tile, pieces);
  }

  /** Instances that were built before, perhaps outdated. */
  built(block: RowBlock, level: number, tile: number): Instances | undefined {
    return this.#entries.get(keyOf(block, level, tile))?.instances;
  }

  clear(): void {
    for (const { instances } of this.#entries.values()) this.release(instances);
    this.#entries.clear();
    this.#instances = 0;
  }

  #build(
    key: string,
    block: RowBlock,
    level: number,
    tile: number,
    pieces: readonly (RowPiece | undefined)[],
  ): Instances {
    const rows = block.rows.map((series, i) => ({ kind: series.row.kind, piece: pieces[i] }));
    const instances = this.#builder.build(rows, { from: tile * tileNs(level), columnNs: columnNs(level) });
    const before = this.#entries.get(key);
    if (before) this.#drop(key, before);
    this.#entries.set(key, { instances, pieces, version: this.store.version });
    this.#instances += instances.count;
    for (const [oldest, entry] of this.#entries) {
      if (this.#instances <= INSTANCE_BUDGET || oldest === key) break;
      this.#drop(oldest, entry);
    }
    return instances;
  }

  #drop(key: string, entry: Entry): void {
    this.#entries.delete(key);
    this.#instances -= entry.instances.count;
    this.release(entry.instances);
  }
}

function keyOf(block: RowBlock, level: number, tile: number): string {
  return `${level}:${tile} ${block.key}`;
}

/**
 * Queries over the sealed segments and the open one: instants and intervals here, sums in `totals.ts`, drawing in
 * `tile.ts`. Intervals that cross segments come out whole: pieces that touch and have the same value are joined.
 */
import type { TimeNs } from '../base/units.ts';
import type { AttributeTree } from './attribute-tree.ts';
import { BlockCache, type BlockCacheOptions } from './block-cache.ts';
import { rowOf } from './directory.ts';
import type { GroupTable } from './groups.ts';
import { PieceCursor, type Slice } from './piece-cursor.ts';
import type { Segment } from './segment.ts';
import { queryLoad, queryTile } from './tile.ts';
import type { SortedTiles } from './tiles.ts';
import { queryTotals } from './totals.ts';
import type { AttributeId, HistoryQuery, Interval } from './types.ts';

/** What is asked: a history being built, or one opened from a store. */
export interface HistorySource {
  readonly tree: AttributeTree;
  /** In time order. */
  readonly segments: readonly Segment[];
  groupsOf(attribute: AttributeId): GroupTable;
  /** Begin and end of what is known. */
  extent(): { readonly from: TimeNs; readonly to: TimeNs };
  /** Resolves when `segments` and `openTiles` together hold everything that was told. */
  ready?(): Promise<void>;
  /** The segment not yet cut. */
  openTiles?(): SortedTiles | undefined;
}

/**
 * What a stored value means now, for properties that are learnt late (a thread is a kernel thread): the value to
 * answer instead. It may depend on the state alone, so that it applies to sums and levels of detail too.
 */
export type Resolve = (attribute: AttributeId, value: number) => number;

export interface QueryOptions extends BlockCacheOptions {
  readonly resolve?: Resolve;
}

export function createQuery(source: HistorySource, options: QueryOptions = {}): HistoryQuery {
  const context = new QueryContext(source, options);
  return {
    extent: () => source.extent(),
    attributes: () => source.tree.attributes,
    find: (path) => source.tree.find(path),
    text: (index) => source.tree.texts[index] ?? '',
    at: (attribute, time) => queryAt(context, attribute, time),
    intervals: (attribute, from, to, limit) =>
      queryIntervals(context, attribute, from, to, limit ?? Infinity),
    totals: (attributes, from, to) => queryTotals(context, attributes, from, to),
    tile: (request) => queryTile(context, request),
    load: (request) => queryLoad(context, request),
  };
}

/** A stretch of time as queries meet it: a sealed segment, or the open one. */
export type Stretch =
  | { readonly kind: 'sealed'; readonly from: TimeNs; readonly to: TimeNs; readonly segment: Segment }
  | { readonly kind: 'open'; readonly from: TimeNs; readonly to: TimeNs; readonly tiles: SortedTiles };

/** Row of an attribute, or -1; see `rowOf`. */
export function rowIn(stretch: Stretch, attribute: AttributeId, hint = 0): number {
  return rowOf(stretch.kind === 'open' ? stretch.tiles : stretch.segment.directory, attribute, hint);
}

export class QueryContext {
  readonly source: HistorySource;
  readonly resolve: Resolve;
  readonly #cache: BlockCache;

  constructor(source: HistorySource, options: QueryOptions) {
    this.source = source;
    this.resolve = options.resolve ?? ((_, value) => value);
    this.#cache = new BlockCache(options);
  }

  /** What overlaps [from, to), in time order. */
  async stretches(from: TimeNs, to: TimeNs): Promise<readonly Stretch[]> {
    await this.source.ready?.();
    const { segments } = this.source;
    const found: Stretch[] = [];
    for (
      let i = firstEndingAfter(segments, from);
      i < segments.length && segments[i].directory.from < to;
      i++
    ) {
      const { directory } = segments[i];
      found.push({ kind: 'sealed', from: directory.from, to: directory.to, segment: segments[i] });
    }
    const tiles = this.source.openTiles?.();
    if (tiles !== undefined && tiles.to > from && tiles.from < to)
      found.push({ kind: 'open', from: tiles.from, to: tiles.to, tiles });
    return found;
  }

  /** A stretch with the blocks in memory that hold [from, to) of the rows. */
  async slice(stretch: Stretch, rows: Iterable<number>, from: TimeNs, to: TimeNs): Promise<Slice> {
    if (stretch.kind === 'open') return stretch;
    const { directory } = stretch.segment;
    const wanted = new Set<number>();
    for (const row of rows) {
      const end = directory.runStart[row + 1];
      for (let run = directory.runStart[row]; run < end && directory.runBegin[run] < to; run++)
        if (run + 1 === end || directory.runBegin[run + 1] > from) wanted.add(directory.runBlock[run]);
    }
    const blocks = await this.#cache.blocks(stretch.segment, wanted);
    return { kind: 'sealed', from: stretch.from, to: stretch.to, directory, blocks };
  }
}

/** Number of the first segment that ends after `time`. */
function firstEndingAfter(segments: readonly Segment[], time: TimeNs): number {
  let low = 0;
  let high = segments.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (segments[middle].directory.to <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

async function queryAt(
  context: QueryContext,
  attribute: AttributeId,
  time: TimeNs,
): Promise<Interval | undefined> {
  const piece = await pieceAt(context, attribute, Math.floor(time));
  if (piece === undefined) return undefined;
  let { from, to } = piece;
  for (;;) {
    const before = await pieceAt(context, attribute, from - 1);
    if (before?.value !== piece.value) break;
    from = before.from;
  }
  for (;;) {
    const after = await pieceAt(context, attribute, to);
    if (after?.value !== piece.value) break;
    to = after.to;
  }
  return { attribute, from, to, value: piece.value };
}

/** The piece that holds `time`, as its segment has it. */
async function pieceAt(
  context: QueryContext,
  attribute: AttributeId,
  time: TimeNs,
): Promise<Interval | undefined> {
  for (const stretch of await context.stretches(time, time + 1)) {
    const row = rowIn(stretch, attribute);
    if (row < 0) continue;
    const cursor = new PieceCursor();
    cursor.open(await context.slice(stretch, [row], time, time + 1), row, time, time + 1);
    if (!cursor.next()) continue;
    return { attribute, from: cursor.begin, to: cursor.end, value: context.resolve(attribute, cursor.value) };
  }
  return undefined;
}

async function queryIntervals(
  context: QueryContext,
  attribute: AttributeId,
  from: TimeNs,
  to: TimeNs,
  limit: number,
): Promise<readonly Interval[]> {
  const found: { attribute: AttributeId; from: TimeNs; to: TimeNs; value: number }[] = [];
  const cursor = new PieceCursor();
  for (const stretch of await context.stretches(from, to)) {
    const row = rowIn(stretch, attribute);
    if (row < 0) continue;
    cursor.open(await context.slice(stretch, [row], from, to), row, from, to);
    while (found.length <= limit && cursor.next()) {
      const value = context.resolve(attribute, cursor.value);
      const last = found.at(-1);
      if (last?.to === cursor.begin && last.value === value) last.to = cursor.end;
      else found.push({ attribute, from: cursor.begin, to: cursor.end, value });
    }
  }
  if (found.length > limit) found.length = limit;
  return wholeEnds(context, found);
}

/** The first and the last interval may go on in segments that do not overlap the range. */
async function wholeEnds(context: QueryContext, found: Interval[]): Promise<readonly Interval[]> {
  const last = found.length - 1;
  for (const i of last > 0 ? [0, last] : [0].slice(0, found.length))
    found[i] = (await queryAt(context, found[i].attribute, found[i].from)) ?? found[i];
  return found;
}

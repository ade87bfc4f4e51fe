/**
 * Context shared by all queries: the history, the present meaning of its values, and the way from a time range to the
 * segments that overlap it, with the needed blocks in memory.
 */
import { firstWhere } from '../base/lower-bound.ts';
import type { HostNs } from '../base/units.ts';
import type { AttributeTree } from './attribute-tree.ts';
import { BlockCache, type BlockCacheOptions, type Blocks } from './block-cache.ts';
import { rowOf, runRowOf, type Segment } from './directory.ts';
import { hasUnknown } from './groups.ts';
import type { GroupTable } from './mix.ts';
import type { OpenSection, Overrules, Slice } from './interval-cursor.ts';
import type { SortedIntervals } from './intervals.ts';
import type { AttributeId } from './types.ts';

/** Source of answers: a history under construction, or one opened from a store. */
export interface HistorySource {
  readonly tree: AttributeTree;
  /** Segments in time order. */
  readonly segments: readonly Segment[];
  readonly outline: Outline | undefined;
  /** Number of attributes, how their values are drawn, and whether they are states; known without reading `tree`. */
  readonly attributes: number;
  groupsOf(attribute: AttributeId): GroupTable;
  isState(attribute: AttributeId): boolean;
  /** Begin and end of what is known. */
  extent(): { readonly from: HostNs; readonly to: HostNs };
  /** Resolves when `segments`, or those of the outline, together with `openIntervals` hold all calls made so far. */
  ready(wanted: 'segments' | 'outline'): Promise<void>;
  /** The segment not yet cut; undefined also while an earlier one is not in `segments`. */
  openIntervals?(): SortedIntervals | undefined;
}

/** See `levels.ts`. */
export interface Outline {
  readonly level: number;
  /** Outlines of segments, without blocks. */
  readonly segments: readonly Segment[];
}

/**
 * Present meaning of a stored value, for properties that are learnt late (a thread is a kernel thread): the value to
 * answer instead. The new state may depend only on the stored state, so that sums and levels of detail can be
 * converted, except as in `ResolvedApart`. Intervals that become equal are joined in answers, but counted separately in
 * totals.
 */
export type Resolve = (attribute: AttributeId, value: number) => number;

/**
 * Ranges of an attribute in which `Resolve` depends on more than the state: begins and ends (HostNs) in order, which do
 * not touch. Mixed buckets of levels of detail are drawn from intervals there, so ranges must be few; sums are left to
 * the caller.
 */
export type ResolvedApart = (attribute: AttributeId) => Float64Array | undefined;

export interface QueryOptions extends BlockCacheOptions {
  readonly resolve?: Resolve;
  readonly apart?: ResolvedApart;
  /** Values that replace an attribute's stored ones; they are resolved too, and lie in ranges of `apart`. */
  readonly overrules?: (attribute: AttributeId) => Overrules | undefined;
}

/** A range of time for queries: a sealed segment, or the open one. */
export type Section =
  | { readonly kind: 'sealed'; readonly from: HostNs; readonly to: HostNs; readonly segment: Segment }
  | OpenSection;

type SealedSection = Extract<Section, { kind: 'sealed' }>;

/** The rows of a section, by attribute. */
export function rowTable(section: Section): Pick<SortedIntervals, 'attribute'> {
  return section.kind === 'open' ? section.intervals : section.segment.directory;
}

/** Row of an attribute, or -1; see `rowOf`. */
export function rowIn(section: Section, attribute: AttributeId, hint = 0): number {
  return rowOf(rowTable(section), attribute, hint);
}

/** Rows of several attributes, -1 for those without one. */
export function rowsIn(section: Section, attributes: readonly AttributeId[]): Int32Array {
  const rows = new Int32Array(attributes.length);
  let next = 0;
  for (let i = 0; i < attributes.length; i++) {
    rows[i] = rowIn(section, attributes[i], next);
    if (rows[i] >= 0) next = rows[i] + 1;
  }
  return rows;
}

export class QueryContext {
  readonly source: HistorySource;
  readonly resolve: Resolve;
  readonly apart: ResolvedApart;
  readonly overrules: NonNullable<QueryOptions['overrules']>;
  readonly #cache: BlockCache;

  constructor(source: HistorySource, options: QueryOptions) {
    this.source = source;
    this.resolve = options.resolve ?? ((_, value) => value);
    this.apart = options.apart ?? (() => undefined);
    this.overrules = options.overrules ?? (() => undefined);
    this.#cache = new BlockCache(options);
  }

  /**
   * Sections that overlap [from, to), in time order.
   * @param level level of detail that the caller draws at; default: intervals
   */
  async sections(from: HostNs, to: HostNs, level = -1): Promise<readonly Section[]> {
    const { outline } = this.source;
    const isOutlined = outline !== undefined && level >= outline.level;
    await this.source.ready(isOutlined ? 'outline' : 'segments');
    const { segments } = isOutlined ? outline : this.source;
    const found: Section[] = [];
    const first = firstWhere(0, segments.length, (index) => segments[index].directory.to > from);
    for (let i = first; i < segments.length && segments[i].directory.from < to; i++) {
      const { directory } = segments[i];
      found.push({ kind: 'sealed', from: directory.from, to: directory.to, segment: segments[i] });
    }
    // Open intervals are sorted only for queries about their time.
    if (to <= (segments.at(-1)?.directory.to ?? -Infinity)) return found;
    const intervals = this.source.openIntervals?.();
    if (intervals !== undefined && intervals.to > from && intervals.from < to)
      found.push({ kind: 'open', from: intervals.from, to: intervals.to, intervals });
    return found;
  }

  /** A section with the blocks that hold [from, to) of the rows in memory. */
  async slice(section: Section, rows: Iterable<number>, from: HostNs, to: HostNs): Promise<Slice> {
    if (section.kind === 'open') return section;
    const { directory } = section.segment;
    const wanted = new Set<number>();
    for (const row of rows) {
      const place = runRowOf(directory, row);
      if (place < 0) continue;
      const end = directory.runStart[place + 1];
      for (let run = directory.runStart[place]; run < end && directory.runBegin[run] < to; run++)
        if (run + 1 === end || directory.runBegin[run + 1] > from) wanted.add(directory.runBlock[run]);
    }
    const blocks = await this.#cache.blocks(section.segment, wanted);
    return this.sealedSlice(section, blocks);
  }

  /** @param blocks sound blocks that will be read */
  sealedSlice({ from, to, segment: { directory } }: SealedSection, blocks: Blocks): Slice {
    const isUnknown = (row: number) => hasUnknown(this.source.groupsOf(directory.attribute[row]));
    return { kind: 'sealed', from, to, directory, blocks, isUnknown };
  }
}

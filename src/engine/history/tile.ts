/**
 * Tiles for drawing: rows folded into buckets, from the coarsest level of detail that is fine enough, or else from the
 * intervals. Cost: rows x buckets, never intervals, except for a constant factor where no level is kept.
 */
import { firstWhere, lowerBound } from '../base/lower-bound.ts';
import { f64, type Table, tableOf } from '../base/tables.ts';
import type { HostNs } from '../base/units.ts';
import { assert } from '../base/assert.ts';
import { BucketFold, SpanList } from './bucket-fold.ts';
import type { Directory } from './directory.ts';
import { ID_GROUPS, NO_GROUPS } from './groups.ts';
import { type GroupTable, MIX } from './mix.ts';
import { MIX_HELD, MIX_LONGEST_ID } from './id-mix.ts';
import { MIX_CAUSE } from './state-mix.ts';
import { type LevelMapping, levelOfWidth, LevelReader, type LevelStream, widthOfLevel } from './levels.ts';
import { IntervalCursor, overrule, type Slice } from './interval-cursor.ts';
import { type QueryContext, rowsIn, type Section } from './query-context.ts';
import type { IdTile, Load, Tile, TileRequest, TileSpans } from './query-types.ts';
import { MIXED } from './intervals.ts';
import { GROUP_COUNT, GROUP_UNKNOWN, ON_CPU_GROUPS, STATES, type AttributeId } from './types.ts';

/** Bytes per bucket of `Tile.shares`. */
const SHARES = GROUP_COUNT + 1;

/** Spans of the requested rows, clipped to whole buckets. */
interface FoldedRows {
  readonly from: HostNs;
  readonly to: HostNs;
  readonly width: number;
  readonly spans: SpanList;
  readonly rowStart: Uint32Array;
}

export async function queryTile(context: QueryContext, request: TileRequest): Promise<Tile> {
  assert(!request.attributes.some((attribute) => isId(context, attribute)), 'ids have tiles of their own');
  const rows = await foldRows(context, request);
  const { mixes, mixNs } = rows.spans;
  const shares = new Uint8Array(mixes * SHARES);
  for (let mix = 0; mix < mixes; mix++) writeShares(mixNs, mix * MIX, rows.width, shares, mix * SHARES);
  return { ...tileSpans(rows), shares };
}

export async function queryIdTile(context: QueryContext, request: TileRequest): Promise<IdTile> {
  assert(
    request.attributes.every((attribute) => isId(context, attribute)),
    'tiles of ids are of ids alone',
  );
  const rows = await foldRows(context, request);
  const { mixes, mixNs } = rows.spans;
  const longest = new Float64Array(mixes);
  const heldNs = new Float64Array(mixes);
  for (let mix = 0; mix < mixes; mix++) {
    longest[mix] = mixNs[mix * MIX + MIX_LONGEST_ID];
    heldNs[mix] = mixNs[mix * MIX + MIX_HELD];
  }
  return { ...tileSpans(rows), longest, heldNs };
}

function isId({ source }: QueryContext, attribute: AttributeId): boolean {
  return source.groupsOf(attribute) === ID_GROUPS;
}

function tileSpans({ from, to, width, spans, rowStart }: FoldedRows): TileSpans {
  const { length } = spans;
  return {
    from,
    to,
    bucketNs: width,
    rowStart,
    begin: spans.begin.slice(0, length),
    end: spans.end.slice(0, length),
    value: spans.value.slice(0, length).map((value) => (value === MIXED ? -1 : value)),
    mix: spans.mix.slice(0, length),
  };
}

export async function queryLoad(context: QueryContext, request: TileRequest): Promise<Load> {
  const { from, to, width, spans, rowStart } = await foldRows(context, request);
  const sums = new LoadSums(from, Math.round((to - from) / width), width);
  const extent = context.source.extent();
  request.attributes.forEach((attribute, row) => {
    const { groupOfState } = context.source.groupsOf(attribute);
    const isHeld = isId(context, attribute);
    for (let i = rowStart[row]; i < rowStart[row + 1]; i++) {
      const value = spans.value[i];
      if (value !== MIXED) {
        const group = isHeld ? ON_CPU_GROUPS[0] : groupOfState[value & (STATES - 1)];
        const isUnknown = group === GROUP_UNKNOWN;
        sums.add(spans.begin[i], spans.end[i], ON_CPU_GROUPS.includes(group) ? 1 : 0, isUnknown ? 1 : 0);
        continue;
      }
      let begin = spans.begin[i];
      for (let mix = spans.mix[i] * MIX; begin < spans.end[i]; mix += MIX, begin += width) {
        const { mixNs } = spans;
        // Inside, gaps cannot be told from states that are not drawn; only those at the history's ends count as gaps.
        const first = Math.max(begin, extent.from);
        const length = Math.min(begin + width, extent.to) - first;
        if (isHeld) sums.add(first, first + length, mixNs[mix + MIX_HELD] / length, 0);
        else
          sums.add(first, first + length, onCpuNs(mixNs, mix) / length, mixNs[mix + GROUP_UNKNOWN] / length);
      }
    }
    sums.endRow();
  });
  return { from, bucketNs: width, ...sums.columns() };
}

/** Sums of a load, by bucket. */
const LOAD = {
  used: f64(),
  unknown: f64(),
  /** Share of the bucket in which the current row has a value; the greatest of all rows; their sum. */
  own: f64(),
  most: f64(),
  present: f64(),
};

/** The columns of `Load` during summation, row by row. */
class LoadSums {
  readonly #from: HostNs;
  readonly #width: number;
  readonly #sums: Table<typeof LOAD>;
  #rows = 0;

  constructor(from: HostNs, buckets: number, width: number) {
    this.#from = from;
    this.#width = width;
    this.#sums = tableOf(LOAD, buckets);
  }

  /** Adds shares of the time from `begin` to `end`, in which the current row has values. */
  add(begin: HostNs, end: HostNs, used: number, unknown: number): void {
    const width = this.#width;
    const sums = this.#sums;
    for (let bucket = Math.floor((begin - this.#from) / width); this.#from + bucket * width < end; bucket++) {
      const bucketBegin = this.#from + bucket * width;
      const part = (Math.min(end, bucketBegin + width) - Math.max(begin, bucketBegin)) / width;
      sums.used[bucket] += used * part;
      sums.unknown[bucket] += unknown * part;
      sums.own[bucket] += part;
    }
  }

  endRow(): void {
    this.#rows++;
    const { own, most, present } = this.#sums;
    for (let bucket = 0; bucket < own.length; bucket++) {
      most[bucket] = Math.max(most[bucket], own[bucket]);
      present[bucket] += own[bucket];
      own[bucket] = 0;
    }
  }

  columns(): Pick<Load, 'used' | 'unknown' | 'absent'> {
    const { used, unknown, most, present } = this.#sums;
    const ifAny = (value: number, bucket: number) => (most[bucket] > 0 ? value : NaN);
    return {
      used: Float32Array.from(used, ifAny),
      unknown: Float32Array.from(unknown, ifAny),
      absent: Float32Array.from(most, (share, bucket) => this.#rows * share - present[bucket]),
    };
  }
}

function onCpuNs(mixNs: Float64Array, mix: number): number {
  let ns = 0;
  for (const group of ON_CPU_GROUPS) ns += mixNs[mix + group];
  return ns;
}

async function foldRows(context: QueryContext, request: TileRequest): Promise<FoldedRows> {
  const level = levelOfWidth(request.bucketNs);
  const width = widthOfLevel(level);
  const from = Math.floor(request.from / width) * width;
  // Avoids -0.
  const to = Math.ceil(request.to / width) * width + 0;
  const parts: Part[] = [];
  for (const section of await context.sections(from, to, drawnLevel(context, request, level)))
    parts.push(await partOf(context, section, request.attributes, level, from, to));
  const spans = new SpanList();
  const fold = new BucketFold(false);
  fold.begin(width, from, to, spans);
  const rowStart = new Uint32Array(request.attributes.length + 1);
  const cursor = new IntervalCursor();
  const levels = new LevelReader();
  request.attributes.forEach((attribute, i) => {
    const groups = context.source.groupsOf(attribute);
    const mapping = levelMapping(context, attribute, groups);
    fold.row(groups);
    for (const { slice, rows, level, place, apart } of parts) {
      const row = rows[i];
      if (row < 0) continue;
      if (slice.kind === 'sealed' && level[i] !== INTERVALS) {
        const { directory } = slice;
        const stream = levelStream(directory, level[i], place[i]);
        const { foldApart } = mappingApart(context, attribute, apart[i], row, cursor);
        levels.fold(stream, from, to, { ...mapping, foldApart }, directory.settled.get(row), fold);
      } else {
        cursor.open(slice, row, from, to, context.overrules(attribute));
        while (cursor.next()) fold.pure(cursor.begin, cursor.end, context.resolve(attribute, cursor.value));
      }
    }
    fold.finish();
    spans.dropGaps(rowStart[i]);
    rowStart[i + 1] = spans.length;
  });
  return { from, to, width, spans, rowStart };
}

/** The level at which sections are drawn; -1 if a row, or a part of it, needs intervals. */
function drawnLevel({ source, apart }: QueryContext, request: TileRequest, level: number): number {
  const { attributes, from, to } = request;
  const isDrawn = attributes.every(
    (attribute) =>
      source.groupsOf(attribute) !== NO_GROUPS && overlapping(apart(attribute), from, to) === undefined,
  );
  return isDrawn ? level : -1;
}

/** The part of [from, to) from the first to the last of some ranges that overlap it; undefined: none does. */
function overlapping(
  ranges: Float64Array | undefined,
  from: HostNs,
  to: HostNs,
): { readonly from: HostNs; readonly to: HostNs } | undefined {
  if (ranges === undefined) return undefined;
  const pairs = ranges.length / 2;
  const first = firstWhere(0, pairs, (pair) => ranges[2 * pair + 1] > from);
  const end = firstWhere(first, pairs, (pair) => ranges[2 * pair] >= to);
  if (first === end) return undefined;
  return { from: Math.max(from, ranges[2 * first]), to: Math.min(to, ranges[2 * end - 1]) };
}

/** A section with the data of the requested rows. */
interface Part {
  readonly slice: Slice;
  /** Row by index of the requested attribute; -1: none. */
  readonly rows: Int32Array;
  /** The level to read each row from, as its index in the directory, or INTERVALS. */
  readonly level: Int8Array;
  /** Index of the row among those of the level. */
  readonly place: Int32Array;
  /** Intervals of rows that are read from a level but resolved apart in some ranges. */
  readonly apart: (Slice | undefined)[];
}

const INTERVALS = -1;

async function partOf(
  context: QueryContext,
  section: Section,
  attributes: readonly AttributeId[],
  level: number,
  from: HostNs,
  to: HostNs,
): Promise<Part> {
  const rows = rowsIn(section, attributes);
  const part = {
    rows,
    level: new Int8Array(rows.length).fill(INTERVALS),
    place: new Int32Array(rows.length),
    apart: new Array<Slice | undefined>(rows.length),
  };
  if (section.kind === 'sealed') findLevels(section.segment.directory, level, part);
  const fromIntervals = rows.filter((row, i) => row >= 0 && part.level[i] === INTERVALS);
  if (section.kind === 'sealed') await sliceApart(context, section, attributes, part, from, to);
  return { ...part, slice: await context.slice(section, fromIntervals, from, to) };
}

/** Reads the intervals of buckets in which a row with a level is resolved apart. */
async function sliceApart(
  context: QueryContext,
  section: Extract<Section, { kind: 'sealed' }>,
  attributes: readonly AttributeId[],
  { rows, level, apart }: Omit<Part, 'slice' | 'place'>,
  from: HostNs,
  to: HostNs,
): Promise<void> {
  const begin = Math.max(from, section.from);
  const end = Math.min(to, section.to);
  for (let i = 0; i < rows.length; i++) {
    if (rows[i] < 0 || level[i] === INTERVALS) continue;
    const found = overlapping(context.apart(attributes[i]), begin, end);
    if (found === undefined) continue;
    const width = widthOfLevel(section.segment.directory.levels[level[i]].level);
    const wideFrom = Math.floor(found.from / width) * width;
    const wideTo = Math.ceil(found.to / width) * width;
    apart[i] = await context.slice(section, [rows[i]], wideFrom, wideTo);
  }
}

/** Finds the coarsest level of each row that is not coarser than `most`. */
function findLevels(
  { levels }: Directory,
  most: number,
  { rows, level, place }: Omit<Part, 'slice' | 'apart'>,
): void {
  const coarsest = levels.findLastIndex((candidate) => candidate.level <= most);
  for (let i = 0; i < rows.length; i++) {
    for (let number = coarsest; rows[i] >= 0 && level[i] === INTERVALS && number >= 0; number--) {
      const at = indexOf(levels[number].row, rows[i]);
      if (at < 0) continue;
      level[i] = number;
      place[i] = at;
    }
  }
}

function levelStream({ bytes, from, to, levels }: Directory, number: number, place: number): LevelStream {
  const { level, at } = levels[number];
  return { bytes, at: at[place], end: at[place + 1], width: widthOfLevel(level), from, to };
}

/** Index of a number in an ascending column, or -1. */
function indexOf(column: Uint32Array, number: number): number {
  const low = lowerBound(column, number);
  return column[low] === number ? low : -1;
}

/** Mapping of the mixed buckets of a row that are resolved apart. */
function mappingApart(
  { resolve, apart, overrules }: QueryContext,
  attribute: AttributeId,
  slice: Slice | undefined,
  row: number,
  cursor: IntervalCursor,
): Pick<LevelMapping, 'foldApart'> {
  if (slice === undefined) return { foldApart: () => false };
  const ranges = apart(attribute);
  const foldApart = (begin: HostNs, end: HostNs, fold: BucketFold) => {
    if (overlapping(ranges, begin, end) === undefined) return false;
    cursor.open(slice, row, begin, end, overrules(attribute));
    while (cursor.next())
      fold.pure(Math.max(begin, cursor.begin), Math.min(end, cursor.end), resolve(attribute, cursor.value));
    return true;
  };
  return { foldApart };
}

function levelMapping(
  { resolve, overrules }: QueryContext,
  attribute: AttributeId,
  groups: GroupTable,
): Omit<LevelMapping, 'foldApart'> {
  const rules = overrules(attribute);
  const resolved = (stored: number) => resolve(attribute, stored);
  const pure = (from: HostNs, end: HostNs, value: number, fold: BucketFold) => {
    for (let begin = from; begin < end;) {
      const part = { begin, end, value };
      if (rules !== undefined) overrule(rules, part);
      fold.pure(begin, part.end, resolved(part.value));
      begin = part.end;
    }
  };
  return { groups, pure, mix: groups.mix.resolver(resolved, groups) };
}

function writeShares(mixNs: Float64Array, at: number, width: number, shares: Uint8Array, to: number): void {
  let sum = 0;
  let sumNs = 0;
  for (let group = 0; group < GROUP_COUNT; group++) {
    sumNs += mixNs[at + group];
    const share = Math.round((sumNs * 255) / width) - sum;
    sum += share;
    shares[to + group] = share;
  }
  shares[to + GROUP_COUNT] = mixNs[at + MIX_CAUSE];
}

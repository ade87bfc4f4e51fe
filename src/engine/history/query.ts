/**
 * Queries over the sealed segments and the open one: instants and intervals here, sums in `totals.ts`, drawing in
 * `tile.ts`. Intervals that cross segments are returned whole: parts that touch and have the same value are joined.
 */
import type { HostNs } from '../base/units.ts';
import { IntervalCursor } from './interval-cursor.ts';
import { type HistorySource, QueryContext, type QueryOptions, rowIn } from './query-context.ts';
import type { HistoryQuery, Interval, IntervalPart } from './query-types.ts';
import { RowFinder } from './row-finder.ts';
import { takeSnapshot } from './snapshot.ts';
import { queryIdTile, queryLoad, queryTile } from './tile.ts';
import { queryTotals } from './totals.ts';
import type { AttributeId } from './types.ts';

export type { HistorySource, QueryOptions, Resolve } from './query-context.ts';

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
    scan: (attributes, from, to, visit) => queryScan(context, attributes, from, to, visit),
    tile: (request) => queryTile(context, request),
    idTile: (request) => queryIdTile(context, request),
    load: (request) => queryLoad(context, request),
    snapshot: () => takeSnapshot(context),
  };
}

async function queryAt(
  context: QueryContext,
  attribute: AttributeId,
  time: HostNs,
): Promise<Interval | undefined> {
  const interval = await intervalAt(context, attribute, Math.floor(time));
  if (interval === undefined) return undefined;
  return { ...interval, from: await beginOf(context, interval), to: await endOf(context, interval) };
}

/** The interval that holds `time`, as its segment has it. */
async function intervalAt(
  context: QueryContext,
  attribute: AttributeId,
  time: HostNs,
): Promise<Interval | undefined> {
  for (const section of await context.sections(time, time + 1)) {
    const row = rowIn(section, attribute);
    if (row < 0) continue;
    const cursor = new IntervalCursor();
    cursor.open(
      await context.slice(section, [row], time, time + 1),
      row,
      time,
      time + 1,
      context.overrules(attribute),
    );
    if (!cursor.next()) continue;
    return { attribute, from: cursor.begin, to: cursor.end, value: context.resolve(attribute, cursor.value) };
  }
  return undefined;
}

async function queryIntervals(
  context: QueryContext,
  attribute: AttributeId,
  from: HostNs,
  to: HostNs,
  limit: number,
): Promise<readonly Interval[]> {
  const found: { attribute: AttributeId; from: HostNs; to: HostNs; value: number }[] = [];
  const cursor = new IntervalCursor();
  for (const section of await context.sections(from, to)) {
    // One more than wanted, as only then the last wanted one has all its parts.
    if (found.length > limit) break;
    const row = rowIn(section, attribute);
    if (row < 0) continue;
    cursor.open(await context.slice(section, [row], from, to), row, from, to, context.overrules(attribute));
    while (found.length <= limit && cursor.next()) {
      const value = context.resolve(attribute, cursor.value);
      const last = found.at(-1);
      if (last?.to === cursor.begin && last.value === value) last.to = cursor.end;
      else found.push({ attribute, from: cursor.begin, to: cursor.end, value });
    }
  }
  const isCut = found.length > limit;
  if (isCut) found.length = limit;
  return wholeEnds(context, found, from, isCut ? Infinity : to);
}

async function queryScan(
  context: QueryContext,
  attributes: readonly AttributeId[],
  from: HostNs,
  to: HostNs,
  visit: (place: number, interval: IntervalPart) => void,
): Promise<void> {
  const cursor = new IntervalCursor();
  const found = new RowFinder(attributes);
  for (const section of await context.sections(from, to)) {
    found.find(section);
    const slice = await context.slice(section, found.rows(), from, to);
    for (const n of found.inOrder()) {
      const i = found.place[n];
      cursor.open(slice, found.row[n], from, to, context.overrules(attributes[i]));
      while (cursor.next()) {
        cursor.value = context.resolve(attributes[i], cursor.value);
        visit(i, cursor);
      }
    }
  }
}

/** Adds parts outside of the range to the first and last interval if these reach its ends: there may be very many. */
async function wholeEnds(
  context: QueryContext,
  found: { readonly attribute: AttributeId; from: HostNs; to: HostNs; readonly value: number }[],
  from: HostNs,
  to: HostNs,
): Promise<readonly Interval[]> {
  const first = found.at(0);
  const last = found.at(-1);
  if (first !== undefined && first.from <= from) first.from = await beginOf(context, first);
  if (last !== undefined && last.to >= to) last.to = await endOf(context, last);
  return found;
}

/** Begin of the interval that a part belongs to. */
async function beginOf(context: QueryContext, { attribute, from, value }: Interval): Promise<HostNs> {
  for (;;) {
    const before = await intervalAt(context, attribute, from - 1);
    if (before?.value !== value) return from;
    from = before.from;
  }
}

/** End of the interval that a part belongs to. */
async function endOf(context: QueryContext, { attribute, to, value }: Interval): Promise<HostNs> {
  for (;;) {
    const after = await intervalAt(context, attribute, to);
    if (after?.value !== value) return to;
    to = after.to;
  }
}

/**
 * Time per state of many attributes over a range: from summaries where a whole segment lies in it, from intervals where
 * a segment is cut. Cost: rows per whole segment, intervals per cut one.
 */
import type { HostNs } from '../base/units.ts';
import { ByteReader } from './bytes.ts';
import { constantOf, runRowOf, type Segment } from './directory.ts';
import { IntervalCursor, type Slice } from './interval-cursor.ts';
import type { QueryContext, Resolve } from './query-context.ts';
import type { Totals } from './query-types.ts';
import { RowFinder } from './row-finder.ts';
import { addSummary } from './summary.ts';
import { GAP, type SortedIntervals } from './intervals.ts';
import { STATES, type AttributeId } from './types.ts';

export async function queryTotals(
  context: QueryContext,
  attributes: ArrayLike<AttributeId>,
  from: HostNs,
  to: HostNs,
): Promise<Totals> {
  const ns = new Float64Array(attributes.length * STATES);
  const isState = new Uint8Array(attributes.length);
  for (let i = 0; i < attributes.length; i++) isState[i] = context.source.isState(attributes[i]) ? 1 : 0;
  const sums = { from, to, isState, ns };
  const found = new RowFinder(attributes);
  for (const section of await context.sections(from, to)) {
    found.find(section);
    if (section.kind === 'open') addOpen(section.intervals, found, sums);
    else if (section.from >= from && section.to <= to) addWhole(section.segment, found, sums);
    else addCut(await context.slice(section, found.rows(), from, to), found, sums);
  }
  for (let i = 0; i < attributes.length; i++) resolveStates(ns, i * STATES, attributes[i], context.resolve);
  return { states: STATES, ns };
}

/** Sums under construction: `ns` as in `Totals`. */
interface Sums {
  readonly from: HostNs;
  readonly to: HostNs;
  /** 1 for attributes that are states. */
  readonly isState: Uint8Array;
  readonly ns: Float64Array;
}

/** Adds the summaries of a sealed segment that lies in the range. */
function addWhole({ directory }: Segment, found: RowFinder, { isState, ns }: Sums): void {
  const reader = new ByteReader(directory.bytes);
  const length = directory.to - directory.from;
  for (let n = 0; n < found.length; n++) {
    const row = found.row[n];
    const i = found.place[n];
    const place = runRowOf(directory, row);
    if (place < 0) {
      const constant = constantOf(directory, row);
      if (isState[i] === 1) ns[i * STATES + (constant & (STATES - 1))] += length;
      continue;
    }
    if (isState[i] === 0) continue;
    const life = directory.to - directory.runBegin[directory.runStart[place]];
    reader.at = directory.summary[place];
    addSummary(reader, life, ns, i * STATES);
  }
}

/**
 * Adds the intervals of the open segment that overlap the range. They are columns and need no cursor: with one, V8
 * would take as long to compile this as it runs while a trace is read.
 */
function addOpen(intervals: SortedIntervals, found: RowFinder, { from, to, isState, ns }: Sums): void {
  const { start, end, value } = intervals;
  for (let n = 0; n < found.length; n++) {
    const row = found.row[n];
    const i = found.place[n];
    if (isState[i] === 0) continue;
    let begin = intervals.begin[row];
    for (let interval = start[row]; interval < start[row + 1] && begin < to; begin = end[interval++]) {
      if (end[interval] <= from || value[interval] === GAP) continue;
      const state = value[interval] & (STATES - 1);
      ns[i * STATES + state] += Math.min(end[interval], to) - Math.max(begin, from);
    }
  }
}

/** Adds the intervals of a sealed segment that overlap the range. */
function addCut(slice: Slice, found: RowFinder, { from, to, isState, ns }: Sums): void {
  const cursor = new IntervalCursor();
  for (let n = 0; n < found.length; n++) {
    const i = found.place[n];
    if (isState[i] === 0) continue;
    cursor.open(slice, found.row[n], from, to);
    while (cursor.next()) {
      const state = cursor.value & (STATES - 1);
      ns[i * STATES + state] += Math.min(cursor.end, to) - Math.max(cursor.begin, from);
    }
  }
}

/** Moves the time of states to the states that they mean now. */
function resolveStates(ns: Float64Array, at: number, attribute: AttributeId, resolve: Resolve): void {
  for (let state = 0; state < STATES; state++) {
    if (ns[at + state] === 0 || resolve(attribute, state) === state) continue;
    const stored = ns.slice(at, at + STATES);
    ns.fill(0, at, at + STATES);
    stored.forEach((time, from) => (ns[at + (resolve(attribute, from) & (STATES - 1))] += time));
    return;
  }
}

/**
 * Time per state of many attributes over a range: from summaries where a whole segment lies in it, from the tiles of
 * the segments that are cut. Cost: rows per whole segment, tiles per cut one.
 */
import type { TimeNs } from '../base/units.ts';
import { ByteReader } from './bytes.ts';
import { STATES } from './groups.ts';
import { PieceCursor, type Slice } from './piece-cursor.ts';
import { rowTable, type QueryContext, type Resolve, type Stretch } from './query-context.ts';
import { RowFinder } from './row-finder.ts';
import type { Segment } from './segment.ts';
import { addSummary } from './summary.ts';
import { GAP } from './tiles.ts';
import type { AttributeId, Totals } from './types.ts';

export async function queryTotals(
  context: QueryContext,
  attributes: readonly AttributeId[],
  from: TimeNs,
  to: TimeNs,
): Promise<Totals> {
  const ns = new Float64Array(attributes.length * STATES);
  const intervals = new Float64Array(attributes.length);
  const isState = attributes.map((attribute) => context.source.isState(attribute));
  const found = new RowFinder(attributes);
  for (const stretch of await context.stretches(from, to)) {
    found.find(stretch);
    const whole = stretch.from >= from && stretch.to <= to;
    if (whole && stretch.kind === 'sealed') {
      addWhole(stretch.segment, found, isState, ns, intervals);
    } else {
      const slice = await context.slice(stretch, found.rows(), from, to);
      addCut(slice, found, from, to, isState, ns, intervals);
    }
    if (stretch.from > from) uncountContinued(stretch, found, intervals);
  }
  attributes.forEach((attribute, i) => resolveStates(ns, i * STATES, attribute, context.resolve));
  return { from, to, states: STATES, ns, intervals };
}

function addWhole(
  { directory }: Segment,
  found: RowFinder,
  isState: readonly boolean[],
  ns: Float64Array,
  intervals: Float64Array,
): void {
  const reader = new ByteReader(directory.bytes);
  const length = directory.to - directory.from;
  for (let n = 0; n < found.length; n++) {
    const row = found.row[n];
    const i = found.place[n];
    const constant = directory.constant[row];
    if (constant !== GAP) {
      if (isState[i]) ns[i * STATES + (constant & (STATES - 1))] += length;
      intervals[i]++;
      continue;
    }
    let run = directory.runStart[row];
    const life = directory.to - directory.runBegin[run];
    reader.at = directory.summary[row];
    intervals[i] -= addSummary(reader, life, isState[i], ns, i * STATES);
    for (; run < directory.runStart[row + 1]; run++) intervals[i] += directory.runTiles[run];
  }
}

function addCut(
  slice: Slice,
  found: RowFinder,
  from: TimeNs,
  to: TimeNs,
  isState: readonly boolean[],
  ns: Float64Array,
  intervals: Float64Array,
): void {
  const cursor = new PieceCursor();
  for (let n = 0; n < found.length; n++) {
    const i = found.place[n];
    cursor.open(slice, found.row[n], from, to);
    while (cursor.next()) {
      intervals[i]++;
      if (!isState[i]) continue;
      const begin = cursor.begin > from ? cursor.begin : from;
      const end = cursor.end < to ? cursor.end : to;
      ns[i * STATES + (cursor.value & (STATES - 1))] += end - begin;
    }
  }
}

/** Intervals that come from the segment before were counted there. */
function uncountContinued(stretch: Stretch, found: RowFinder, intervals: Float64Array): void {
  const { continued } = rowTable(stretch);
  for (let n = 0; n < found.length; n++) intervals[found.place[n]] -= continued[found.row[n]];
}

/** Moves the time of states that mean another one now. */
function resolveStates(ns: Float64Array, at: number, attribute: AttributeId, resolve: Resolve): void {
  for (let state = 0; state < STATES; state++) {
    if (ns[at + state] === 0 || resolve(attribute, state) === state) continue;
    const stored = ns.slice(at, at + STATES);
    ns.fill(0, at, at + STATES);
    stored.forEach((time, from) => (ns[at + (resolve(attribute, from) & (STATES - 1))] += time));
    return;
  }
}

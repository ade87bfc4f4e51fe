/** Intervals of a host's attributes as columns at times of the graph, decoded on first use, within a budget. */
import { firstWhere } from '../base/lower-bound.ts';
import { assert } from '../base/assert.ts';
import { IntervalCursor } from '../history/interval-cursor.ts';
import { NO_INTERVALS, NOT_LOADED, type HistorySnapshot } from '../history/snapshot.ts';
import type { AttributeId } from '../history/types.ts';
import { trimmed, widen } from '../base/columns.ts';
import { f64, noRows, type ReadRows } from '../base/tables.ts';

const INTERVALS = { begin: f64(), end: f64(), value: f64() };

/** Intervals in order of time, contiguous except where the attribute has no value. */
export interface IntervalList extends ReadRows<typeof INTERVALS> {
  /** Place of the interval that was asked for last. */
  hint: number;
}

const NO_VALUE = -1;

/** Bytes of intervals that are kept. */
const BUDGET_BYTES = 32 * 1024 * 1024;
const INTERVAL_BYTES = 24;
/** Bytes of an empty list, roughly. */
const LIST_BYTES = 300;

/** Intervals after the last one asked for that are checked one by one. */
const NEAR = 4;

export const NO_INTERVAL_LIST: IntervalList = { length: 0, ...noRows(INTERVALS), hint: 0 };

/** Lists of one segment of the history, by attribute. */
interface SegmentLists {
  readonly lists: Map<AttributeId, IntervalList>;
  bytes: number;
}

export class IntervalLists {
  readonly #snapshot: HistorySnapshot;
  readonly #toGraph: (time: number) => number;
  readonly #budget: number;
  readonly #segmentBegin: Float64Array;
  readonly #cursor = new IntervalCursor();
  /** Lists by segment, oldest first. */
  readonly #kept = new Map<number, SegmentLists>();
  #keptBytes = 0;
  /** Columns that are reused for each list. */
  readonly #columns = noRows(INTERVALS);

  /** @param toGraph monotonic */
  constructor(snapshot: HistorySnapshot, toGraph: (time: number) => number, budgetBytes = BUDGET_BYTES) {
    this.#snapshot = snapshot;
    this.#toGraph = toGraph;
    this.#budget = budgetBytes;
    this.#segmentBegin = Float64Array.from(snapshot.segments, ({ from }) => toGraph(from));
  }

  /** Calls `take` for each interval within [from, to), cut to it, in order of time. */
  async each(
    attribute: AttributeId,
    from: number,
    to: number,
    take: (begin: number, end: number, value: number) => void,
  ): Promise<void> {
    for (let s = this.segmentAt(from); s < this.#segmentBegin.length && this.#segmentBegin[s] < to; s++) {
      const list = this.at(attribute, s) ?? (await this.read(attribute, s));
      for (let i = firstEndingAfter(list, from); i < list.length && list.begin[i] < to; i++)
        take(Math.max(from, list.begin[i]), Math.min(to, list.end[i]), list.value[i]);
    }
  }

  /** Number of the segment that holds `time`; the first one for earlier times. */
  segmentAt(time: number): number {
    const low = firstWhere(0, this.#segmentBegin.length, (index) => this.#segmentBegin[index] > time);
    return Math.max(0, low - 1);
  }

  /** Time of the graph at which a segment begins: -Infinity for the first, Infinity after the last. */
  beginOf(segment: number): number {
    if (segment <= 0) return -Infinity;
    return segment < this.#segmentBegin.length ? this.#segmentBegin[segment] : Infinity;
  }

  /** Loads a segment, so that `at` has its lists. */
  load(segment: number): Promise<void> {
    return this.#snapshot.load(segment);
  }

  /** Intervals of an attribute (-1: there are none) in a segment; undefined: not in memory. */
  at(attribute: AttributeId, segment: number): IntervalList | undefined {
    if (attribute < 0) return NO_INTERVAL_LIST;
    const kept = this.#kept.get(segment)?.lists.get(attribute);
    if (kept !== undefined) return kept;
    const opened = this.#snapshot.open(segment, attribute, this.#cursor);
    if (opened === NOT_LOADED) return undefined;
    const list = opened === NO_INTERVALS ? NO_INTERVAL_LIST : this.#decode();
    this.#keep(attribute, segment, list);
    return list;
  }

  /** Intervals of an attribute in a segment, loaded if needed. */
  async read(attribute: AttributeId, segment: number): Promise<IntervalList> {
    const known = this.at(attribute, segment);
    if (known !== undefined) return known;
    await this.load(segment);
    const list = this.at(attribute, segment);
    assert(list !== undefined, 'a segment that was loaded is in memory');
    return list;
  }

  #decode(): IntervalList {
    const cursor = this.#cursor;
    const columns = this.#columns;
    let length = 0;
    while (cursor.next()) {
      if (length === columns.begin.length) widen(columns);
      columns.begin[length] = this.#toGraph(cursor.begin);
      columns.end[length] = this.#toGraph(cursor.end);
      columns.value[length++] = cursor.value;
    }
    return { length, ...trimmed(columns, length), hint: 0 };
  }

  /** Makes room by dropping other segments, the oldest first. */
  #keep(attribute: AttributeId, segment: number, list: IntervalList): void {
    const kept = this.#kept.get(segment) ?? { lists: new Map<AttributeId, IntervalList>(), bytes: 0 };
    this.#kept.set(segment, kept);
    kept.lists.set(attribute, list);
    kept.bytes += bytesOf(list);
    this.#keptBytes += bytesOf(list);
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#keptBytes <= this.#budget) return;
      if (oldest === segment) continue;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytes;
    }
  }
}

function bytesOf({ length }: IntervalList): number {
  return LIST_BYTES + INTERVAL_BYTES * length;
}

/** The value at a time, NO_VALUE where there is none. */
export function valueIn(list: IntervalList, time: number): number {
  const at = firstEndingAfter(list, time);
  return at < list.length && list.begin[at] <= time ? list.value[at] : NO_VALUE;
}

/** Place of the first interval that ends after `time`. Paths are read in order of time, so it is mostly near the last one. */
export function firstEndingAfter(list: IntervalList, time: number): number {
  const { end, length, hint } = list;
  if (hint === 0 || end[hint - 1] <= time) {
    const near = Math.min(length, hint + NEAR);
    for (let at = hint; at < near; at++) if (end[at] > time) return (list.hint = at);
  }
  const low = firstWhere(0, length, (index) => end[index] > time);
  return (list.hint = low);
}

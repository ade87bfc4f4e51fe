/**
 * Pieces of a host's attributes as columns that can be searched, at times of the graph. Decoded per attribute and
 * segment when first asked for, and kept within a budget: a path asks for the same stretch of time again and again.
 */
import { assert } from '../base/assert.ts';
import { PieceCursor } from '../history/piece-cursor.ts';
import { NO_PIECES, NOT_LOADED, type HistorySnapshot } from '../history/snapshot.ts';
import type { AttributeId } from '../history/types.ts';
import { trimmed, widen } from '../kernel/columns.ts';

/** In time order; they touch, but where the attribute has no value. */
export interface PieceList {
  readonly length: number;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
}

/** Answers of `PieceLists.valueAt` beside values. */
export const NO_VALUE = -1;
export const VALUE_NOT_LOADED = -2;

/** Bytes of pieces that are kept. */
const BUDGET_BYTES = 32 * 1024 * 1024;
const PIECE_BYTES = 24;
/** What an empty list costs, roughly. */
const LIST_BYTES = 300;

const EMPTY: PieceList = {
  length: 0,
  begin: new Float64Array(0),
  end: new Float64Array(0),
  value: new Float64Array(0),
};

export class PieceLists {
  readonly #snapshot: HistorySnapshot;
  readonly #toGraph: (time: number) => number;
  readonly #budget: number;
  readonly #segmentBegin: Float64Array;
  readonly #cursor = new PieceCursor();
  /** By attribute and segment, oldest first. */
  readonly #kept = new Map<number, PieceList>();
  #keptBytes = 0;
  /** Columns that are filled anew for each list. */
  readonly #columns = {
    begin: new Float64Array(0),
    end: new Float64Array(0),
    value: new Float64Array(0),
  };

  /** @param toGraph never goes back */
  constructor(snapshot: HistorySnapshot, toGraph: (time: number) => number, budgetBytes = BUDGET_BYTES) {
    this.#snapshot = snapshot;
    this.#toGraph = toGraph;
    this.#budget = budgetBytes;
    this.#segmentBegin = Float64Array.from(snapshot.segments, ({ from }) => toGraph(from));
  }

  /** The value of an attribute (-1: nobody has it) at a time within a segment; NO_VALUE, VALUE_NOT_LOADED. */
  valueAt(attribute: AttributeId, segment: number, time: number): number {
    const list = this.#list(attribute, segment);
    if (list === undefined) return VALUE_NOT_LOADED;
    const at = firstEndingAfter(list, time);
    return at < list.length && list.begin[at] <= time ? list.value[at] : NO_VALUE;
  }

  /** The same, whatever has to be loaded. */
  async valueOf(attribute: AttributeId, time: number): Promise<number> {
    let value = NO_VALUE;
    await this.each(attribute, time, time + 1, (begin, _, found) => {
      if (begin === time) value = found;
    });
    return value;
  }

  /** Calls `take` for each piece within [from, to), cut to it, in time order. */
  async each(
    attribute: AttributeId,
    from: number,
    to: number,
    take: (begin: number, end: number, value: number) => void,
  ): Promise<void> {
    for (let s = this.segmentAt(from); s < this.#segmentBegin.length && this.#segmentBegin[s] < to; s++) {
      const list = this.#list(attribute, s) ?? (await this.#loaded(attribute, s));
      for (let i = firstEndingAfter(list, from); i < list.length && list.begin[i] < to; i++)
        take(Math.max(from, list.begin[i]), Math.min(to, list.end[i]), list.value[i]);
    }
  }

  /** Number of the segment that holds `time`, of the first for times before it. */
  segmentAt(time: number): number {
    let low = 0;
    let high = this.#segmentBegin.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#segmentBegin[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  /** Time of the graph at which a segment begins; the first begins at -Infinity. */
  beginOf(segment: number): number {
    return segment <= 0 ? -Infinity : this.#segmentBegin[segment];
  }

  async #loaded(attribute: AttributeId, segment: number): Promise<PieceList> {
    await this.#snapshot.load(segment);
    const list = this.#list(attribute, segment);
    assert(list !== undefined, 'a segment that was loaded is in memory');
    return list;
  }

  /** undefined: the segment is not in memory. */
  #list(attribute: AttributeId, segment: number): PieceList | undefined {
    if (attribute < 0) return EMPTY;
    const key = attribute * 2 ** 24 + segment;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const opened = this.#snapshot.open(segment, attribute, this.#cursor);
    if (opened === NOT_LOADED) return undefined;
    const list = opened === NO_PIECES ? EMPTY : this.#decode();
    this.#keep(key, list);
    return list;
  }

  #decode(): PieceList {
    const cursor = this.#cursor;
    const columns = this.#columns;
    let length = 0;
    while (cursor.next()) {
      if (length === columns.begin.length) widen(columns);
      columns.begin[length] = this.#toGraph(cursor.begin);
      columns.end[length] = this.#toGraph(cursor.end);
      columns.value[length++] = cursor.value;
    }
    return { length, ...trimmed(columns, length) };
  }

  #keep(key: number, list: PieceList): void {
    this.#kept.set(key, list);
    this.#keptBytes += bytesOf(list);
    for (const [oldest, left] of this.#kept) {
      if (this.#keptBytes <= this.#budget) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytesOf(left);
    }
  }
}

function bytesOf({ length }: PieceList): number {
  return LIST_BYTES + PIECE_BYTES * length;
}

/** Place of the first piece that ends behind `time`. */
function firstEndingAfter({ end, length }: PieceList, time: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (end[middle] <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The state history (spec 01 "State history and store"): attributes over time, gathered into self-contained
 * segments, with summaries and levels of detail. Knows no domain: what a value means is told by a `ValueScheme`.
 */
import type { TimeNs } from '../base/units.ts';
import type { SharedHistory } from './shared-history.ts';
import type { HistorySnapshot } from './snapshot.ts';

export type AttributeId = number;
export type AttributeKind = 'state' | 'integer' | 'string' | 'duration';

export interface Attribute {
  readonly id: AttributeId;
  /** Segments of the path: ['threads', '1234', 'state']. */
  readonly path: readonly string[];
  readonly kind: AttributeKind;
}

/**
 * Attributes that all things of one sort have, such as the state of each thread. A history gives them numbers alone,
 * which their maker keeps: there are hundreds of thousands, and nobody asks for one by its path.
 */
export interface AttributeFamily {
  readonly kind: AttributeKind;
  /** The path that the attribute of what has these two numbers would have. */
  pathOf(first: number, second: number): readonly string[];
}

/**
 * Where reducers write. The history keeps the current value and its begin for every attribute, drops intervals of
 * length zero and joins equal neighbours. What is told happens at the time moved to last, which never goes back; a
 * time that were an argument of every call would cost an allocation each, since it is no small integer.
 *
 * A value is an integer from 0 to 2^53 - 3. For states the low 4 bits are the state number; what lies above
 * (cause, waker) is the domain's, see `ValueScheme`. A string value is an index from `string()`.
 */
export interface HistorySink {
  /** For compiled reducers, which may write into its tables; undefined: they may not. */
  readonly shared?: SharedHistory;
  attribute(path: readonly string[], kind: AttributeKind): AttributeId;
  /** Announces a family; returns its number. */
  family(family: AttributeFamily): number;
  /** A new attribute of a family, of what has these two numbers; it is asked for once. */
  member(family: number, first: number, second: number): AttributeId;
  /** Index of an interned text. */
  string(text: string): number;
  /** What is told next happens at `time`. */
  moveTo(time: TimeNs): void;
  /** From now on the attribute has `value`; the first call begins its life. */
  set(attribute: AttributeId, value: number): void;
  /**
   * The interval that ends now turns out to have had `past` (same state, now with its cause) since its begin,
   * also in segments already sealed; then `value` begins. Sealed pieces get a patch.
   */
  settle(attribute: AttributeId, past: number, value: number): void;
  /** The attribute's life ends now (no value afterwards, until the next `set`). */
  end(attribute: AttributeId): void;
}

/**
 * How values are summed and drawn, given by the domain for each kind of row ('thread', 'cpu').
 * Groups are the six of spec 01: user, kernel, interrupted, runnable, blocked, unknown (or none: nothing drawn).
 */
export interface ValueScheme {
  readonly id: string;
  /** Number of distinct states for summaries: state = value & 15. */
  readonly states: number;
  /** Drawn group of a state, index in `GROUPS`, or GROUP_NONE. */
  groupOf(value: number): number;
  /** Cause code of a blocked value for drawing (see `DRAW_CODES`), 0 where it has none. */
  causeOf(value: number): number;
}

export const GROUPS = ['user', 'kernel', 'interrupted', 'runnable', 'blocked', 'unknown'] as const;
export const GROUP_NONE = 255;

/** One interval of an answer; half-open. */
export interface Interval {
  readonly attribute: AttributeId;
  readonly from: TimeNs;
  readonly to: TimeNs;
  readonly value: number;
}

/** An interval, or the part of it that lies in a segment. */
export interface Piece {
  readonly begin: TimeNs;
  readonly end: TimeNs;
  readonly value: number;
}

/** Time per state value over a range: `ns[i * states + s]` of attribute i; `intervals[i]` their number. */
export interface Totals {
  readonly from: TimeNs;
  readonly to: TimeNs;
  readonly states: number;
  readonly ns: Float64Array;
  readonly intervals: Float64Array;
}

/**
 * What is to be drawn of some attributes in a time range, bounded by buckets and not by intervals.
 * Spans of a row are in time order and do not overlap; a stretch without a span has no value there.
 * `value >= 0`: one interval, with exact begin and end, clipped to the range. `value < 0`: a run of buckets each of
 * which has two or more changes inside. The shares of its j-th bucket stand at
 * `shares[(mix + j) * 8 …]`, 0-255 of the bucket: user, kernel, interrupted, runnable, blocked, unknown, then the
 * cause of the longest wait, then 0.
 */
export interface Tile {
  readonly from: TimeNs;
  readonly to: TimeNs;
  readonly bucketNs: number;
  /** Index of the first span of each row; rows + 1 values. */
  readonly rowStart: Uint32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly value: Float64Array;
  readonly mix: Int32Array;
  readonly shares: Uint8Array;
}

export interface TileRequest {
  readonly attributes: readonly AttributeId[];
  readonly from: TimeNs;
  readonly to: TimeNs;
  /** Wanted bucket width in ns: the answer's is the next level 4^k at or below it. */
  readonly bucketNs: number;
}

/** One number a bucket; bucket i begins at `from + i * bucketNs`, on the level's grid. */
export interface Load {
  readonly from: TimeNs;
  readonly bucketNs: number;
  readonly load: Float32Array;
}

/** Queries over sealed segments and the open one. Blocks are loaded from the store when they are not in memory. */
export interface HistoryQuery {
  /** Begin and end of what is known. */
  extent(): { readonly from: TimeNs; readonly to: TimeNs };
  /** Those with a path of their own. */
  attributes(): readonly Attribute[];
  find(path: readonly string[]): AttributeId | undefined;
  text(index: number): string;
  at(attribute: AttributeId, time: TimeNs): Promise<Interval | undefined>;
  /** Intervals that overlap [from, to), whole, in time order, at most `limit` of them. */
  intervals(attribute: AttributeId, from: TimeNs, to: TimeNs, limit?: number): Promise<readonly Interval[]>;
  totals(attributes: ArrayLike<AttributeId>, from: TimeNs, to: TimeNs): Promise<Totals>;
  /**
   * Goes through the pieces of many attributes that overlap [from, to): those of each attribute in time order,
   * attributes as given within a segment. An interval that crosses segments comes in pieces that touch and have equal
   * values, the first one perhaps without what lies before the range.
   * @param visit gets the place of the attribute in the list, and a piece that is good until it returns
   */
  scan(
    attributes: readonly AttributeId[],
    from: TimeNs,
    to: TimeNs,
    visit: (place: number, piece: Piece) => void,
  ): Promise<void>;
  tile(request: TileRequest): Promise<Tile>;
  /**
   * Sum over the attributes of the share of each bucket spent on a CPU (groups user, kernel, interrupted):
   * the load of a process or a host. One number a bucket, NaN where none of them has a value.
   */
  load(request: TileRequest): Promise<Load>;
  /** The history as it is now, to be read segment by segment. */
  snapshot(): Promise<HistorySnapshot>;
}

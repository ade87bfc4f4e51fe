/** Questions to a state history, and its answers. */
import type { HostNs, Times } from '../base/units.ts';
import type { HistorySnapshot } from './snapshot.ts';
import type { Attribute, AttributeId } from './types.ts';

/** Time per state value over a range: `ns[i * states + s]` of attribute i, 0 where it has no states. */
export interface Totals {
  readonly states: number;
  readonly ns: Float64Array;
}

/**
 * Spans to be drawn of some attributes in a time range, bounded by buckets and not by intervals.
 * Spans of a row are in time order and do not overlap; a range without a span has no value there.
 * `value >= 0`: one interval, with exact begin and end, clipped to the range. `value < 0`: a run of buckets each of
 * which has two or more changes inside. Its j-th bucket has the number `mix + j` among those of the tile.
 */
export interface TileSpans<Time extends number = HostNs> {
  readonly from: Time;
  readonly to: Time;
  readonly bucketNs: number;
  /** Index of each row's first span; rows + 1 values. */
  readonly rowStart: Uint32Array;
  readonly begin: Times<Time>;
  readonly end: Times<Time>;
  readonly value: Float64Array;
  readonly mix: Int32Array;
}

/** Tile of attributes that are not ids. */
export interface Tile<Time extends number = HostNs> extends TileSpans<Time> {
  /**
   * Nine numbers a bucket: 0-255 of it for user, kernel, interrupted, runnable, blocked, unknown, guest, and running in a mode
   * that is not known; the cause of the longest wait.
   */
  readonly shares: Uint8Array;
}

/** Tile of attributes whose values are ids. */
export interface IdTile<Time extends number = HostNs> extends TileSpans<Time> {
  /** Value that lasts longest in each bucket without interruption; of equal ones the last. */
  readonly longest: Float64Array;
  /** Time of each bucket in which there is a value, ns. */
  readonly heldNs: Float64Array;
}

export interface TileRequest {
  readonly attributes: readonly AttributeId[];
  readonly from: HostNs;
  readonly to: HostNs;
  /** Wanted bucket width, ns; the answer has the next width 4^k at or below it. */
  readonly bucketNs: number;
}

/** One number a bucket; bucket i begins at `from + i * bucketNs`, on the level's grid. */
export interface Load {
  readonly from: HostNs;
  readonly bucketNs: number;
  /**
   * Sum over the attributes of the share of the bucket that is known to be spent on a CPU (`ON_CPU_GROUPS`), for ids
   * with any value; NaN where none has a value.
   */
  readonly used: Float32Array;
  /** Sum of the shares in an unknown state; NaN where no attribute has a value. */
  readonly unknown: Float32Array;
  /** Sum of the shares in which an attribute has no value while others have one; in mixed buckets all have one. */
  readonly absent: Float32Array;
}

/** Queries over sealed segments and the open one. Blocks are loaded from the store when they are not in memory. */
export interface HistoryQuery {
  /** Begin and end of what is known. */
  extent(): { readonly from: HostNs; readonly to: HostNs };
  /** Attributes with a path of their own. */
  attributes(): readonly Attribute[];
  find(path: readonly string[]): AttributeId | undefined;
  text(index: number): string;
  at(attribute: AttributeId, time: HostNs): Promise<Interval | undefined>;
  /** Intervals that overlap [from, to), whole, in time order, at most `limit` of them. */
  intervals(attribute: AttributeId, from: HostNs, to: HostNs, limit?: number): Promise<readonly Interval[]>;
  totals(attributes: ArrayLike<AttributeId>, from: HostNs, to: HostNs): Promise<Totals>;
  /**
   * Visits the intervals of many attributes that overlap [from, to): in time order for each attribute, attributes in
   * the given order within a segment. An interval that crosses segments is visited in parts that touch and have equal
   * values, perhaps without a part before the range.
   * @param visit gets the index of the attribute in the list, and a part of an interval that is valid until it returns
   */
  scan(
    attributes: readonly AttributeId[],
    from: HostNs,
    to: HostNs,
    visit: (place: number, interval: IntervalPart) => void,
  ): Promise<void>;
  /** Tile of attributes that are not ids. */
  tile(request: TileRequest): Promise<Tile>;
  /** Tile of ids. */
  idTile(request: TileRequest): Promise<IdTile>;
  /** Load of a process or a host, or the number of threads that wait for a lock. */
  load(request: TileRequest): Promise<Load>;
  /** The history as it is now, for reading segment by segment. */
  snapshot(): Promise<HistorySnapshot>;
}

/** One interval of an answer; half-open. */
export interface Interval {
  readonly attribute: AttributeId;
  readonly from: HostNs;
  readonly to: HostNs;
  readonly value: number;
}

/** An interval, or the part of it that lies in a segment. */
export interface IntervalPart {
  readonly begin: HostNs;
  readonly end: HostNs;
  readonly value: number;
}

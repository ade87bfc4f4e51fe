/**
 * The columns of a history under construction (`builder.ts`), in a memory that a compiled reducer can share: it may
 * then do by itself what `set` and `settle` do (`kernels/reduce/history.ts`).
 */
import { f64, i32, TableMemory, u8, type Table } from '../base/tables.ts';

/** Four numbers per attribute, side by side so that a change touches one cache line. */
export const STRIDE = 4;
export const VALUE = 0;
export const SINCE = 1;
/** The interval closed last, held back as it continues if the one after it turns out to be empty. */
export const PAST_VALUE = 2;
export const PAST_SINCE = 3;
/** `PAST_VALUE` when none is held back; `PAST_SINCE` is -Infinity then, before any segment. */
export const NO_PAST = -3;

/** Room for intervals gathered before they go to the open segment: few, so that they stay in the cache. */
const EMITTED_INTERVALS = 4096;
/** A kernel begins no transition above this number, so that what one transition emits has room. */
export const ENOUGH_INTERVALS = EMITTED_INTERVALS - 64;

/** Table of one row, whose columns lie side by side for kernels. */
export const CURSOR = {
  /** Time of the last call that changed something (HostNs), and the time moved to since. */
  now: f64(-Infinity),
  next: f64(-Infinity),
  /** Begin of the open segment; NaN before the first call. */
  from: f64(NaN),
  /** Rows of `emitted`, and the number from which the segment is cut at the next new time. */
  intervals: i32(),
  enough: i32(),
  live: i32(),
  attributes: i32(),
  /** Counter of changes to the open segment's intervals. */
  changes: i32(),
};

export const ATTRIBUTES = {
  state: f64(0, STRIDE),
  /** 1 for attributes in `live`: those with a value, or an interval in the open segment. */
  isLive: u8(),
  /** List in an order of its own, not by attribute. */
  live: i32(),
  /** Index of the scheme, or as in `SealJob` (`groups.ts`). */
  scheme: i32(),
};

/** Scheme of the attributes of each family, as above. */
export const FAMILIES = { scheme: i32() };
/** Maximum number of families, of which there are a handful. */
const MOST_FAMILIES = 64;

/** Columns as in `IntervalColumns`. */
export const EMITTED = { attribute: i32(), end: f64(), value: f64() };

export interface SharedHistory {
  readonly memory: TableMemory;
  readonly cursor: Table<typeof CURSOR>;
  readonly attributes: Table<typeof ATTRIBUTES>;
  readonly emitted: Table<typeof EMITTED>;
  readonly families: Table<typeof FAMILIES>;
}

/** @param attributes number of attributes to make room for */
export function createSharedHistory(attributes: number): SharedHistory {
  const memory = new TableMemory();
  return {
    memory,
    cursor: memory.table(CURSOR, 1),
    attributes: memory.table(ATTRIBUTES, attributes),
    emitted: memory.table(EMITTED, EMITTED_INTERVALS),
    families: memory.table(FAMILIES, MOST_FAMILIES),
  };
}

/**
 * Events with several kinds. A decoder leaves one row of such an event, with a block of words for each kind; this
 * splits it into a row for each kind, in the order of the kinds.
 */
import type { PacketSpans, Rows } from './rows.ts';

/** Kinds that some events have at once. */
export interface SharedSet {
  /** Ascending. */
  readonly kinds: readonly number[];
  /** Word offset of each one's block in the row. */
  readonly bases: readonly number[];
}

/** Sets of kinds: in rows as a decoder leaves them kind `first + i` stands for `sets[i]`. */
export interface SharedKinds {
  readonly first: number;
  readonly sets: readonly SharedSet[];
}

/** Number of rows to add for events with several kinds. */
export function missingRows({ kind, length }: Rows, { first, sets }: SharedKinds): number {
  if (sets.length === 0) return 0;
  let missing = 0;
  for (let row = 0; row < length; row++)
    if (kind[row] >= first) missing += sets[kind[row] - first].kinds.length - 1;
  return missing;
}

/**
 * Splits the rows of events with several kinds, in place.
 * @param rows the last `missing` are not filled yet
 * @param firstRow of the packets; is changed
 */
export function spreadRows(
  { time, kind, eventClass, at, length }: Rows,
  firstRow: PacketSpans['firstRow'],
  missing: number,
  { first, sets }: SharedKinds,
): void {
  let to = length;
  let packet = firstRow.length - 1;
  for (let row = length - missing - 1; row >= 0; row--) {
    for (; firstRow[packet] > row; packet--) firstRow[packet] = to;
    const own = kind[row];
    const { kinds, bases } = own < first ? ALONE : sets[own - first];
    for (let i = kinds.length - 1; i >= 0; i--) {
      to--;
      time[to] = time[row];
      eventClass[to] = eventClass[row];
      at[to] = at[row] + bases[i];
      kind[to] = own < first ? own : kinds[i];
    }
  }
}

const ALONE: SharedSet = { kinds: [0], bases: [0] };

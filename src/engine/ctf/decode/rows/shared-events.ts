/**
 * Events with several meanings. A decoder leaves one row of such an event, with a block of words for each meaning, one
 * behind the other; it becomes a row for each meaning here, in the order of the meanings.
 */
import type { PacketSpans, Rows } from './rows.ts';

/** Meanings that some events have at once. */
export interface SharedSet {
  /** Ascending. */
  readonly meanings: readonly number[];
  /** Word offset of each one's block in the row. */
  readonly bases: readonly number[];
}

/** In rows as a decoder leaves them a meaning of `first + i` stands for `sets[i]`. */
export interface SharedMeanings {
  readonly first: number;
  readonly sets: readonly SharedSet[];
}

/** Rows that are missing for those of events with several meanings. */
export function missingRows({ meaning, length }: Rows, { first, sets }: SharedMeanings): number {
  if (sets.length === 0) return 0;
  let missing = 0;
  for (let row = 0; row < length; row++)
    if (meaning[row] >= first) missing += sets[meaning[row] - first].meanings.length - 1;
  return missing;
}

/**
 * Moves the rows of a chunk apart, in place.
 * @param rows of which the last `missing` are not filled yet
 * @param firstRow of the packets; is changed
 */
export function spreadRows(
  { time, meaning, eventClass, at, length }: Rows,
  firstRow: PacketSpans['firstRow'],
  missing: number,
  { first, sets }: SharedMeanings,
): void {
  let to = length;
  let packet = firstRow.length - 1;
  for (let row = length - missing - 1; row >= 0; row--) {
    for (; firstRow[packet] > row; packet--) firstRow[packet] = to;
    const own = meaning[row];
    const { meanings, bases } = own < first ? ALONE : sets[own - first];
    for (let i = meanings.length - 1; i >= 0; i--) {
      to--;
      time[to] = time[row];
      eventClass[to] = eventClass[row];
      at[to] = at[row] + bases[i];
      meaning[to] = own < first ? own : meanings[i];
    }
  }
}

const ALONE: SharedSet = { meanings: [0], bases: [0] };

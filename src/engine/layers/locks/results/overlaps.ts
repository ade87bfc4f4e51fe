/** Rows with a begin and an end, in groups, found by the time that they overlap. */
import { firstWhere } from '../../../base/lower-bound.ts';
import { type RowGroups, rowsBy } from '../../../base/rows-by.ts';
import { stableOrder } from '../../../base/stable-order.ts';

export class Overlaps {
  readonly #groups: RowGroups;
  readonly #begin: Float64Array;
  readonly #end: Float64Array;
  /** Latest end of the rows of its group up to there, by place in the order. */
  readonly #latest: Float64Array;

  /** @param group by row, -1: the row is left out */
  constructor(group: Int32Array, groups: number, begin: Float64Array, end: Float64Array) {
    const byBegin = stableOrder(begin);
    const { start, order } = rowsBy(
      Int32Array.from(byBegin, (row) => group[row]),
      groups,
    );
    this.#groups = { start, order: order.map((place) => byBegin[place]) };
    this.#begin = begin;
    this.#end = end;
    this.#latest = new Float64Array(order.length);
    for (let of = 0; of < groups; of++) {
      let latest = -Infinity;
      for (let at = start[of]; at < start[of + 1]; at++)
        this.#latest[at] = latest = Math.max(latest, end[this.#groups.order[at]]);
    }
  }

  /** Rows of a group that overlap [from, to) for some time, by begin. */
  *within(group: number, from: number, to: number): Generator<number> {
    const { start, order } = this.#groups;
    const first = firstWhere(start[group], start[group + 1], (at) => this.#latest[at] > from);
    for (let at = first; at < start[group + 1] && this.#begin[order[at]] < to; at++) {
      const row = order[at];
      if (Math.max(from, this.#begin[row]) < Math.min(to, this.#end[row])) yield row;
    }
  }
}

/**
 * The executions of a group that are in the ranges chosen for it, and how their metrics are distributed: each histogram
 * heeds the ranges of all metrics but its own (crossfilter). A range that changes is compared with each execution once, and
 * the histograms are counted anew, which at a hundred thousand executions takes no longer than keeping sorted columns would.
 * Pure.
 */
import type { BrushRange } from '../widgets/histogram/brushed-histogram.tsx';
import { BINS, type MetricColumn, NO_BIN } from './metric-columns.ts';

const EVERYTHING: BrushRange = { from: -Infinity, to: Infinity };

export class BrushedGroup {
  readonly #columns: readonly MetricColumn[];
  readonly #ranges: BrushRange[];
  readonly #isMember: Uint8Array;
  /** Number of ranges that each execution misses, and the sum of their columns' numbers: for one range, the column. */
  readonly #misses: Uint16Array;
  readonly #missed: Uint32Array;
  /** Until a range changes. */
  #passing: Int32Array | undefined;
  #counts: readonly Uint32Array[] | undefined;

  /** @param isMember by execution: 1 where the rule puts it into the group */
  constructor(isMember: Uint8Array, columns: readonly MetricColumn[]) {
    this.#columns = columns;
    this.#ranges = columns.map(() => EVERYTHING);
    this.#isMember = isMember;
    this.#misses = new Uint16Array(isMember.length);
    this.#missed = new Uint32Array(isMember.length);
  }

  /** @param range of a column; undefined: everything, also what has no value */
  choose(column: number, { from, to }: BrushRange = EVERYTHING): void {
    const before = this.#ranges[column];
    if (before.from === from && before.to === to) return;
    const { values } = this.#columns[column];
    const wasAll = isEverything(before);
    const isAll = isEverything({ from, to });
    this.#ranges[column] = { from, to };
    this.#forget();
    for (let i = 0; i < values.length; i++) {
      const value = values[i];
      const was = wasAll || (value >= before.from && value < before.to);
      const is = isAll || (value >= from && value < to);
      if (was === is) continue;
      this.#misses[i] += is ? -1 : 1;
      this.#missed[i] += is ? -column : column;
    }
  }

  /** Takes executions into the group, by number: 1, and 0: not. */
  setMembers(isMember: Uint8Array): void {
    this.#isMember.set(isMember);
    this.#forget();
  }

  /** Numbers of the executions that are in all ranges, ascending. */
  passing(): Int32Array {
    return (this.#passing ??= this.#findPassing());
  }

  /** Executions that are in the ranges of all other columns, by column and bin. */
  counts(): readonly Uint32Array[] {
    return (this.#counts ??= this.#count());
  }

  #forget(): void {
    this.#passing = undefined;
    this.#counts = undefined;
  }

  #findPassing(): Int32Array {
    const numbers = new Int32Array(this.#isMember.length);
    let count = 0;
    for (let i = 0; i < numbers.length; i++)
      if (this.#isMember[i] === 1 && this.#misses[i] === 0) numbers[count++] = i;
    return numbers.subarray(0, count);
  }

  #count(): readonly Uint32Array[] {
    const passing = this.passing();
    const counts = this.#columns.map(({ bin }) => {
      const own = new Uint32Array(NO_BIN + 1);
      for (const i of passing) own[bin[i]]++;
      return own;
    });
    if (this.#ranges.some((range) => !isEverything(range))) this.#countNearlyPassing(counts);
    return counts.map((own) => own.subarray(0, BINS));
  }

  /** Counts the executions that are outside of one range: its own histogram has them. */
  #countNearlyPassing(counts: readonly Uint32Array[]): void {
    for (let i = 0; i < this.#misses.length; i++) {
      if (this.#isMember[i] === 0 || this.#misses[i] !== 1) continue;
      const column = this.#missed[i];
      counts[column][this.#columns[column].bin[i]]++;
    }
  }
}

function isEverything({ from, to }: BrushRange): boolean {
  return from === -Infinity && to === Infinity;
}

/**
 * The executions of a group that are in the ranges chosen for it, and the histograms of their metrics: each histogram
 * applies the ranges of all metrics but its own (crossfilter). A range that changes is compared with each execution once,
 * and histograms are recounted, which for a hundred thousand executions is as fast as sorted columns would be. Pure.
 */
import type { BrushRange } from '../widgets/histogram/brushed-histogram.tsx';
import { BINS, type MetricColumn, NO_BIN } from './metric-columns.ts';

const EVERYTHING: BrushRange = { from: -Infinity, to: Infinity };

export type BrushedGroup = ReturnType<typeof createBrushedGroup>;

/** @param isMember by execution: 1 if the rule puts it into the group */
export function createBrushedGroup(isMember: Uint8Array, columns: readonly MetricColumn[]) {
  const ranges: BrushRange[] = columns.map(() => EVERYTHING);
  /** Number of ranges that each execution is outside of, and the sum of their columns' indices: for one range, the column. */
  const misses = new Uint16Array(isMember.length);
  const missed = new Uint32Array(isMember.length);
  /** Cached until a range changes. */
  let passing: Int32Array | undefined;
  let counts: readonly Uint32Array[] | undefined;
  const forget = () => ([passing, counts] = [undefined, undefined]);

  const findPassing = (): Int32Array => {
    const numbers = new Int32Array(isMember.length);
    let count = 0;
    for (let i = 0; i < numbers.length; i++) if (isMember[i] === 1 && misses[i] === 0) numbers[count++] = i;
    return numbers.subarray(0, count);
  };
  const passingNow = (): Int32Array => (passing ??= findPassing());
  const count = (): readonly Uint32Array[] => {
    const counted = columns.map(({ bin }) => {
      const own = new Uint32Array(NO_BIN + 1);
      for (const i of passingNow()) own[bin[i]]++;
      return own;
    });
    const hasRanges = ranges.some((range) => !isEverything(range));
    // An execution outside of one range alone counts in the histogram of that range.
    for (let i = 0; hasRanges && i < misses.length; i++) {
      if (isMember[i] === 0 || misses[i] !== 1) continue;
      const column = missed[i];
      counted[column][columns[column].bin[i]]++;
    }
    return counted.map((own) => own.subarray(0, BINS));
  };
  return {
    /** @param range of a column; undefined: all executions, also those without a value */
    choose: (column: number, { from, to }: BrushRange = EVERYTHING): void => {
      const before = ranges[column];
      if (before.from === from && before.to === to) return;
      const { values } = columns[column];
      const wasAll = isEverything(before);
      const isAll = isEverything({ from, to });
      ranges[column] = { from, to };
      forget();
      for (let i = 0; i < values.length; i++) {
        const value = values[i];
        const was = wasAll || (value >= before.from && value < before.to);
        const is = isAll || (value >= from && value < to);
        if (was === is) continue;
        misses[i] += is ? -1 : 1;
        missed[i] += is ? -column : column;
      }
    },
    /** Takes executions into the group, by number: 1, and 0: not. */
    setMembers: (members: Uint8Array): void => {
      isMember.set(members);
      forget();
    },
    /** Numbers of the executions that are in all ranges, ascending. */
    passing: passingNow,
    /** Executions that are in the ranges of all other columns, by column and bin. */
    counts: (): readonly Uint32Array[] => (counts ??= count()),
  };
}

function isEverything({ from, to }: BrushRange): boolean {
  return from === -Infinity && to === Infinity;
}

/** Durations of a group in the form of answers. */
import type { DisplayNs, HostNs } from '../../base/units.ts';
import {
  leastOfBin,
  DurationSums,
  meanOf,
  percentileOf,
  type DurationTable,
} from '../../linux/sums/duration-sums.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { DurationMark, DurationStat } from '../../protocol/statistics.ts';

/** Number of fine bins per bin of an answer, of which eight are an octave. */
const FINE_BINS = 8;

/** The owner of durations: row and name. */
export type Owner = Pick<DurationMark, 'row' | 'name'>;

/** A host's table in display time. Its owners are added to `owners` and replaced by their places there. */
export function inDisplayTime(
  table: DurationTable<HostNs>,
  clock: ClockTransform,
  owners: Owner[],
  ownerOf: (owner: number) => Owner,
): DurationTable<DisplayNs> {
  const places = new Map<number, number>();
  const placeOf = (owner: number): number => {
    const place = places.get(owner) ?? owners.push(ownerOf(owner)) - 1;
    places.set(owner, place);
    return place;
  };
  return {
    ...table,
    longestBegin: table.longestBegin.map((time) => clock.toExperiment(time)),
    longestOwner: table.longestOwner.map(placeOf),
  };
}

const SOURCE = Symbol('group');

/** Source of an answer's bins and marks. */
interface Sourced {
  readonly [SOURCE]: DurationGroup & { readonly owners: readonly Owner[] };
}

/**
 * Bins and marks, computed on access: mostly nobody reads those of many thousand threads. All answers share these
 * functions, so that they have one hidden class: with functions of its own each took 1.1 kB.
 */
const ON_DEMAND = {
  bins: {
    enumerable: true,
    get(this: Sourced) {
      return binsOf(this[SOURCE]);
    },
  },
  longest: {
    enumerable: true,
    get(this: Sourced) {
      return longestOf(this[SOURCE]);
    },
  },
};

export function durationStat(
  table: DurationTable<DisplayNs>,
  group: number,
  owners: readonly Owner[],
): DurationStat {
  const count = table.count[group];
  const stat = {
    count,
    totalNs: table.total[group],
    meanNs: meanOf(table, group),
    minNs: count === 0 ? 0 : table.min[group],
    p50Ns: percentileOf(table, group, 0.5),
    p95Ns: percentileOf(table, group, 0.95),
    p99Ns: percentileOf(table, group, 0.99),
    maxNs: table.max[group],
  };
  return Object.defineProperties(stat, {
    ...ON_DEMAND,
    [SOURCE]: { value: { table, group, owners } },
  }) as DurationStat;
}

function longestOf({ table, group, owners }: Sourced[typeof SOURCE]): readonly DurationMark[] {
  const longest: DurationMark[] = [];
  for (let i = table.longestStart[group]; i < table.longestStart[group + 1]; i++) {
    const owner = owners[table.longestOwner[i]];
    longest.push({ fromNs: table.longestBegin[i], ns: table.longestNs[i], ...owner });
  }
  return longest;
}

function binsOf({ table, group }: DurationGroup): number[] {
  const bins: number[] = [];
  let current = -1;
  for (let i = table.binStart[group]; i < table.binStart[group + 1]; i++) {
    const bin = Math.floor(table.bin[i] / FINE_BINS);
    if (bin === current) bins[bins.length - 1] += table.binCount[i];
    else bins.push(leastOfBin(bin * FINE_BINS), leastOfBin((bin + 1) * FINE_BINS), table.binCount[i]);
    current = bin;
  }
  return bins;
}

export interface DurationGroup {
  readonly table: DurationTable<DisplayNs>;
  readonly group: number;
}

/** Several groups as one. */
export function durationStatOf(parts: readonly DurationGroup[], owners: readonly Owner[]): DurationStat {
  // Common case: a system call of one thread has one part.
  if (parts.length === 1) return durationStat(parts[0].table, parts[0].group, owners);
  const sums = new DurationSums(1);
  const all = sums.addGroup();
  for (const { table, group } of parts) sums.addTable(all, table, group);
  return durationStat(sums.finish(), 0, owners);
}

export const NO_DURATION: DurationStat = durationStatOf([], []);

/**
 * Durations summed by group: count, sum, extremes, distribution and the longest ones with their time. The caller
 * defines groups. Sums are of whole ns and so do not depend on the order.
 */
import { f64, i32, noRows, type Table, tableOf, u32 } from '../../base/tables.ts';
import { addLengths, type Times } from '../../base/units.ts';
import { widen, widened } from '../../base/columns.ts';

/**
 * Bins of durations on a logarithmic scale, each octave cut into 64 equal bins: exact below 128 ns, and any value of a
 * bin is within 0.8 % of the bin's middle. The same bins everywhere, so that distributions can be added in any order.
 */
export const OCTAVE_BITS = 6;

export const BINS_AN_OCTAVE = 1 << OCTAVE_BITS;

/** Bins of all durations below 2^53 ns. @internal */
export const BINS = (53 - OCTAVE_BITS + 1) * BINS_AN_OCTAVE;

/**
 * Bin of a duration in whole ns, from 0 on; durations of 2^53 ns and more, from damaged clocks, are in the last bin.
 * @internal
 */
export function binOf(ns: number): number {
  if (ns < BINS_AN_OCTAVE) return ns;
  if (ns >= 2 ** 53) return BINS - 1;
  if (ns < 0x8000_0000) {
    const octave = 31 - Math.clz32(ns) - OCTAVE_BITS;
    return octave * BINS_AN_OCTAVE + (ns >>> octave);
  }
  const octave = 62 - Math.clz32(ns / 0x8000_0000) - OCTAVE_BITS;
  return octave * BINS_AN_OCTAVE + Math.floor(ns / 2 ** octave);
}

/** Least duration (ns) of a bin, and so the end of the bin before. */
export function leastOfBin(bin: number): number {
  if (bin < 2 * BINS_AN_OCTAVE) return bin;
  const octave = (bin >>> OCTAVE_BITS) - 1;
  return (BINS_AN_OCTAVE + (bin & (BINS_AN_OCTAVE - 1))) * 2 ** octave;
}

/** Duration (ns) that represents a bin. @internal */
export function middleOfBin(bin: number): number {
  return Math.floor((leastOfBin(bin) + leastOfBin(bin + 1) - 1) / 2);
}

/** Longest durations that a group keeps. */
export const LONGEST = 8;

/** Plain columns by group, which can be transferred and stored; a group may be empty. */
export interface DurationTable<Time extends number = number> {
  readonly length: number;
  readonly count: Float64Array;
  /** ns. */
  readonly total: Float64Array;
  /** ns; Infinity and 0 for empty groups. */
  readonly min: Float64Array;
  readonly max: Float64Array;
  /** Bins of group g, ascending, with their counts: [binStart[g], binStart[g + 1]). */
  readonly binStart: Uint32Array;
  readonly bin: Uint16Array;
  readonly binCount: Float64Array;
  /** Longest durations of group g, longest first and then in order of time: [longestStart[g], longestStart[g + 1]). */
  readonly longestStart: Uint32Array;
  readonly longestBegin: Times<Time>;
  readonly longestNs: Float64Array;
  /** Owner, as the caller gave it to `add`. */
  readonly longestOwner: Int32Array;
}

/**
 * Number of pages of bins per group. A page is one octave, so that a group needs memory only for its octaves; a group
 * of few durations needs none, as all of them are among the longest.
 */
export const PAGES = BINS / BINS_AN_OCTAVE;

/** Growing columns by group; `pageOf` has PAGES and the longest have LONGEST values per group. */
export const DURATIONS = {
  count: f64(),
  total: f64(),
  min: f64(),
  max: f64(),
  /** Number of the longest durations kept. */
  kept: i32(),
  /** Number of the page, 0 none. */
  pageOf: i32(0, PAGES),
  longestBegin: f64(0, LONGEST),
  longestNs: f64(0, LONGEST),
  longestOwner: i32(0, LONGEST),
};

/** One row per page: its bins. Page 0 is not used. */
export const PAGE = { pages: u32(0, BINS_AN_OCTAVE) };

/** Initial room, in groups, if the number is not given. */
const FIRST_GROUPS = 256;

export type DurationColumns = Table<typeof DURATIONS> & Table<typeof PAGE>;

export class DurationSums {
  #groups = 0;
  readonly #rows = noRows(DURATIONS);
  /** BINS_AN_OCTAVE counts per page; page 0 is not used. */
  #pages = new Uint32Array(BINS_AN_OCTAVE);
  #pageCount = 1;

  /** @param expected groups with room at first; 0: for many, once there is one */
  constructor(expected = 0) {
    if (expected > 0) this.#widen(expected);
  }

  get length(): number {
    return this.#groups;
  }

  /** Makes one group more and returns its index. */
  addGroup(): number {
    if (this.#groups === this.#rows.count.length) this.#widen(FIRST_GROUPS);
    const group = this.#groups++;
    this.#rows.min[group] = Infinity;
    return group;
  }

  /** Adds a duration of `ns` from `begin` on; one that ends before it begins has no length. */
  add(group: number, begin: number, ns: number, owner: number): void {
    const length = ns > 0 ? ns : 0;
    const { count, total, min, max, kept, longestNs } = this.#rows;
    const before = count[group]++;
    total[group] = addLengths(total[group], length);
    if (length < min[group]) min[group] = length;
    if (length > max[group]) max[group] = length;
    if (before === LONGEST) this.#countKept(group);
    if (before >= LONGEST) this.#countBin(group, binOf(length), 1);
    const last = group * LONGEST + LONGEST - 1;
    if (kept[group] < LONGEST || length >= longestNs[last]) this.#keep(group, begin, length, owner);
  }

  /** Adds one group of a finished table. */
  addTable(group: number, table: DurationTable, from: number): void {
    const { count, total, min, max } = this.#rows;
    const before = count[group];
    count[group] += table.count[from];
    total[group] = addLengths(total[group], table.total[from]);
    min[group] = Math.min(min[group], table.min[from]);
    max[group] = Math.max(max[group], table.max[from]);
    if (count[group] > LONGEST) {
      if (before <= LONGEST) this.#countKept(group);
      for (let i = table.binStart[from]; i < table.binStart[from + 1]; i++)
        this.#countBin(group, table.bin[i], table.binCount[i]);
    }
    for (let i = table.longestStart[from]; i < table.longestStart[from + 1]; i++)
      this.#keep(group, table.longestBegin[i], table.longestNs[i], table.longestOwner[i]);
  }

  /** Groups in the given order; default: in order of creation. */
  finish(order: ArrayLike<number> = Uint32Array.from({ length: this.#groups }, (_, i) => i)): DurationTable {
    return durationsOf(this.columns, order);
  }

  /** Present columns, which are replaced when groups are added. */
  get columns(): DurationColumns {
    return { ...this.#rows, pages: this.#pages };
  }

  #widen(first: number): void {
    if (this.#rows.count.length === 0) Object.assign(this.#rows, tableOf(DURATIONS, first));
    else widen(this.#rows);
  }

  /** Counts the bins of a group that so far had all of its durations among the longest. */
  #countKept(group: number): void {
    const { kept, longestNs } = this.#rows;
    for (let i = 0; i < kept[group]; i++) this.#countBin(group, binOf(longestNs[group * LONGEST + i]), 1);
  }

  #countBin(group: number, bin: number, count: number): void {
    const at = group * PAGES + (bin >>> OCTAVE_BITS);
    let page = this.#rows.pageOf[at];
    if (page === 0) {
      page = this.#pageCount++;
      this.#rows.pageOf[at] = page;
      const needed = this.#pageCount * BINS_AN_OCTAVE;
      if (needed > this.#pages.length) this.#pages = widened(this.#pages, 2 * needed);
    }
    this.#pages[page * BINS_AN_OCTAVE + (bin & (BINS_AN_OCTAVE - 1))] += count;
  }

  /** Inserts a duration among the longest; the shortest leaves if there are too many. */
  #keep(group: number, begin: number, ns: number, owner: number): void {
    const { kept, longestBegin: begins, longestNs: lengths, longestOwner: owners } = this.#rows;
    const first = group * LONGEST;
    let at = first + kept[group];
    while (at > first && comesBefore(ns, begin, owner, lengths[at - 1], begins[at - 1], owners[at - 1])) at--;
    if (at === first + LONGEST) return;
    if (kept[group] < LONGEST) kept[group]++;
    const end = first + kept[group] - 1;
    begins.copyWithin(at + 1, at, end);
    lengths.copyWithin(at + 1, at, end);
    owners.copyWithin(at + 1, at, end);
    begins[at] = begin;
    lengths[at] = ns;
    owners[at] = owner;
  }
}

/** Table of groups in the given order, in buffers of its own. */
export function durationsOf(groups: DurationColumns, order: ArrayLike<number>): DurationTable {
  const { count, total, min, max, kept, pageOf, pages, longestBegin, longestNs, longestOwner } = groups;
  const { length } = order;
  const binStart = new Uint32Array(length + 1);
  const longestStart = new Uint32Array(length + 1);
  const listBins = (i: number, list?: BinList) =>
    count[order[i]] > LONGEST
      ? listPages(pageOf, pages, order[i], binStart[i], list)
      : listKept(longestNs, order[i] * LONGEST, kept[order[i]], binStart[i], list);
  for (let i = 0; i < length; i++) {
    binStart[i + 1] = listBins(i);
    longestStart[i + 1] = longestStart[i] + kept[order[i]];
  }
  const list = { bin: new Uint16Array(binStart[length]), count: new Float64Array(binStart[length]) };
  const longest = new Int32Array(longestStart[length]);
  for (let i = 0; i < length; i++) {
    listBins(i, list);
    for (let k = 0; k < kept[order[i]]; k++) longest[longestStart[i] + k] = order[i] * LONGEST + k;
  }
  return {
    length,
    count: picked(count, order),
    total: picked(total, order),
    min: picked(min, order),
    max: picked(max, order),
    binStart,
    bin: list.bin,
    binCount: list.count,
    longestStart,
    longestBegin: picked(longestBegin, longest),
    longestNs: picked(longestNs, longest),
    longestOwner: longest.map((at) => longestOwner[at]),
  };
}

function picked(column: Float64Array, order: ArrayLike<number>): Float64Array {
  const values = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) values[i] = column[order[i]];
  return values;
}

/** Bins of all groups, with their counts. */
interface BinList {
  readonly bin: Uint16Array;
  readonly count: Float64Array;
}

/**
 * Lists the bins of a group from place `at` on, or only counts them. Takes arrays rather than their table, of which
 * there are several shapes: V8 would compile it for each.
 * @returns the place after them
 */
function listPages(
  pageOf: Int32Array,
  pages: Uint32Array,
  group: number,
  at: number,
  list?: BinList,
): number {
  for (let octave = 0; octave < PAGES; octave++) {
    const page = pageOf[group * PAGES + octave];
    if (page === 0) continue;
    for (let i = 0; i < BINS_AN_OCTAVE; i++) {
      const count = pages[page * BINS_AN_OCTAVE + i];
      if (count === 0) continue;
      if (list !== undefined) {
        list.bin[at] = octave * BINS_AN_OCTAVE + i;
        list.count[at] = count;
      }
      at++;
    }
  }
  return at;
}

/** Lists or counts the bins of durations in descending order. */
function listKept(ns: Float64Array, from: number, length: number, at: number, list?: BinList): number {
  let before = -1;
  for (let i = from + length - 1; i >= from; i--) {
    const bin = binOf(ns[i]);
    if (bin !== before) at++;
    if (list !== undefined) {
      list.bin[at - 1] = bin;
      list.count[at - 1]++;
    }
    before = bin;
  }
  return at;
}

/** Order of the longest durations; total, so that the kept ones do not depend on the order of arrival. */
function comesBefore(
  ns: number,
  begin: number,
  owner: number,
  otherNs: number,
  otherBegin: number,
  otherOwner: number,
): boolean {
  if (ns !== otherNs) return ns > otherNs;
  return begin !== otherBegin ? begin < otherBegin : owner < otherOwner;
}

/** Total by count of a group in whole ns, halves up; 0 without durations. */
export function meanOf(table: DurationTable, group: number): number {
  const count = table.count[group];
  return count === 0 ? 0 : Math.floor(table.total[group] / count + 0.5);
}

/**
 * The least duration (ns) that a share of a group does not exceed: exact if it is among the longest, else within 0.8
 * %; 0 without durations.
 */
export function percentileOf(table: DurationTable, group: number, share: number): number {
  const wanted = Math.ceil(share * table.count[group]);
  const fromLongest = table.longestStart[group] + table.count[group] - wanted;
  if (fromLongest < table.longestStart[group + 1]) return table.longestNs[fromLongest];
  let seen = 0;
  for (let i = table.binStart[group]; i < table.binStart[group + 1]; i++) {
    seen += table.binCount[i];
    if (seen >= wanted) {
      return Math.min(table.max[group], Math.max(table.min[group], middleOfBin(table.bin[i])));
    }
  }
  return 0;
}

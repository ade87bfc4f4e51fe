/** Reads the intervals of one row of a segment, sealed or open, in time order: whole, or the parts in the segment. */
import { firstWhere } from '../base/lower-bound.ts';
import type { HostNs } from '../base/units.ts';
import type { Blocks } from './block-cache.ts';
import { constantOf, runRowOf, type Directory } from './directory.ts';
import { UNKNOWN } from './groups.ts';
import { IntervalReader } from './interval-codec.ts';
import { GAP, type SortedIntervals } from './intervals.ts';

/** A segment with its blocks that a query needs; or the open segment, as sorted intervals. */
export type Slice =
  | {
      readonly kind: 'sealed';
      readonly from: HostNs;
      readonly to: HostNs;
      readonly directory: Directory;
      readonly blocks: Blocks;
      /** Whether a damaged block makes a row unknown; otherwise the row has no value there. */
      readonly isUnknown: (row: number) => boolean;
    }
  | OpenSection;

/** The segment not yet cut. */
export interface OpenSection {
  readonly kind: 'open';
  readonly from: HostNs;
  readonly to: HostNs;
  readonly intervals: SortedIntervals;
}

/** Values that replace stored ones, where an interval turned out to be several: by row in order of time. */
export interface Overrules {
  readonly from: Float64Array;
  readonly until: Float64Array;
  readonly value: Float64Array;
}

/** Shortens an interval to its part at a time: up to where a replacement begins or ends, with the value that holds. */
export function overrule(
  { from, until, value }: Overrules,
  interval: { begin: HostNs; end: HostNs; value: number },
  at = interval.begin,
): void {
  const row = firstWhere(0, until.length, (index) => until[index] > at);
  if (row > 0) interval.begin = Math.max(interval.begin, until[row - 1]);
  if (row === until.length || from[row] >= interval.end) return;
  if (from[row] > at) {
    interval.end = from[row];
    return;
  }
  interval.begin = Math.max(interval.begin, from[row]);
  interval.end = Math.min(interval.end, until[row]);
  interval.value = value[row];
}

export class IntervalCursor {
  begin: HostNs = 0;
  end: HostNs = 0;
  value = GAP;
  #overrules: Overrules | undefined;
  /** The current stored interval, parts of which may have other values. */
  #storedEnd: HostNs = 0;
  #storedValue = GAP;
  #from: HostNs = 0;
  #to: HostNs = 0;
  /** Number of intervals left in the current run. */
  #left = 0;
  /** Intervals in columns, with the index of the next; undefined: they are read from runs. */
  #columns: { readonly end: Float64Array; readonly value: Float64Array } | undefined;
  #at = 0;
  /** Columns for the one interval of a row that is constant. */
  readonly #single = { end: new Float64Array(1), value: new Float64Array(1) };
  #directory: Directory | undefined;
  #blocks: Blocks = [];
  #isUnknown: (row: number) => boolean = () => false;
  readonly #reader = new IntervalReader();
  #row = -1;
  #run = 0;
  #runEnd = 0;

  /** Moves before the first interval of `row` that overlaps [from, to). */
  open(slice: Slice, row: number, from: HostNs, to: HostNs, overrules?: Overrules): void {
    this.#overrules = overrules;
    this.#storedEnd = -Infinity;
    this.#from = from;
    this.#to = to;
    this.#left = 0;
    this.#row = row;
    if (slice.kind === 'open') this.#openSorted(slice.intervals, row);
    else this.#openRuns(slice, row);
  }

  /** Moves to the next interval, skipping gaps; false: none. */
  next(): boolean {
    if (this.#overrules === undefined) return this.#nextStored();
    if (this.end < this.#storedEnd) {
      this.begin = this.end;
      this.end = this.#storedEnd;
      this.value = this.#storedValue;
    } else if (this.#nextStored()) {
      this.#storedEnd = this.end;
      this.#storedValue = this.value;
    } else {
      return false;
    }
    // Parts before the range are passed over: there may be very many.
    overrule(this.#overrules, this, Math.max(this.begin, this.#from));
    return this.begin < this.#to;
  }

  #nextStored(): boolean {
    for (;;) {
      if (this.#left === 0 && !this.#nextRun()) return false;
      this.#left--;
      this.begin = this.end;
      if (this.begin >= this.#to) return false;
      if (this.#columns === undefined) {
        this.#reader.read();
        this.end = this.#reader.end;
        this.value = this.#reader.value;
        if (this.#left === 0) this.#takeSettled();
      } else {
        this.end = this.#columns.end[this.#at];
        this.value = this.#columns.value[this.#at++];
      }
      if (this.end > this.#from && this.value !== GAP) return true;
    }
  }

  #openSorted(intervals: SortedIntervals, row: number): void {
    this.#columns = intervals;
    this.#run = this.#runEnd = 0;
    const low = firstWhere(
      intervals.start[row],
      intervals.start[row + 1],
      (index) => intervals.end[index] > this.#from,
    );
    this.#at = low;
    this.#left = intervals.start[row + 1] - low;
    this.end = low === intervals.start[row] ? intervals.begin[row] : intervals.end[low - 1];
  }

  #openRuns({ directory, blocks, isUnknown }: Extract<Slice, { kind: 'sealed' }>, row: number): void {
    this.#columns = undefined;
    this.#directory = directory;
    this.#blocks = blocks;
    this.#isUnknown = isUnknown;
    const place = runRowOf(directory, row);
    if (place < 0) {
      this.#openSingle(directory.from, directory.to, constantOf(directory, row));
      this.#run = this.#runEnd = 0;
      return;
    }
    this.#run = directory.runStart[place];
    this.#runEnd = directory.runStart[place + 1];
    while (this.#run + 1 < this.#runEnd && directory.runBegin[this.#run + 1] <= this.#from) this.#run++;
  }

  /** Moves before the single interval [begin, end). */
  #openSingle(begin: HostNs, end: HostNs, value: number): void {
    this.#single.end[0] = end;
    this.#single.value[0] = value;
    this.#columns = this.#single;
    this.#at = 0;
    this.#left = 1;
    this.end = begin;
  }

  /** Moves to the next run whose block is available. The time of a missing block is unknown if the row is a state. */
  #nextRun(): boolean {
    const directory = this.#directory;
    if (directory === undefined) return false;
    for (; this.#run < this.#runEnd; this.#run++) {
      const block = directory.runBlock[this.#run];
      const bytes = this.#blocks[block];
      const begin = directory.runBegin[this.#run];
      if (bytes === undefined && this.#isUnknown(this.#row)) {
        this.#openSingle(begin, this.#endOfRun(directory), UNKNOWN);
        this.#run++;
        return true;
      }
      if (bytes === undefined) continue;
      this.#columns = undefined;
      this.end = begin;
      this.#left = directory.runIntervals[this.#run];
      this.#reader.open(bytes, directory.runOffset[this.#run] - directory.blockStart[block], this.end);
      this.#run++;
      return true;
    }
    return false;
  }

  /** Latest possible end of a row's last run: without its block the end is not known. */
  #endOfRun(directory: Directory): HostNs {
    return this.#run + 1 < this.#runEnd ? directory.runBegin[this.#run + 1] : directory.to;
  }

  /** Takes the last interval's value, if it was settled after the segment was written. */
  #takeSettled(): void {
    const directory = this.#directory;
    if (directory === undefined || this.#run !== this.#runEnd || this.end !== directory.to) return;
    this.value = directory.settled.get(this.#row) ?? this.value;
  }
}

/** Pairs the begins of executions with their ends. */
import { trimmed, widen } from '../../base/columns.ts';
import type { ExecutionCounts } from './definition.ts';

/** The events of one definition, of all hosts, in their order. */
export interface DefinitionEvents {
  readonly length: number;
  /** ns, ascending. */
  readonly time: Float64Array;
  /** 1: a begin; 0: an end. */
  readonly isBegin: Uint8Array;
  /** Events of one group pair with each other: those of one key, and of one thread unless executions cross threads. */
  readonly group: Int32Array;
  /** 1: the conditions hold. */
  readonly matches: Uint8Array;
}

/** Rows of events, in order of the ends. */
export interface Pairs {
  readonly length: number;
  readonly begin: Int32Array;
  readonly end: Int32Array;
  readonly counts: ExecutionCounts;
}

/**
 * An end belongs to the latest open begin of its group. Executions of no length or less than `minNs` are left out, as are
 * those whose begin does not match; such ends and begins are not counted either.
 */
export function pairEvents(events: DefinitionEvents, minNs: number): Pairs {
  const { length, time, isBegin, group, matches } = events;
  /** Open begin of its group before it by row; -1 none. */
  const outer = new Int32Array(length).fill(-1);
  /** Latest open begin by group. */
  const open = new Int32Array(group.reduce((most, each) => Math.max(most, each + 1), 0)).fill(-1);
  const pairs = new PairWriter();
  let withoutBegin = 0;
  let nested = 0;
  for (let row = 0; row < length; row++) {
    const begin = open[group[row]];
    if (isBegin[row] === 1) {
      outer[row] = begin;
      open[group[row]] = row;
    } else if (begin < 0) {
      withoutBegin += matches[row];
    } else {
      open[group[row]] = outer[begin];
      const ns = time[row] - time[begin];
      if (matches[begin] === 0 || !(ns > 0) || ns < minNs) continue;
      if (outer[begin] >= 0) nested++;
      pairs.add(begin, row);
    }
  }
  let withoutEnd = 0;
  for (const latest of open) for (let row = latest; row >= 0; row = outer[row]) withoutEnd += matches[row];
  return { ...pairs.finish(), counts: { executions: pairs.length, withoutEnd, withoutBegin, nested } };
}

class PairWriter {
  length = 0;
  readonly #columns = { begin: new Int32Array(0), end: new Int32Array(0) };

  add(begin: number, end: number): void {
    if (this.length === this.#columns.begin.length) widen(this.#columns);
    this.#columns.begin[this.length] = begin;
    this.#columns.end[this.length++] = end;
  }

  finish(): Pick<Pairs, 'length' | 'begin' | 'end'> {
    return { length: this.length, ...trimmed(this.#columns, this.length) };
  }
}

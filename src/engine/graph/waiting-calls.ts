/** In which system call a thread is, from its history. */
import { PieceCursor } from '../history/piece-cursor.ts';
import { NO_PIECES, NOT_LOADED, type HistorySnapshot } from '../history/snapshot.ts';
import type { KernelTables } from '../kernel/kernel-tables.ts';

/** Answer of `WaitingCalls.nameAt` where the segment has to be loaded first. */
export const NOT_LOADED_CALL = -2;

/** The calls of one thread in one segment. */
interface Calls {
  readonly thread: number;
  readonly segment: number;
  /** Times of the graph. */
  readonly begin: readonly number[];
  readonly end: readonly number[];
  /** Indices of the history's strings. */
  readonly name: readonly number[];
}

export class WaitingCalls {
  readonly #tables: KernelTables;
  readonly #snapshot: HistorySnapshot;
  readonly #toGraph: (time: number) => number;
  readonly #cursor = new PieceCursor();
  /** What was asked for last: a walk asks for one wait after the other. */
  #last: Calls | undefined = undefined;

  constructor(tables: KernelTables, snapshot: HistorySnapshot, toGraph: (time: number) => number) {
    this.#tables = tables;
    this.#snapshot = snapshot;
    this.#toGraph = toGraph;
  }

  /** Name (string index) of the call that is pending at a time of the graph, -1 none; NOT_LOADED_CALL. */
  nameAt(thread: number, segment: number, time: number): number {
    const calls = this.#callsOf(thread, segment);
    if (calls === undefined) return NOT_LOADED_CALL;
    let low = 0;
    let high = calls.begin.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (calls.begin[middle] <= time) low = middle + 1;
      else high = middle;
    }
    return low > 0 && calls.end[low - 1] > time ? calls.name[low - 1] : -1;
  }

  #callsOf(thread: number, segment: number): Calls | undefined {
    if (this.#last?.thread === thread && this.#last.segment === segment) return this.#last;
    const attribute = this.#tables.threads.callAttribute[thread];
    const begin: number[] = [];
    const end: number[] = [];
    const name: number[] = [];
    if (attribute >= 0) {
      const cursor = this.#cursor;
      const opened = this.#snapshot.open(segment, attribute, cursor);
      if (opened === NOT_LOADED) return undefined;
      while (opened !== NO_PIECES && cursor.next()) {
        begin.push(this.#toGraph(cursor.begin));
        end.push(this.#toGraph(cursor.end));
        name.push(cursor.value);
      }
    }
    return (this.#last = { thread, segment, begin, end, name });
  }
}

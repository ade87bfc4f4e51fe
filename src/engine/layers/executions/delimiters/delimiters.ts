/** Events of one host that delimit executions, and counts in its threads. */
import { f64, i32, noRows, type ReadRows, u8 } from '../../../base/tables.ts';
import { type EventThread, type KernelThreads, NO_THREAD } from '../../contract/event-threads.ts';
import { GrowingTable, widened } from '../../../base/columns.ts';
import { TextList } from '../../../base/text-list.ts';
import { ThreadReducer } from '../../contract/layer-reducer.ts';
import { D_BEGIN, D_COUNT, type DelimiterChunk, MATCHES, OF_PROGRAM } from './delimiter-map.ts';
import type { DelimiterSettings } from './settings.ts';

/** Events in the total order of the host's events. */
const DELIMITERS = {
  /** HostNs. */
  time: f64(),
  /** Index in the settings' definitions. */
  definition: u8(),
  /** 1: a begin; 0: an end. An event that is both has two rows, the end first. */
  isBegin: u8(),
  /** Index in `threads`; -1 not known. */
  thread: i32(),
  cpu: i32(),
  /** 1: a user-space event. */
  ofProgram: u8(),
  /** Index in `keys`. */
  key: i32(),
  /** 1: the conditions about fields hold. */
  matches: u8(),
  /** Index in `values` of the first number that the definition reads of such events. */
  firstValue: i32(),
};

/** Counts in the total order of events, only for threads in the kernel's trace. */
const COUNTS = {
  /** HostNs. */
  time: f64(),
  /** Row of the kernel's thread table. */
  thread: i32(),
  /** Index in the settings' `counted`. */
  counted: u8(),
  /** Events or bytes. */
  amount: f64(),
};

export type Counts = ReadRows<typeof COUNTS>;

export interface Delimiters extends ReadRows<typeof DELIMITERS> {
  /** NaN: the event does not have it. */
  readonly values: Float64Array;
  /** Digits of the values that a double cannot hold, by their place in `values`. */
  readonly exact: ReadonlyMap<number, string>;
  readonly keys: readonly string[];
  readonly threads: readonly EventThread[];
  readonly counts: Counts;
}

/** Table of a host without delimiters. */
export const NO_DELIMITERS: Delimiters = {
  length: 0,
  ...noRows(DELIMITERS),
  values: new Float64Array(0),
  exact: new Map(),
  keys: [],
  threads: [],
  counts: { length: 0, ...noRows(COUNTS) },
};

export class DelimiterReducer extends ThreadReducer<DelimiterChunk, Delimiters> {
  /** Number of values read of its ends and begins, by definition. */
  readonly #valueCounts: readonly (readonly [number, number])[];
  readonly #delimiters = new GrowingTable(noRows(DELIMITERS));
  #values = new Float64Array(0);
  #valueCount = 0;
  readonly #exact = new Map<number, string>();
  /** Row 0 is the key of definitions without one. */
  readonly #keys = new TextList(['']);
  readonly #counts = new GrowingTable(noRows(COUNTS));

  constructor({ definitions }: DelimiterSettings, kernel: KernelThreads | undefined) {
    super(kernel);
    this.#valueCounts = definitions.map(({ beginValues, endValues }) => [
      endValues.length,
      beginValues.length,
    ]);
  }

  soFar(): Delimiters {
    return {
      ...this.#delimiters.toTable(),
      values: this.#values.slice(0, this.#valueCount),
      exact: new Map(this.#exact),
      keys: [...this.#keys.list],
      threads: this.threads.list.map((thread) => ({ ...thread })),
      counts: this.#counts.toTable(),
    };
  }

  protected event(chunk: DelimiterChunk, i: number, at: number): void {
    const { kind, cpu, args } = chunk;
    if (kind[i] === D_COUNT) this.#count(this.threads.ofKernel(args[at], cpu[i], this.now), args, at);
    else this.#delimiter(chunk, i, at);
  }

  #delimiter(chunk: DelimiterChunk, i: number, at: number): void {
    const { kind, cpu, args } = chunk;
    const isOfProgram = (args[at + 3] & OF_PROGRAM) !== 0;
    const row = this.#delimiters.addRow();
    const delimiters = this.#delimiters.rows;
    const isBegin = kind[i] === D_BEGIN ? 1 : 0;
    delimiters.time[row] = this.now;
    delimiters.definition[row] = args[at + 1];
    delimiters.isBegin[row] = isBegin;
    delimiters.thread[row] = isOfProgram
      ? this.threads.ofContext(chunk, args[at], cpu[i], this.now)
      : this.threads.ofKernel(args[at], cpu[i], this.now);
    delimiters.cpu[row] = cpu[i];
    delimiters.ofProgram[row] = isOfProgram ? 1 : 0;
    delimiters.key[row] = this.#keys.indexOf(chunk.texts[args[at + 2]] ?? '');
    delimiters.matches[row] = args[at + 3] & MATCHES;
    delimiters.firstValue[row] = this.#valueCount;
    this.#addValues(chunk, args[at + 4], this.#valueCounts[args[at + 1]][isBegin]);
  }

  #addValues({ values, exact }: DelimiterChunk, from: number, count: number): void {
    const end = this.#valueCount + count;
    if (end > this.#values.length) this.#values = widened(this.#values, Math.max(256, 2 * end));
    for (let i = 0; i < count; i++) {
      this.#values[this.#valueCount + i] = values[from + i];
      const text = exact.size === 0 ? undefined : exact.get(from + i);
      if (text !== undefined) this.#exact.set(this.#valueCount + i, text);
    }
    this.#valueCount = end;
  }

  #count(thread: number, args: Int32Array, at: number): void {
    const row = thread === NO_THREAD ? -1 : this.threads.list[thread].row;
    if (row < 0) return;
    const i = this.#counts.addRow();
    const { rows } = this.#counts;
    rows.time[i] = this.now;
    rows.thread[i] = row;
    rows.counted[i] = args[at + 1];
    rows.amount[i] = args[at + 2] * args[at + 3];
  }
}

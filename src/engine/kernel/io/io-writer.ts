/**
 * The columns of one chunk's i/o part while they are written (`io-leaf.ts`). They serve one chunk after the other: new
 * memory is dear.
 */
import { f64, i32, noRows, u8 } from '../../base/tables.ts';
import { trimmed, widen } from '../../base/columns.ts';
import { createIntIndex, FEW, findInt, putInt } from '../int-index.ts';
import { FACT_NAME } from './io-leaf.ts';
import type { CallColumns, FactColumns } from './io-leaf.ts';

/** See `CallColumns`. */
export const CALLS = {
  thread: i32(),
  call: u8(),
  entry: f64(),
  exit: f64(),
  fd: i32(),
  fd2: i32(),
  flags: i32(),
  path: i32(),
  ret: f64(),
};

/** See `FactColumns`. */
export const FACTS = {
  time: f64(),
  kind: u8(),
  a: i32(),
  b: i32(),
  c: i32(),
  d: i32(),
  wide: f64(),
  text: i32(),
};

/** The latest name told of each thread: index of its text. */
export const NAMES = { tid: i32(), text: i32(), time: f64() };

export class CallWriter {
  length = 0;
  readonly columns = noRows(CALLS);

  clear(): void {
    this.length = 0;
  }

  /** A row of which only thread and call are known; returns its index. */
  add(thread: number, call: number): number {
    const { columns } = this;
    if (this.length === columns.call.length) widen(columns);
    const row = this.length++;
    columns.thread[row] = thread;
    columns.call[row] = call;
    columns.entry[row] = NaN;
    columns.exit[row] = NaN;
    columns.fd[row] = -1;
    columns.fd2[row] = -1;
    columns.flags[row] = 0;
    columns.path[row] = -1;
    columns.ret[row] = NaN;
    return row;
  }

  /** In buffers of their own. */
  finish(): CallColumns {
    return { length: this.length, ...trimmed(this.columns, this.length) };
  }
}

export class FactWriter {
  #length = 0;
  readonly #columns = noRows(FACTS);

  clear(): void {
    this.#length = 0;
  }

  /** `a` to `d`, `wide` and `text` as far as the kind has them (`io-leaf.ts`). */
  add(time: number, kind: number, a: number, b = -1, c = -1, d = -1, wide = 0, text = -1): void {
    const columns = this.#columns;
    if (this.#length === columns.kind.length) widen(columns);
    const row = this.#length++;
    columns.time[row] = time;
    columns.kind[row] = kind;
    columns.a[row] = a;
    columns.b[row] = b;
    columns.c[row] = c;
    columns.d[row] = d;
    columns.wide[row] = wide;
    columns.text[row] = text;
  }

  /** In buffers of their own. */
  finish(): FactColumns {
    return { length: this.#length, ...trimmed(this.#columns, this.#length) };
  }
}

/** What threads are called, the latest told of each: a stream's time may go back. */
export class ThreadNames {
  #length = 0;
  readonly #entryOf = createIntIndex(FEW);
  readonly #columns = noRows(NAMES);

  /** Index of its name's text, -1 none yet. */
  textOf(tid: number): number {
    const entry = findInt(this.#entryOf, tid);
    return entry < 0 ? -1 : this.#columns.text[entry];
  }

  put(time: number, tid: number, text: number): void {
    if (text < 0 || tid <= 0) return;
    const columns = this.#columns;
    let entry = findInt(this.#entryOf, tid);
    if (entry < 0) {
      if (this.#length === columns.tid.length) widen(columns);
      entry = this.#length++;
      putInt(this.#entryOf, tid, entry);
    } else if (time < columns.time[entry]) return;
    columns.tid[entry] = tid;
    columns.text[entry] = text;
    columns.time[entry] = time;
  }

  /** As facts, in order of the first mention. */
  addTo(facts: FactWriter): void {
    const { tid, text, time } = this.#columns;
    for (let i = 0; i < this.#length; i++) facts.add(time[i], FACT_NAME, tid[i], -1, -1, -1, 0, text[i]);
  }
}

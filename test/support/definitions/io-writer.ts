/**
 * The columns of one chunk's i/o part while they are written (`io-chunk.ts`). They serve one chunk after the other: new
 * memory is dear.
 */
import { noRows } from '../../../src/engine/base/tables.ts';
import { trimmed, widen } from '../../../src/engine/base/columns.ts';
import { createIntIndex, findInt, putInt } from '../../../src/engine/analysis/compiled/int-index.ts';
import { CALLS, FACT_NAME, FACTS, NAMES } from '../../../src/engine/linux/sums/io/io-chunk.ts';
import type { CallColumns, FactColumns } from '../../../src/engine/linux/sums/io/io-chunk.ts';

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

  /** `a` to `d`, `wide` and `text` as far as the kind has them (`io-chunk.ts`). */
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
  readonly #entryOf = createIntIndex(2);
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

/** Executions of threads on one CPU, summed up by tid. */
import { f64, i32, noRows, type Table } from '../../../src/engine/base/tables.ts';
import { addLengths } from '../../../src/engine/base/units.ts';
import { ordered, widen } from '../../../src/engine/base/columns.ts';
import { createIntIndex, findInt, putInt } from '../../../src/engine/analysis/compiled/int-index.ts';

/** Columns by tid, ascending. tid 0 is the idle thread. */
export interface Executions {
  readonly tid: Int32Array;
  /** Of complete executions: switched in and out. */
  readonly ns: Float64Array;
  readonly longest: Float64Array;
  /** Switch-ins. */
  readonly runs: Float64Array;
  /** Last name told, '' none; and when. */
  readonly name: readonly string[];
  readonly namedAt: Float64Array;
}

/** Columns while they grow, by entry; names are indices of texts, -1 none. */
const EXECUTIONS = {
  tid: i32(),
  ns: f64(),
  longest: f64(),
  runs: f64(),
  name: i32(),
  namedAt: f64(),
};

/** Sums while they grow: one entry per thread. */
export class ExecutionSums {
  #length = 0;
  readonly #entries = createIntIndex(2);
  readonly #columns = noRows(EXECUTIONS);

  /** The entry of a thread, made at its first mention. */
  entryOf(tid: number): number {
    const known = findInt(this.#entries, tid);
    return known < 0 ? this.#add(tid) : known;
  }

  #add(tid: number): number {
    const columns = this.#columns;
    if (this.#length === columns.tid.length) widen(columns);
    const entry = this.#length++;
    putInt(this.#entries, tid, entry);
    columns.tid[entry] = tid;
    columns.name[entry] = -1;
    columns.namedAt[entry] = -Infinity;
    return entry;
  }

  /** An execution of `length` ns; one that ends before it begins (a stream whose time goes back) has no length. */
  addRun(entry: number, length: number): void {
    if (!(length > 0)) return;
    const { ns, longest } = this.#columns;
    ns[entry] = addLengths(ns[entry], length);
    if (length > longest[entry]) longest[entry] = length;
  }

  countRun(entry: number): void {
    this.#columns.runs[entry]++;
  }

  /** Index of the name's text, -1 none yet. */
  nameOf(entry: number): number {
    return this.#columns.name[entry];
  }

  /** The name told at `time` (HostNs), by its text's index; -1: none was told. */
  setName(entry: number, text: number, time: number): void {
    const { name, namedAt } = this.#columns;
    if (text < 0 || time < namedAt[entry]) return;
    name[entry] = text;
    namedAt[entry] = time;
  }

  /** Adds finished sums; their names go to the end of `texts`. */
  addAll(executions: Executions, texts: string[]): void {
    for (let i = 0; i < executions.tid.length; i++) {
      const entry = this.entryOf(executions.tid[i]);
      const columns = this.#columns;
      columns.ns[entry] = addLengths(columns.ns[entry], executions.ns[i]);
      columns.runs[entry] += executions.runs[i];
      columns.longest[entry] = Math.max(columns.longest[entry], executions.longest[i]);
      this.setName(entry, texts.push(executions.name[i]) - 1, executions.namedAt[i]);
    }
  }

  /** By tid, with names out of `texts`. */
  finish(texts: readonly string[]): Executions {
    return executionsOf(this.#columns, this.#length, texts);
  }
}

/** The first `length` entries by tid, in buffers of their own, with names out of `texts`. */
function executionsOf(
  columns: Table<typeof EXECUTIONS>,
  length: number,
  texts: readonly string[],
): Executions {
  const { tid } = columns;
  const byTid = Uint32Array.from({ length }, (_, entry) => entry).sort((a, b) => tid[a] - tid[b]);
  const { name, ...sorted } = ordered(columns, byTid);
  return { ...sorted, name: Array.from(name, (text) => texts[text] ?? '') };
}

/** Writes rows as columns: one after the other, two tables merged, and the rows of a kind. */
import { type Columns, ordered, trimmed, widened } from '../../base/columns.ts';
import { mergedTexts, TextWriter } from '../../base/text-writer.ts';
import { KERNEL_THREAD, NONE, NUMBER_OF_KIND, RAN, columnsBehind, KINDS } from './row-columns.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import { rowsBy } from '../../base/rows-by.ts';
import { textAt } from '../../base/text-column.ts';
import type { RowColumns, RowInfo, RowKind } from '../../protocol/rows.ts';

function emptyColumns(most: number) {
  return {
    kind: new Uint8Array(most),
    flags: new Uint8Array(most).fill(RAN),
    parent: new Int32Array(most),
    host: new Int32Array(most),
    attribute: new Int32Array(most).fill(-1),
    tid: new Int32Array(most).fill(NONE),
    pid: new Int32Array(most).fill(NONE),
    ppid: new Int32Array(most).fill(NONE),
    vtid: new Int32Array(most).fill(NONE),
    ns: new Int32Array(most),
    cpu: new Int32Array(most).fill(NONE),
    cpuTimeNs: new Float64Array(most),
    events: new Float64Array(most),
    firstNs: new Float64Array(most),
    lastNs: new Float64Array(most),
  };
}

/** Writes rows one after the other. Columns are public; what `add` does not set has a default. */
export class RowWriter {
  readonly columns: ReturnType<typeof emptyColumns>;
  readonly #ids: TextWriter;
  readonly #names: TextWriter;
  #length = 0;

  /** @param most upper bound of the number of rows */
  constructor(most: number) {
    this.columns = emptyColumns(most);
    this.#ids = new TextWriter(most);
    this.#names = new TextWriter(most);
  }

  /** Adds a row that ran and is no kernel thread; its number. */
  add(parent: number, host: number, kind: RowKind, id: string, name: string): number {
    const row = this.#length++;
    this.columns.parent[row] = parent;
    this.columns.host[row] = host;
    this.columns.kind[row] = NUMBER_OF_KIND[kind];
    this.#ids.add(id);
    this.#names.add(name);
    return row;
  }

  setFlags(row: number, ran: boolean, kernelThread: boolean): void {
    this.columns.flags[row] = (ran ? RAN : 0) + (kernelThread ? KERNEL_THREAD : 0);
  }

  finish(): RowColumns {
    const length = this.#length;
    return { length, id: this.#ids.column(), name: this.#names.column(), ...trimmed(this.columns, length) };
  }
}

export function packRows(rows: readonly RowInfo[]): RowColumns {
  const writer = new RowWriter(rows.length);
  const { columns } = writer;
  for (const info of rows) {
    const row = writer.add(info.parent, info.host, info.kind, info.id, info.name);
    writer.setFlags(row, info.ran, info.kernelThread);
    columns.attribute[row] = info.attribute;
    columns.tid[row] = info.tid ?? NONE;
    columns.pid[row] = info.pid ?? NONE;
    columns.ppid[row] = info.ppid ?? NONE;
    columns.vtid[row] = info.vtid ?? NONE;
    columns.ns[row] = info.ns ?? 0;
    columns.cpu[row] = info.cpu ?? NONE;
    columns.cpuTimeNs[row] = info.cpuTimeNs;
    columns.events[row] = info.events;
    columns.firstNs[row] = info.firstNs;
    columns.lastNs[row] = info.lastNs;
  }
  return writer.finish();
}

/** The rows in new buffers, which can be transferred to another thread. */
export function copiedRows({ length, id, name, ...columns }: RowColumns): RowColumns {
  const copied = (texts: typeof id) => ({ text: texts.text, end: texts.end.slice() });
  return { length, id: copied(id), name: copied(name), ...trimmed(columns, length) };
}

/** Rows of two tables in `order`, where `second` is numbered after `first`. `parent`: of each row of the result. */
export function mergedRows(
  first: RowColumns,
  second: RowColumns,
  order: Int32Array,
  parent: Int32Array,
): RowColumns {
  const { length, id, name, ...columns } = first;
  const { id: moreIds, name: moreNames, ...more } = second;
  const both: Columns = { ...columns };
  for (const column in columns) {
    const wide = widened(both[column], length + second.length) as Float64Array;
    wide.set((more as unknown as Columns)[column] as Float64Array, length);
    both[column] = wide;
  }
  return {
    ...ordered(both as unknown as typeof columns, order),
    length: order.length,
    id: mergedTexts(id, moreIds, order),
    name: mergedTexts(name, moreNames, order),
    parent,
  };
}

/** The columns of rows, for loops over all of them: those that the rows read, or else columns made once. */
export const columnsOf = cachedByKey(
  (rows: readonly RowInfo[]): RowColumns => columnsBehind(rows) ?? packRows(rows),
);

/** Numbers by kind of row, indexed by the kind's number in a column. */
export function byKind(numberFor: (kind: RowKind) => number): Uint8Array {
  return Uint8Array.from(KINDS, numberFor);
}

const byKindOf = cachedByKey(({ kind }: RowColumns) => rowsBy(new Int32Array(kind), KINDS.length));

/** Indices of the rows of a kind, as a view. */
export function indicesOf(columns: RowColumns, kind: RowKind): Int32Array {
  const { start, order } = byKindOf(columns);
  const number = NUMBER_OF_KIND[kind];
  return order.subarray(start[number], start[number + 1]);
}

export function rowsOfKind(columns: RowColumns, kind: RowKind): string[] {
  return Array.from(indicesOf(columns, kind), (row) => textAt(columns.id, row));
}

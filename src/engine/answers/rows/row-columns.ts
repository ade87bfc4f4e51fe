/**
 * Rows as columns, for the store and for the way from the worker to the page, which keeps them so: of a hundred thousand
 * rows it shows fifty.
 */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { trimmed } from '../../base/columns.ts';
import { rowsBy } from '../../base/rows-by.ts';
import { textAt, TextWriter } from '../../base/text-column.ts';
import type { RowColumns, RowInfo, RowKind } from '../../protocol/rows.ts';

const NUMBER_OF_KIND: Readonly<Record<RowKind, number>> = {
  host: 0,
  cpu: 1,
  process: 2,
  thread: 3,
  'kernel-threads': 4,
  'never-ran': 5,
  stream: 6,
  group: 7,
  layer: 8,
  'more-threads': 9,
  namespace: 10,
  tracer: 11,
  plot: 12,
  resources: 13,
  program: 14,
};
const KINDS = Object.keys(NUMBER_OF_KIND) as readonly RowKind[];

/** Value in `tid`, `pid`, `ppid`, `vtid` and `cpu` of a row that has none. */
export const NONE = -0x8000_0000;

const RAN = 1;
const KERNEL_THREAD = 2;

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

/** Writes rows one after the other. Columns are public: what `add` does not set has a default. */
export class RowWriter {
  readonly columns: ReturnType<typeof emptyColumns>;
  readonly #ids: TextWriter;
  readonly #names: TextWriter;
  #length = 0;

  /** @param most rows that there will be at most */
  constructor(most: number) {
    this.columns = emptyColumns(most);
    this.#ids = new TextWriter(most);
    this.#names = new TextWriter(most);
  }

  /** Returns the row's number. It ran, and is no kernel thread. */
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

/** Reads a row of columns where it is asked. */
class RowOfColumns implements RowInfo {
  readonly #columns: RowColumns;
  readonly #row: number;

  constructor(columns: RowColumns, row: number) {
    this.#columns = columns;
    this.#row = row;
  }

  /** The columns, if this is their row of this number. */
  columnsAt(row: number): RowColumns | undefined {
    return row === this.#row ? this.#columns : undefined;
  }

  get id(): string {
    return textAt(this.#columns.id, this.#row);
  }

  get parent(): number {
    return this.#columns.parent[this.#row];
  }

  get kind(): RowKind {
    return KINDS[this.#columns.kind[this.#row]];
  }

  get name(): string {
    return textAt(this.#columns.name, this.#row);
  }

  get tid(): number | undefined {
    return numberOf(this.#columns.tid[this.#row]);
  }

  get pid(): number | undefined {
    return numberOf(this.#columns.pid[this.#row]);
  }

  get ppid(): number | undefined {
    return numberOf(this.#columns.ppid[this.#row]);
  }

  get vtid(): number | undefined {
    return numberOf(this.#columns.vtid[this.#row]);
  }

  get ns(): number | undefined {
    return this.#columns.ns[this.#row] >>> 0 || undefined;
  }

  get cpu(): number | undefined {
    return numberOf(this.#columns.cpu[this.#row]);
  }

  get host(): number {
    return this.#columns.host[this.#row];
  }

  get attribute(): number {
    return this.#columns.attribute[this.#row];
  }

  get cpuTimeNs(): number {
    return this.#columns.cpuTimeNs[this.#row];
  }

  get events(): number {
    return this.#columns.events[this.#row];
  }

  get ran(): boolean {
    return (this.#columns.flags[this.#row] & RAN) !== 0;
  }

  get kernelThread(): boolean {
    return (this.#columns.flags[this.#row] & KERNEL_THREAD) !== 0;
  }

  get firstNs(): number {
    return this.#columns.firstNs[this.#row];
  }

  get lastNs(): number {
    return this.#columns.lastNs[this.#row];
  }
}

/** The rows, each of which reads the columns: none is copied. */
export function rowsOf(columns: RowColumns): RowInfo[] {
  const rows: RowInfo[] = [];
  for (let row = 0; row < columns.length; row++) rows.push(new RowOfColumns(columns, row));
  return rows;
}

/** The columns of rows, for what goes through all of them: those that they read, else columns that are made once. */
export const columnsOf = cachedByKey((rows: readonly RowInfo[]): RowColumns => {
  const columns = rows[0] instanceof RowOfColumns ? rows[0].columnsAt(0) : undefined;
  const isOf = (row: RowInfo, at: number) => row instanceof RowOfColumns && row.columnsAt(at) === columns;
  return columns?.length === rows.length && rows.every(isOf) ? columns : packRows(rows);
});

/** A number for each kind of row, by the kind's number in a column. */
export function byKind(numberFor: (kind: RowKind) => number): Uint8Array {
  return Uint8Array.from(KINDS, numberFor);
}

const byKindOf = cachedByKey(({ kind }: RowColumns) => rowsBy(Int32Array.from(kind), KINDS.length));

/** Indices of the rows of a kind: a view. */
export function indicesOf(columns: RowColumns, kind: RowKind): Int32Array {
  const { start, order } = byKindOf(columns);
  const number = NUMBER_OF_KIND[kind];
  return order.subarray(start[number], start[number + 1]);
}

/** The rows as plain objects. */
export function unpackRows(columns: RowColumns): RowInfo[] {
  return rowsOf(columns).map(plainRow);
}

/** A row as a plain object. */
export function plainRow(row: RowInfo): RowInfo {
  const { id, parent, kind, name, tid, pid, ppid, vtid, ns, cpu, host, attribute } = row;
  const { cpuTimeNs, events, ran, kernelThread, firstNs, lastNs } = row;
  const identity = { id, parent, kind, name, tid, pid, ppid, vtid, ns, cpu, host, attribute };
  return { ...identity, cpuTimeNs, events, ran, kernelThread, firstNs, lastNs };
}

/** Whether an id is that of a layer's row: the ids of others begin with their kind. */
export function isOfLayer(id: string): boolean {
  const word = id.slice(0, Math.max(0, id.indexOf(':')));
  return word !== '' && !Object.hasOwn(NUMBER_OF_KIND, word);
}

/** Ids of the rows of a kind. */
export function rowsOfKind(columns: RowColumns, kind: RowKind): string[] {
  return Array.from(indicesOf(columns, kind), (row) => textAt(columns.id, row));
}

function numberOf(value: number): number | undefined {
  return value === NONE ? undefined : value;
}

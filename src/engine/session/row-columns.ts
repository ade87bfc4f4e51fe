/**
 * Rows as columns, for the store and for the way from the worker to the page: copying some ten thousand small objects
 * costs more than all that is drawn of them.
 */
import type { RowInfo, RowKind } from './api.ts';

const NUMBER_OF_KIND: Readonly<Record<RowKind, number>> = {
  host: 0,
  'cpu-usage': 1,
  cpu: 2,
  process: 3,
  thread: 4,
  'kernel-threads': 5,
  'never-ran': 6,
  stream: 7,
  group: 8,
  overlay: 9,
};
const KINDS = Object.keys(NUMBER_OF_KIND) as readonly RowKind[];

/** In `tid`, `pid` and `cpu`: the row has none. */
const NONE = -0x8000_0000;

const RAN = 1;
const KERNEL_THREAD = 2;

export interface RowColumns {
  readonly length: number;
  /** JSON of an array each: texts are copied as one. */
  readonly ids: string;
  readonly names: string;
  readonly kind: Uint8Array;
  /** RAN, KERNEL_THREAD. */
  readonly flags: Uint8Array;
  readonly parent: Int32Array;
  readonly host: Int32Array;
  readonly attribute: Int32Array;
  readonly tid: Int32Array;
  readonly pid: Int32Array;
  readonly cpu: Int32Array;
  readonly cpuTimeNs: Float64Array;
  readonly firstNs: Float64Array;
  readonly lastNs: Float64Array;
}

export function packRows(rows: readonly RowInfo[]): RowColumns {
  const { length } = rows;
  const columns = {
    kind: new Uint8Array(length),
    flags: new Uint8Array(length),
    parent: new Int32Array(length),
    host: new Int32Array(length),
    attribute: new Int32Array(length),
    tid: new Int32Array(length),
    pid: new Int32Array(length),
    cpu: new Int32Array(length),
    cpuTimeNs: new Float64Array(length),
    firstNs: new Float64Array(length),
    lastNs: new Float64Array(length),
  };
  rows.forEach((row, i) => {
    columns.kind[i] = NUMBER_OF_KIND[row.kind];
    columns.flags[i] = (row.ran ? RAN : 0) + (row.kernelThread ? KERNEL_THREAD : 0);
    columns.parent[i] = row.parent;
    columns.host[i] = row.host;
    columns.attribute[i] = row.attribute;
    columns.tid[i] = row.tid ?? NONE;
    columns.pid[i] = row.pid ?? NONE;
    columns.cpu[i] = row.cpu ?? NONE;
    columns.cpuTimeNs[i] = row.cpuTimeNs;
    columns.firstNs[i] = row.firstNs;
    columns.lastNs[i] = row.lastNs;
  });
  const ids = JSON.stringify(rows.map(({ id }) => id));
  const names = JSON.stringify(rows.map(({ name }) => name));
  return { length, ids, names, ...columns };
}

export function unpackRows(columns: RowColumns): RowInfo[] {
  const ids = JSON.parse(columns.ids) as string[];
  const names = JSON.parse(columns.names) as string[];
  return ids.map((id, i): RowInfo => ({
    id,
    name: names[i],
    kind: KINDS[columns.kind[i]],
    parent: columns.parent[i],
    host: columns.host[i],
    attribute: columns.attribute[i],
    tid: numberOf(columns.tid[i]),
    pid: numberOf(columns.pid[i]),
    cpu: numberOf(columns.cpu[i]),
    cpuTimeNs: columns.cpuTimeNs[i],
    ran: (columns.flags[i] & RAN) !== 0,
    kernelThread: (columns.flags[i] & KERNEL_THREAD) !== 0,
    firstNs: columns.firstNs[i],
    lastNs: columns.lastNs[i],
  }));
}

/** Ids of the rows of a kind. */
export function rowsOfKind({ ids, kind }: RowColumns, wanted: RowKind): string[] {
  const number = NUMBER_OF_KIND[wanted];
  return kind.includes(number) ? (JSON.parse(ids) as string[]).filter((_, i) => kind[i] === number) : [];
}

function numberOf(value: number): number | undefined {
  return value === NONE ? undefined : value;
}

/** Rows as columns: for the store, for transfer, and for the page, which shows fifty of a hundred thousand. */
import { textAt } from '../../base/text-column.ts';
import type { RowColumns, RowInfo, RowKind } from '../../protocol/rows.ts';

export const NUMBER_OF_KIND: Readonly<Record<RowKind, number>> = {
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
export const KINDS = Object.keys(NUMBER_OF_KIND) as readonly RowKind[];

/** Value of `tid`, `pid`, `ppid`, `vtid` and `cpu` of rows without one. */
export const NONE = -0x8000_0000;

export const RAN = 1;
export const KERNEL_THREAD = 2;

/** A row whose properties are read from columns. */
class RowOfColumns implements RowInfo {
  constructor(
    private readonly columns: RowColumns,
    private readonly row: number,
  ) {}

  /** The columns, if this is their row at index `row`. */
  columnsAt(row: number): RowColumns | undefined {
    return row === this.row ? this.columns : undefined;
  }

  get id(): string {
    return textAt(this.columns.id, this.row);
  }

  get parent(): number {
    return this.columns.parent[this.row];
  }

  get kind(): RowKind {
    return KINDS[this.columns.kind[this.row]];
  }

  get name(): string {
    return textAt(this.columns.name, this.row);
  }

  get tid(): number | undefined {
    return numberOf(this.columns.tid[this.row]);
  }

  get pid(): number | undefined {
    return numberOf(this.columns.pid[this.row]);
  }

  get ppid(): number | undefined {
    return numberOf(this.columns.ppid[this.row]);
  }

  get vtid(): number | undefined {
    return numberOf(this.columns.vtid[this.row]);
  }

  get ns(): number | undefined {
    return this.columns.ns[this.row] >>> 0 || undefined;
  }

  get cpu(): number | undefined {
    return numberOf(this.columns.cpu[this.row]);
  }

  get host(): number {
    return this.columns.host[this.row];
  }

  get attribute(): number {
    return this.columns.attribute[this.row];
  }

  get cpuTimeNs(): number {
    return this.columns.cpuTimeNs[this.row];
  }

  get events(): number {
    return this.columns.events[this.row];
  }

  get ran(): boolean {
    return (this.columns.flags[this.row] & RAN) !== 0;
  }

  get kernelThread(): boolean {
    return (this.columns.flags[this.row] & KERNEL_THREAD) !== 0;
  }

  get firstNs(): number {
    return this.columns.firstNs[this.row];
  }

  get lastNs(): number {
    return this.columns.lastNs[this.row];
  }
}

/** The rows, as objects that read the columns; nothing is copied. */
export function rowsOf(columns: RowColumns): RowInfo[] {
  const rows: RowInfo[] = [];
  for (let row = 0; row < columns.length; row++) rows.push(new RowOfColumns(columns, row));
  return rows;
}

/** The columns that these rows read in order; undefined: they do not all read the same columns. */
export function columnsBehind(rows: readonly RowInfo[]): RowColumns | undefined {
  const columns = rows[0] instanceof RowOfColumns ? rows[0].columnsAt(0) : undefined;
  const isOf = (row: RowInfo, at: number) => row instanceof RowOfColumns && row.columnsAt(at) === columns;
  return columns?.length === rows.length && rows.every(isOf) ? columns : undefined;
}

/** The rows as plain objects. @internal */
export function unpackRows(columns: RowColumns): RowInfo[] {
  return rowsOf(columns).map(plainRow);
}

export function plainRow(row: RowInfo): RowInfo {
  const { id, parent, kind, name, tid, pid, ppid, vtid, ns, cpu, host, attribute } = row;
  const { cpuTimeNs, events, ran, kernelThread, firstNs, lastNs } = row;
  const identity = { id, parent, kind, name, tid, pid, ppid, vtid, ns, cpu, host, attribute };
  return { ...identity, cpuTimeNs, events, ran, kernelThread, firstNs, lastNs };
}

/** Whether an id is that of a layer's row; ids of other rows begin with their kind. */
export function isOfLayer(id: string): boolean {
  const word = id.slice(0, Math.max(0, id.indexOf(':')));
  return word !== '' && !Object.hasOwn(NUMBER_OF_KIND, word);
}

function numberOf(value: number): number | undefined {
  return value === NONE ? undefined : value;
}

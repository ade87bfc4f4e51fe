/** What is drawn in a row: states of an attribute, the load of several, event density, or nothing. */
import type { RowInfo } from '../../workers/session-api.ts';

export type Series =
  | { readonly kind: 'states'; readonly key: string; readonly row: RowInfo }
  | {
      readonly kind: 'load';
      readonly key: string;
      readonly row: RowInfo;
      readonly attributes: readonly number[];
      /** CPUs in use that fill the row's height. */
      readonly capacity: number;
    }
  | { readonly kind: 'density'; readonly key: string; readonly row: RowInfo }
  | { readonly kind: 'none'; readonly key: string; readonly row: RowInfo };

/** Of every row, by its id. Linear in the rows. */
export function seriesOfRows(rows: readonly RowInfo[]): Map<string, Series> {
  const cpus = new Map<number, number[]>();
  const children = new Map<number, number[]>();
  rows.forEach((row) => {
    if (row.kind === 'cpu') push(cpus, row.host, row.attribute);
    else if (row.attribute >= 0 && row.kind !== 'overlay') push(children, row.parent, row.attribute);
  });
  return new Map(
    rows.map((row, index) => [row.id, seriesOf(row, children.get(index) ?? [], cpus.get(row.host) ?? [])]),
  );
}

function seriesOf(row: RowInfo, below: readonly number[], cpus: readonly number[]): Series {
  const load = (attributes: readonly number[], capacity: number): Series => ({
    kind: 'load',
    // The number of members tells a process that gained a thread from itself before.
    key: `load ${row.id} ${attributes.length}`,
    row,
    attributes,
    capacity: Math.max(1, capacity),
  });
  switch (row.kind) {
    case 'cpu':
    case 'thread':
      return { kind: 'states', key: `states ${row.host} ${row.attribute}`, row };
    case 'overlay':
      return { kind: 'states', key: `${row.id} ${row.attribute}`, row };
    case 'stream':
      return { kind: 'density', key: `density ${row.id}`, row };
    case 'host':
    case 'cpu-usage':
      if (cpus.length > 0) return load(cpus, cpus.length);
      break;
    case 'process':
    case 'kernel-threads':
    case 'group':
      if (below.length > 0) return load(below, Math.min(below.length, cpus.length));
      break;
    case 'never-ran':
      break;
  }
  return { kind: 'none', key: `none ${row.id}`, row };
}

function push(map: Map<number, number[]>, key: number, value: number): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** Data drawn in a row: states of an attribute, its numbers, the load of several, event density, or nothing. */
import { columnsOf, indicesOf } from '../../../engine/answers/rows/row-writer.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import { isLayerRow } from '../rows/row-kinds.ts';
import { treeOf } from '../rows/row-layout.ts';

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
  | { readonly kind: 'plot'; readonly key: string; readonly row: RowInfo }
  | { readonly kind: 'density'; readonly key: string; readonly row: RowInfo }
  | { readonly kind: 'none'; readonly key: string; readonly row: RowInfo };

/** Whether the row is of a thread whose states are known: of other threads only events are. */
export function hasStates({ kind, attribute }: RowInfo): boolean {
  return kind === 'thread' && attribute >= 0;
}

/** Whether intervals are drawn in the row, which can be selected. */
export function hasIntervals(row: RowInfo): boolean {
  return row.kind === 'cpu' || isLayerRow(row) || hasStates(row);
}

/** Finds the series of one of some rows. */
export type RowSeries = (row: RowInfo) => Series;

/** Makes a function for the series of the rows, which are computed on demand. */
export function rowSeries(rows: readonly RowInfo[]): RowSeries {
  const { attribute, parent, host } = columnsOf(rows);
  const known = new Map<RowInfo, Series>();
  const attributesBelow = (index: number): number[] =>
    Array.from(treeOf(parent).below(index)).flatMap((row) => [
      ...(attribute[row] >= 0 && !isLayerRow(rows[row]) ? [attribute[row]] : []),
      ...attributesBelow(row),
    ]);
  return (row) => {
    let series = known.get(row);
    if (series === undefined) {
      const cpus = indicesOf(columnsOf(rows), 'cpu').filter((cpu) => host[cpu] === row.host);
      // A host's load is that of its CPUs.
      const below = row.kind === 'host' ? [] : attributesBelow(rows.indexOf(row));
      series = seriesOf(
        row,
        below,
        Array.from(cpus, (cpu) => attribute[cpu]),
      );
      known.set(row, series);
    }
    return series;
  };
}

function seriesOf(row: RowInfo, below: readonly number[], cpus: readonly number[]): Series {
  const load = (whose: string, attributes: readonly number[], capacity: number): Series => ({
    kind: 'load',
    // The number of members makes the key of a process change when it gains a thread.
    key: `load ${whose} ${attributes.length}`,
    row,
    attributes,
    capacity: Math.max(1, capacity),
  });
  switch (row.kind) {
    case 'cpu':
      return { kind: 'states', key: `states ${row.host} ${row.attribute}`, row };
    case 'thread':
      if (!hasStates(row)) return density(row);
      return { kind: 'states', key: `states ${row.host} ${row.attribute}`, row };
    case 'layer':
      return { kind: 'states', key: `${row.id} ${row.attribute}`, row };
    case 'plot':
      return { kind: 'plot', key: `${row.id} ${row.attribute}`, row };
    case 'stream':
    case 'more-threads':
      return density(row);
    case 'host':
      if (cpus.length > 0) return load(`cpus:${row.host}`, cpus, cpus.length);
      break;
    case 'process':
    case 'program':
    case 'tracer':
    case 'kernel-threads':
    case 'namespace':
    case 'group':
      if (below.length > 0) return load(row.id, below, Math.min(below.length, cpus.length));
      if (row.events > 0) return density(row);
      break;
    case 'never-ran':
    case 'resources':
      break;
  }
  return { kind: 'none', key: `none ${row.id}`, row };
}

function density(row: RowInfo): Series {
  return { kind: 'density', key: `density ${row.id}`, row };
}

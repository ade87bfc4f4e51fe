/** Columns of rows, and the rows of a kind, for what goes through all rows of a trace. */
import { cachedByKey } from '../../base/cached-by-key.ts';
import { rowsBy } from '../../base/rows-by.ts';
import { textAt } from '../../base/text-column.ts';
import type { RowColumns, RowInfo, RowKind } from '../../protocol/rows.ts';
import { columnsBehind, KINDS, NUMBER_OF_KIND } from './row-columns.ts';
import { packRows } from './row-writer.ts';

/** The columns of rows, for what goes through all of them: those that they read, else columns that are made once. */
export const columnsOf = cachedByKey(
  (rows: readonly RowInfo[]): RowColumns => columnsBehind(rows) ?? packRows(rows),
);

/** A number for each kind of row, by the kind's number in a column. */
export function byKind(numberFor: (kind: RowKind) => number): Uint8Array {
  return Uint8Array.from(KINDS, numberFor);
}

const byKindOf = cachedByKey(({ kind }: RowColumns) => rowsBy(new Int32Array(kind), KINDS.length));

/** Indices of the rows of a kind: a view. */
export function indicesOf(columns: RowColumns, kind: RowKind): Int32Array {
  const { start, order } = byKindOf(columns);
  const number = NUMBER_OF_KIND[kind];
  return order.subarray(start[number], start[number + 1]);
}

/** Ids of the rows of a kind. */
export function rowsOfKind(columns: RowColumns, kind: RowKind): string[] {
  return Array.from(indicesOf(columns, kind), (row) => textAt(columns.id, row));
}

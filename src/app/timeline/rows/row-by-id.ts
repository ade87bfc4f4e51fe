/** Rows by their id. */
import { columnsOf } from '../../../engine/answers/rows/rows-by-kind.ts';
import { textIndex } from '../../../engine/base/text-index.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';

/** Index of a row; -1: no row has this id, and none has an empty one. */
export function rowIndex(rows: readonly RowInfo[], id: string): number {
  return id === '' ? -1 : textIndex(columnsOf(rows).id).find(id);
}

export function rowById(rows: readonly RowInfo[], id: string): RowInfo | undefined {
  return rows[rowIndex(rows, id)];
}

/** 1 for the rows of the ids; undefined: there are none. */
export function markedRows(
  rows: readonly RowInfo[],
  ids: ReadonlySet<string> | undefined,
): Uint8Array | undefined {
  if (ids === undefined || ids.size === 0) return undefined;
  const marked = new Uint8Array(rows.length);
  for (const id of ids) {
    const row = rowIndex(rows, id);
    if (row >= 0) marked[row] = 1;
  }
  return marked;
}

/**
 * Rows by their id. An id is cut out of the text of all of them each time it is read, and a trace may have a hundred
 * thousand rows: they are gone through once per list.
 */
import { cachedByKey } from '../../../engine/base/cached-by-key.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';

const indices = cachedByKey((rows: readonly RowInfo[]): ReadonlyMap<string, number> => {
  const byId = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) byId.set(rows[i].id, i);
  return byId;
});

/** Index of a row; -1: no row has this id, and none has an empty one. */
export function rowIndex(rows: readonly RowInfo[], id: string): number {
  return id === '' ? -1 : (indices(rows).get(id) ?? -1);
}

export function rowById(rows: readonly RowInfo[], id: string): RowInfo | undefined {
  return rows[rowIndex(rows, id)];
}

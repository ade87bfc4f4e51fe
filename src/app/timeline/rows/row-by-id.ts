/** Finds rows by their id, and rows of the layer of locks by thread or lock. */
import { columnsOf, indicesOf } from '../../../engine/answers/rows/row-writer.ts';
import { textIndex } from '../../../engine/base/text-index.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';

/** Index of a row; -1: no row has this id, and none has an empty one. */
export function rowIndex(rows: readonly RowInfo[], id: string): number {
  return id === '' ? -1 : textIndex(columnsOf(rows).id).find(id);
}

export function rowById(rows: readonly RowInfo[], id: string): RowInfo | undefined {
  return rows[rowIndex(rows, id)];
}

/** Flags of rows, 1 for those with the ids; undefined: no ids. */
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

/** Prefix of the ids of rows of locks; the subject of the row and a hash of the layer's settings follow. */
const LOCK_ROWS = 'lock:';

export function isLockRow(id: string): boolean {
  return id.startsWith(LOCK_ROWS);
}

/** Ids of rows that show what the thread above them waits for and holds, by id of that thread's row. */
export function lockLanes(rows: readonly RowInfo[]): ReadonlyMap<string, string> {
  const lanes = new Map<string, string>();
  for (const { id, parent } of lockLayerRows(rows))
    if (rows[parent].kind === 'thread') lanes.set(rows[parent].id, id);
  return lanes;
}

/** Ids of rows by the id of their lock. */
export function lockRows(rows: readonly RowInfo[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { id, parent } of lockLayerRows(rows))
    if (rows[parent].kind === 'group') found.set(id.slice(LOCK_ROWS.length, id.lastIndexOf(':')), id);
  return found;
}

function lockLayerRows(rows: readonly RowInfo[]): RowInfo[] {
  const layers = Array.from(indicesOf(columnsOf(rows), 'layer'), (row) => rows[row]);
  return layers.filter(({ parent, id }) => parent >= 0 && isLockRow(id));
}

/** Rows of the layer of locks: those below threads show what these wait for and hold, the others who held a lock. */
import { columnsOf, indicesOf } from '../../../engine/answers/rows/rows-by-kind.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';

/** Begins the ids of rows of locks; behind it stand what the row is of, and a hash of the layer's settings. */
const LOCK_ROWS = 'lock:';

export function isLockRow(id: string): boolean {
  return id.startsWith(LOCK_ROWS);
}

/** Ids of rows below threads by that of their thread's row. */
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

/** Rows of layers of locks. */
function lockLayerRows(rows: readonly RowInfo[]): RowInfo[] {
  const layers = Array.from(indicesOf(columnsOf(rows), 'layer'), (row) => rows[row]);
  return layers.filter(({ parent, id }) => parent >= 0 && isLockRow(id));
}

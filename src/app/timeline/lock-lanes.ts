/** The rows below threads that show what these wait for and hold. */
import type { RowInfo } from '../../workers/session-api.ts';

/** Begins the ids of rows of locks. */
const LOCK_ROWS = 'lock:';

/** Ids of such rows by that of their thread's row. Rows of layers come after all others, which are not looked at. */
export function lockLanes(rows: readonly RowInfo[]): ReadonlyMap<string, string> {
  const lanes = new Map<string, string>();
  for (let i = rows.length - 1; i >= 0; i--) {
    const { kind, id, parent } = rows[i];
    if (kind !== 'layer' && kind !== 'group') break;
    if (kind === 'layer' && id.startsWith(LOCK_ROWS) && parent >= 0 && rows[parent].kind === 'thread')
      lanes.set(rows[parent].id, id);
  }
  return lanes;
}

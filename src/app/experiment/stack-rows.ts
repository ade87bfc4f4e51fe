/** Rows of call stacks. Pure. */
import type { RowInfo } from '../../engine/protocol/rows.ts';

/** Begins the ids of rows of call stacks. */
const STACK_ROWS = 'stack:';

/** Whether the open experiment has call stacks. */
export function hasStacks(rows: readonly RowInfo[]): boolean {
  return rows.some(({ kind, id }) => kind === 'layer' && id.startsWith(STACK_ROWS));
}

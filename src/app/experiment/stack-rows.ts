/** Rows of call stacks. Pure. */
import { columnsOf, indicesOf } from '../../engine/answers/rows/row-writer.ts';
import type { RowInfo } from '../../engine/protocol/rows.ts';

/** Prefix of the ids of rows of call stacks. */
const STACK_ROWS = 'stack:';

/** Whether the open experiment has call stacks. */
export function hasStacks(rows: readonly RowInfo[]): boolean {
  return indicesOf(columnsOf(rows), 'layer').some((row) => rows[row].id.startsWith(STACK_ROWS));
}

/** Target of a path: the thread, interval or system call whose path is asked for. */
import { columnsOf } from '../../engine/answers/rows/row-writer.ts';
import type { DisplayNs } from '../../engine/base/units.ts';
import type { IntervalInfo, RowInfo } from '../../engine/protocol/rows.ts';
import type { PathCriterion } from '../../engine/protocol/paths.ts';
import { rowIndex } from '../timeline/rows/row-by-id.ts';
import { treeOf } from '../timeline/rows/row-layout.ts';
import { hasStates } from '../timeline/tiles/series.ts';

export interface PathTarget {
  /** Id of a thread's row. */
  readonly row: string;
  /** Interval or system call of it; undefined: the thread's life, or the selected range if the path follows it. */
  readonly interval: IntervalInfo | undefined;
}

/** A path as a link describes it: whose, and how waits are followed. */
export interface LinkedPath {
  readonly row: string;
  /** A time in the interval whose path it is; undefined: the thread's life, or the selected range. */
  readonly at?: DisplayNs;
  /** It is that of the system call at that time. */
  readonly isCall?: boolean;
  readonly criterion: PathCriterion;
  /** Rows marked as unrelated. */
  readonly marked: readonly string[];
  readonly foldLoops: boolean;
}

/**
 * Id of a row if it is a thread's (with states, or as `isThread` says), of a process that of its first thread, of a layer's row that of the
 * thread it is below; undefined for others.
 */
export function threadAt(
  rows: readonly RowInfo[],
  id: string,
  isThread: (row: RowInfo) => boolean = hasStates,
): string | undefined {
  const at = rowIndex(rows, id);
  const kind = rows[at]?.kind;
  if (kind === 'thread') return isThread(rows[at]) ? id : undefined;
  if (kind === 'layer') {
    const above = rows[rows[at].parent];
    return above !== undefined && isThread(above) ? above.id : undefined;
  }
  if (kind !== 'process') return undefined;
  const threads = treeOf(columnsOf(rows).parent).below(at);
  return rows[threads.find((thread) => isThread(rows[thread])) ?? -1]?.id;
}

/** Targets of paths: the thread, interval or system call to be explained. */
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
  /** Its interval or system call; undefined: the thread's life, or the selected range if the path follows that. */
  readonly interval: IntervalInfo | undefined;
}

/** A path as a link describes it: its target and criterion. */
export interface LinkedPath {
  readonly row: string;
  /** A time in the interval whose path it is; undefined: the thread's life, or the selected range. */
  readonly at?: DisplayNs;
  /** Whether it is the path of the system call at that time. */
  readonly isCall?: boolean;
  readonly criterion: PathCriterion;
  /** Rows marked as unrelated. */
  readonly marked: readonly string[];
  readonly foldLoops: boolean;
}

/**
 * Id of the thread's row for a row: itself if it is a thread's (with states, or as `isThread` says), the first thread of a
 * process, the thread above a layer's row; undefined for others.
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

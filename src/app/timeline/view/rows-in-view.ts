/** Activity of the rows in the part of the time that is seen: which are active there, and how long each is on a CPU. */
import { textAt } from '../../../engine/base/text-column.ts';
import {
  OWN_TIME_STATES,
  STATE_INTERRUPTED,
  STATE_NEW,
  STATE_PREEMPTED,
  STATE_UNKNOWN,
  STATE_WOKEN,
  THREAD_STATES,
} from '../../../engine/linux/events/values.ts';
import type { RowInfo } from '../../../engine/protocol/rows.ts';
import type { ThreadCpuStats } from '../../../engine/protocol/statistics.ts';
import { rowIndex } from '../rows/row-by-id.ts';
import { isLayerRow } from '../rows/row-kinds.ts';
import { hasStates } from '../tiles/series.ts';
import type { TimeRange } from './viewport.ts';

export interface RowsInView {
  /** Rows of the experiment, by whose index the columns are. */
  readonly rows: readonly RowInfo[];
  /** ns; groups have the sum of what is below them. */
  readonly onCpuNs: Float64Array;
  /**
   * 1: it ran or was ready to run, or it is not known whether it did. Of threads without states: they were there. Groups
   * are active where something below them is.
   */
  readonly isActive: Uint8Array;
}

const ON_CPU = [...OWN_TIME_STATES, STATE_INTERRUPTED];
const READY = [STATE_PREEMPTED, STATE_WOKEN, STATE_NEW];

/** @param threads their states over the range */
export function rowsInView(
  rows: readonly RowInfo[],
  threads: Pick<ThreadCpuStats, 'length' | 'row' | 'states'>,
  range: TimeRange,
): RowsInView {
  const onCpuNs = new Float64Array(rows.length);
  const isActive = new Uint8Array(rows.length);
  for (let i = 0; i < threads.length; i++) {
    const index = rowIndex(rows, textAt(threads.row, i));
    if (index < 0) continue;
    const timeIn = (states: readonly number[]) =>
      states.reduce((ns, state) => ns + threads.states[i * THREAD_STATES.length + state], 0);
    onCpuNs[index] = timeIn(ON_CPU);
    isActive[index] = onCpuNs[index] + timeIn(READY) + timeIn([STATE_UNKNOWN]) > 0 ? 1 : 0;
  }
  const hasBelow = new Uint8Array(rows.length);
  // Children follow their parent.
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    if (hasBelow[i] === 0 && !hasStates(row) && row.firstNs <= range.to && row.lastNs >= range.from)
      isActive[i] = 1;
    // What a layer shows of a thread does not make it run.
    if (row.parent < 0 || isLayerRow(row)) continue;
    hasBelow[row.parent] = 1;
    onCpuNs[row.parent] += onCpuNs[i];
    isActive[row.parent] |= isActive[i];
  }
  return { rows, onCpuNs, isActive };
}

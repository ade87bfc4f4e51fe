/** Activity of the rows in the visible time: which are active, and how long each is on a CPU. */
import { byKind, columnsOf } from '../../../engine/answers/rows/row-writer.ts';
import { textIndex } from '../../../engine/base/text-index.ts';
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
import { IS_LAYER } from '../rows/row-kinds.ts';
import type { TimeRange } from './viewport.ts';

export interface RowsInView {
  /** Rows of the experiment; columns have their indices. */
  readonly rows: readonly RowInfo[];
  /** Time on a CPU, ns; groups have the sum of their rows. */
  readonly onCpuNs: Float64Array;
  /** Flag, 1: it ran, was runnable, or may have been; without states: it existed. Groups are active if a row below them is. */
  readonly isActive: Uint8Array;
}

const ON_CPU = [...OWN_TIME_STATES, STATE_INTERRUPTED];
const ALSO_ACTIVE = [STATE_PREEMPTED, STATE_WOKEN, STATE_NEW, STATE_UNKNOWN];
const IS_THREAD = byKind((kind) => (kind === 'thread' ? 1 : 0));

/** @param threads their states over the range */
export function rowsInView(
  rows: readonly RowInfo[],
  threads: Pick<ThreadCpuStats, 'length' | 'row' | 'states'>,
  range: TimeRange,
): RowsInView {
  const onCpuNs = new Float64Array(rows.length);
  const isActive = new Uint8Array(rows.length);
  const { id, kind, attribute, parent, firstNs, lastNs } = columnsOf(rows);
  const index = textIndex(id);
  const { text, end } = threads.row;
  for (let i = 0; i < threads.length; i++) {
    const row = index.find(text, i === 0 ? 0 : end[i - 1], end[i]);
    if (row < 0) continue;
    const timeIn = (states: readonly number[]) =>
      states.reduce((ns, state) => ns + threads.states[i * THREAD_STATES.length + state], 0);
    onCpuNs[row] = timeIn(ON_CPU);
    isActive[row] = onCpuNs[row] + timeIn(ALSO_ACTIVE) > 0 ? 1 : 0;
  }
  const hasBelow = new Uint8Array(rows.length);
  // Children follow their parent.
  for (let i = rows.length - 1; i >= 0; i--) {
    const isThere = firstNs[i] <= range.to && lastNs[i] >= range.from;
    const ofStates = IS_THREAD[kind[i]] === 1 && attribute[i] >= 0;
    if (hasBelow[i] === 0 && !ofStates && isThere) isActive[i] = 1;
    // Rows of a layer do not count for their thread.
    const above = parent[i];
    if (above < 0 || IS_LAYER[kind[i]] === 1) continue;
    hasBelow[above] = 1;
    onCpuNs[above] += onCpuNs[i];
    isActive[above] |= isActive[i];
  }
  return { rows, onCpuNs, isActive };
}

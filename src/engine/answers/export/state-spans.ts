/** The states of threads as intervals of display time. */
import type { DisplayNs } from '../../base/units.ts';
import { withDeadTime } from '../../linux/states/reduce/dead-time.ts';
import { stateOf } from '../../linux/events/values.ts';
import type { KernelHost } from '../context/host.ts';
import type { TimeRange } from '../../protocol/range.ts';
import { timesOfHost } from '../statistics/range-aggregates.ts';

export interface StateSpan {
  /** Number of a thread's state. */
  readonly state: number;
  readonly from: DisplayNs;
  readonly to: DisplayNs;
}

/**
 * States of a thread in order of time: two waits in a row are two intervals of the history, but one of the state.
 * @param thread row of the host's table of threads
 * @param range cuts those at its ends; default: everything
 */
export async function stateSpans(
  { tables: { threads }, query, clock }: Pick<KernelHost, 'tables' | 'query' | 'clock'>,
  thread: number,
  range: TimeRange | undefined,
): Promise<StateSpan[]> {
  const { from, to } = timesOfHost(range, clock);
  const spans: { state: number; from: DisplayNs; to: DisplayNs }[] = [];
  const pieces = await query.intervals(threads.stateAttribute[thread], from, to);
  for (const piece of withDeadTime(pieces, threads, thread)) {
    if (piece.from >= to || piece.to <= from) continue;
    const begin = clock.toExperiment(Math.max(piece.from, from));
    const end = clock.toExperiment(Math.min(piece.to, to));
    const state = stateOf(piece.value);
    const last = spans.at(-1);
    if (last?.state === state && last.to === begin) last.to = end;
    else spans.push({ state, from: begin, to: end });
  }
  return spans;
}

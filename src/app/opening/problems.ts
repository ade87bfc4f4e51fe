/**
 * Problems that the user has to know before believing what is shown: faults of the trace, and losses while recording.
 */
import type { Fault } from '../../engine/base/fault.ts';
import type { ExperimentInfo } from '../../engine/protocol/session.ts';
import { formatCount } from '../format/numbers.ts';

type Known = Pick<ExperimentInfo, 'faults' | 'events' | 'discardedEvents' | 'discardedPackets'>;

/** Losses come first: whatever else is wrong, they are why states are unknown. */
export function problemsOf({ faults, events, discardedEvents, discardedPackets }: Known): readonly Fault[] {
  const problems: Fault[] = [];
  if (discardedEvents > 0) {
    const found = `${formatCount(discardedEvents)} lost, ${formatCount(events)} recorded`;
    problems.push({ code: 'events-discarded', place: {}, found });
  }
  if (discardedPackets > 0)
    problems.push({ code: 'packets-discarded', place: {}, found: `${formatCount(discardedPackets)} lost` });
  return [...problems, ...faults];
}

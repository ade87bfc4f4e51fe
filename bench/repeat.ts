/** Makes the long traces of the benches. */
import { loadTrace, modelOf, saveRepeated } from '../test/support/trace-files.ts';
import { planRepeat } from '../test/support/trace-repeater.ts';

/**
 * Writes the trace in `from` into the folder `to`, one time after the other until it has at least so many events. Never
 * more than one round of a stream is in memory.
 */
export function repeatTrace(from: string, to: string, events: number): Record<string, number> {
  const files = loadTrace(from);
  const plan = planRepeat(modelOf(files), files);
  return { events: saveRepeated(plan, Math.ceil(events / plan.events), to) };
}

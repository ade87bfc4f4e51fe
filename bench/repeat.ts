/** Makes the long trace of the page's benches. */
import { loadTrace, modelOf, saveRepeated } from '../test/support/trace-files.ts';
import { planRepeat } from '../test/support/trace-repeater.ts';

/** Writes the trace in `from`, `rounds` times one after the other, into the folder `to`. */
export function repeatTrace(from: string, to: string, rounds: number): Record<string, number> {
  const files = loadTrace(from);
  return { events: saveRepeated(planRepeat(modelOf(files), files), rounds, to) };
}

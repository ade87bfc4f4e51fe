/** Makes the long traces of the benches. */
import { join } from 'node:path';
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

/** The same with several traces of one recording, which stay beside each other. The first has at least so many events. */
export function repeatTogether(
  from: string,
  to: string,
  events: number,
  parts: readonly string[],
): Record<string, number> {
  const traces = parts.map((part) => loadTrace(join(from, part)));
  const own = traces.map((files) => planRepeat(modelOf(files), files));
  const period = own.reduce((longest, plan) => (plan.period > longest ? plan.period : longest), 0n);
  const rounds = Math.ceil(events / own[0].events);
  const plans = traces.map((files) => planRepeat(modelOf(files), files, period));
  return { events: plans.reduce((sum, plan, i) => sum + saveRepeated(plan, rounds, join(to, parts[i])), 0) };
}

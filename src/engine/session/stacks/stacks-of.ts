/** The call stacks of an open trace. */
import { oncePer } from '../../base/once-per.ts';
import { frameTexts } from '../../stacks/frame-texts.ts';
import { KernelStacks } from '../../stacks/kernel-stacks.ts';
import type { StackLayerTables } from '../../stacks/layer.ts';
import { NO_STACKS, type StacksInForce } from '../../stacks/stacks-in-force.ts';
import type { ClockTransform } from '../../sync/clock-transform.ts';
import type { OpenTrace } from '../open-trace.ts';
import type { QueryContext } from '../query.ts';

/**
 * The stacks of a host's threads; undefined: it has none, or they have not been read yet.
 * @param isMangled leaves names of C++ and Rust as they are in symbol tables
 */
export async function stacksOf(
  { trace, layers }: Pick<QueryContext, 'trace' | 'layers'>,
  host: number,
  isMangled = false,
): Promise<KernelStacks | undefined> {
  const tables = layers?.info('stack')?.hosts.find(({ index }) => index === host)?.tables;
  if (tables === undefined) return undefined;
  if (isMangled) return new KernelStacks(tables, await frameTexts(tables, trace.symbolFiles, true));
  return readableStacks(trace)(tables);
}

/** Made once for each of the tables. */
const readableStacks = oncePer((trace: OpenTrace) =>
  oncePer(async (tables: StackLayerTables) => new KernelStacks(tables, await trace.frameTexts(tables))),
);

/** The same in display time, in which the graph of executions is. */
export function shownStacks(stacks: KernelStacks | undefined, clock: ClockTransform): StacksInForce {
  if (stacks === undefined) return NO_STACKS;
  return {
    at: (thread, time: number) => stacks.at(thread, clock.toHost(time)),
    nextChange(thread, time: number) {
      const next: number = stacks.nextChange(thread, clock.toHost(time));
      const shown: number = clock.toExperiment(next);
      return next === Infinity ? next : shown;
    },
    textsOf: (stack) => stacks.textsOf(stack),
  };
}

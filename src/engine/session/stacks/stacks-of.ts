/** The call stacks of an open trace. */
import { oncePer } from '../../base/once-per.ts';
import type { EcctHost } from '../../executions/ecct/ecct-sources.ts';
import { frameTexts } from '../../stacks/frame-texts.ts';
import { KernelStacks } from '../../stacks/kernel-stacks.ts';
import type { StackLayerTables } from '../../stacks/layer.ts';
import { NO_STACKS } from '../../stacks/stacks-in-force.ts';
import type { OpenTrace } from '../open-trace.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import type { QueryContext } from '../query.ts';

/**
 * The stacks of a host's threads, once they have been read; undefined: it has none.
 * @param isMangled leaves names of C++ and Rust as they are in symbol tables
 */
export async function stacksOf(
  { trace, layers }: Pick<QueryContext, 'trace' | 'layers'>,
  host: number,
  isMangled = false,
): Promise<KernelStacks | undefined> {
  await layers?.begun;
  const tables = layers?.info('stack')?.hosts.find(({ index }) => index === host)?.tables;
  if (tables === undefined) return undefined;
  if (isMangled) return new KernelStacks(tables, await frameTexts(tables, trace.symbolFiles, true));
  return readableStacks(trace)(tables);
}

/** Made once for each of the tables. */
const readableStacks = oncePer((trace: OpenTrace) =>
  oncePer(async (tables: StackLayerTables) => new KernelStacks(tables, await trace.frameTexts(tables))),
);

/**
 * The stacks of the hosts of a graph, in its order and at its times.
 * @param isMangled as above
 */
export function graphStacks(
  context: Pick<QueryContext, 'trace' | 'layers'>,
  { hosts, names }: PathGraph,
  isMangled = false,
): Promise<EcctHost[]> {
  return Promise.all(
    hosts.map(async ({ index, clock }) => {
      const stacks = await stacksOf(context, index, isMangled);
      return {
        name: names[index],
        stacks: stacks?.atTimes((time) => clock.toExperiment(time)) ?? NO_STACKS,
      };
    }),
  );
}

/** The call stacks of an open trace. */
import type { FrameStyle } from '../../protocol/profile.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { EcctHost } from '../../layers/executions/ecct/ecct-sources.ts';
import { type FrameNames, frameNames } from '../../layers/stacks/frame-names.ts';
import { KernelStacks, NO_STACKS } from '../../layers/stacks/kernel-stacks.ts';
import type { StackLayerTables } from '../../layers/stacks/layer.ts';
import type { ProgramHost } from '../rows/program-threads.ts';
import { withCallSites } from '../../layers/stacks/entered-functions.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import type { QueryContext } from '../context/query.ts';

type LayersOf = Pick<QueryContext, 'trace' | 'layers'>;

/** The stacks of a host's threads, once they have been read; undefined: it has none. */
export async function stacksOf(
  context: LayersOf,
  host: number,
  { isMangled = false, withInlined = false }: FrameStyle = {},
): Promise<KernelStacks | undefined> {
  const tables = await stackTables(context, host);
  if (tables === undefined) return undefined;
  const { trace } = context;
  const names = await (isMangled ? frameNames(tables, trace.symbolFiles, true) : trace.frameNames(tables));
  return (withInlined ? expandedStacks : physicalStacks)(names)(tables);
}

/** The stacks of the threads of a host without a kernel's trace, by their rows there; undefined: it has none. */
export async function programStacks(
  context: LayersOf,
  host: Pick<ProgramHost, 'index' | 'rowOf'>,
  style: FrameStyle = {},
): Promise<KernelStacks | undefined> {
  return (await stacksOf(context, host.index, style))?.withRows((thread) => host.rowOf(thread));
}

/** The tables of a host's stacks, once they have been read; undefined: it has none. */
async function stackTables(context: LayersOf, host: number): Promise<StackLayerTables | undefined> {
  await context.layers?.begun;
  return tablesByNow(context, host);
}

/** The same of what has been read by now. */
export function tablesByNow({ layers }: LayersOf, host: number): StackLayerTables | undefined {
  return layers?.info('stack')?.hosts.find(({ index }) => index === host)?.tables;
}

/** Made once for each of the tables, until their frames have other names. */
const physicalStacks = cachedByKey(({ texts, symbols }: FrameNames) =>
  stacksNamed(
    symbols,
    texts.map((text) => [text]),
  ),
);
const expandedStacks = cachedByKey(({ expanded, symbols }: FrameNames) =>
  stacksNamed(
    symbols,
    expanded.map((frames) => frames.map(({ text }) => text)),
  ),
);

function stacksNamed(symbols: FrameNames['symbols'], texts: readonly (readonly string[])[]) {
  return cachedByKey((tables: StackLayerTables) => new KernelStacks(withCallSites(tables, symbols), texts));
}

/** The stacks of the hosts of a graph, in its order and at its times. */
export function graphStacks(
  context: LayersOf,
  { hosts, names }: PathGraph,
  style: FrameStyle = {},
): Promise<EcctHost[]> {
  return Promise.all(
    hosts.map(async ({ index, clock }) => {
      const stacks = await stacksOf(context, index, style);
      return {
        name: names[index],
        stacks: stacks?.atTimes((time) => clock.toExperiment(time)) ?? NO_STACKS,
      };
    }),
  );
}

/** The call stacks of an open trace, and the names of intervals in their rows, which are stored without symbols. */
import type { FrameStyle } from '../../protocol/profile.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { EcctHost } from '../../layers/executions/ecct/ecct-reader.ts';
import { type FrameNames, frameNames } from '../../layers/stacks/frame-names.ts';
import { KernelStacks, NO_STACKS } from '../../layers/stacks/kernel-stacks.ts';
import type { StackLayerTables } from '../../layers/stacks/layer.ts';
import { withTexts } from '../rows/interval-info.ts';
import type { ProgramHost } from '../rows/program-threads.ts';
import { withCallSites } from '../../layers/stacks/entered-functions.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import { firstWhere } from '../../base/lower-bound.ts';
import type { DisplayNs } from '../../base/units.ts';
import { isUnnamedFrame } from '../../layers/executions/frames.ts';
import type { IntervalInfo } from '../../protocol/rows.ts';
import type { QueryContext } from '../context/query.ts';

type LayersOf = Pick<QueryContext, 'trace' | 'layers'>;

/** The stacks of a host's threads, once they are read; undefined: none. */
export async function stacksOf(
  context: LayersOf,
  host: number,
  { isMangled = false, withInlined = false }: FrameStyle = {},
): Promise<KernelStacks | undefined> {
  await context.layers?.begun;
  const tables = tablesByNow(context, host);
  if (tables === undefined) return undefined;
  const { trace } = context;
  const names = await (isMangled ? frameNames(tables, trace.symbolFiles, true) : trace.frameNames(tables));
  return (withInlined ? expandedStacks : physicalStacks)(names)(tables);
}

/** The stacks of threads on a host without a kernel trace, by their rows there; undefined: none. */
export async function programStacks(
  context: LayersOf,
  host: Pick<ProgramHost, 'index' | 'rowOf'>,
  style: FrameStyle = {},
): Promise<KernelStacks | undefined> {
  return (await stacksOf(context, host.index, style))?.withRows((thread) => host.rowOf(thread));
}

/** The tables of a host's stacks read so far; undefined: none. */
export function tablesByNow({ layers }: LayersOf, host: number): StackLayerTables | undefined {
  return layers?.info('stack')?.hosts.find(({ index }) => index === host)?.tables;
}

/** Cached for each table, until its frames get other names. */
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

/** The stacks of the graph's hosts, in its order and at its times. */
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

/** Prefix of the ids of rows of call stacks. */
const STACK_ROWS = 'stack:';

/** Tolerance, ns: shifted clocks are rounded to whole ns. */
const ROUNDING_NS = 0.5;

/** The interval and its neighbours, named after the innermost function that has a name, if the row shows stacks. */
export async function withFunctionNames(
  context: QueryContext,
  host: number,
  found: Promise<IntervalInfo | undefined>,
): Promise<IntervalInfo | undefined> {
  const info = await found;
  const tables = info?.row.startsWith(STACK_ROWS) === true ? tablesByNow(context, host) : undefined;
  if (info === undefined || tables === undefined) return info;
  const { texts, byPlace } = await context.trace.frameNames(tables);
  const clock = context.trace.time.of(host);
  // `stack:HOST:thread:KEY:INDEX:SETTINGS`
  const thread = tables.threads.at(Number(info.row.split(':').at(-2)));
  const { tree } = tables;
  const nameAt = (from: DisplayNs): string | undefined => {
    if (thread === undefined) return undefined;
    const { times, stacks, inside } = thread;
    const at = clock.toHost(from) + ROUNDING_NS;
    const last = firstWhere(0, times.length, (i) => times[i] > at) - 1;
    for (let stack = last < 0 ? 0 : inside[last] || stacks[last]; stack > 0; stack = tree.parent[stack])
      if (!isUnnamedFrame(texts[tree.frame[stack]])) return texts[tree.frame[stack]];
    return undefined;
  };
  return withTexts(info, ({ stateText, from }) => byPlace.get(stateText) ?? nameAt(from) ?? stateText);
}

/** The executions of a definition in an open trace: the path of each, and what it comes to. */
import { EcctReader } from '../../layers/executions/ecct/ecct-reader.ts';
import { type Executions, executionsOf, type HostDelimiters } from '../../layers/executions/executions.ts';
import {
  type Metric,
  type MetricSources,
  MetricTable,
  ThreadCounts,
} from '../../layers/executions/metrics.ts';
import { type Ecct, UnionTree } from '../../layers/executions/union-tree.ts';
import { pathNames } from '../../graph/path-names.ts';
import { locksOf } from '../locks/locks-of.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import type { ExecutionsRequest } from '../../protocol/executions.ts';
import type { QueryContext } from '../context/query.ts';
import { graphStacks } from '../stacks/stacks-of.ts';
import { lockWaitCounts } from './lock-wait-counts.ts';
import { hostDelimiters, type ReadDelimiters, readDelimiters } from './read-delimiters.ts';

export interface FoundExecutions {
  readonly known: PathGraph;
  readonly executions: Executions;
  readonly metrics: readonly Metric[];
  readonly tree: UnionTree;
  /** Times of the executions in `tree`, by number of the execution. */
  readonly eccts: readonly Ecct[];
  /** See `lockSettingsText`: what waits for locks were counted by. */
  readonly locks: string;
}

/**
 * Reads the events of the definition first, where that was not done.
 * @returns undefined: they cannot be read without the files, nobody waits for them any more, or wake-ups are damaged,
 * without which another thread might be blamed
 */
export async function findExecutions(
  context: QueryContext,
  { definition, isMangled }: ExecutionsRequest,
): Promise<FoundExecutions | undefined> {
  const delimiters = await readDelimiters(context, [definition]);
  if (delimiters === undefined) return undefined;
  const { trace, signal, onProgress } = context;
  const known = await trace.paths.graph();
  const hosts = hostDelimiters(delimiters, known);
  const index = delimiters.indexOf(definition);
  const executions = executionsOf(hosts, definition, index);
  const tree = new UnionTree();
  const reader = new EcctReader(
    { graph: known.graph, hosts: await graphStacks(context, known, { isMangled }) },
    tree,
  );
  await context.layers?.begun;
  const locks = lockSettingsText(context);
  const table = new MetricTable(metricSources(context, delimiters, known, hosts), executions);
  const eccts: Ecct[] = [];
  for (let i = 0; i < executions.length; i++) {
    const question = {
      worker: known.graph.workerOfThread(executions.host[i], executions.thread[i]),
      range: { from: executions.begin[i], to: executions.end[i] },
      criterion: 'main task',
      marked: new Set<number>(),
      foldLoops: false,
    } as const;
    const path = await trace.paths.find(known, question, () => signal?.aborted !== true);
    if (path === undefined || trace.isDamaged('signals')) return undefined;
    table.add(i, path);
    eccts.push(await reader.of(path));
    onProgress?.((i + 1) / executions.length);
  }
  return { known, executions, metrics: table.finish(index), tree, eccts, locks };
}

function metricSources(
  { layers }: QueryContext,
  { settings }: ReadDelimiters,
  known: PathGraph,
  hosts: readonly HostDelimiters[],
): MetricSources {
  const lockWaits = lockWaitCounts(locksOf(layers));
  const names = known.hosts.map(({ tables }) => ({ tables, prefix: '' }));
  return {
    graph: known.graph,
    names: pathNames(known.graph, names),
    settings,
    counted: [...settings.counted, ...(lockWaits === undefined ? [] : ['lockWaits'])],
    hosts: hosts.map(({ delimiters, threads: { length }, toDisplay }, host) => {
      const ofEvents = settings.counted.map(
        (_, sort) => new ThreadCounts(delimiters.counts, sort, length, toDisplay),
      );
      const ofLocks = lockWaits?.(known.hosts[host].index);
      return {
        delimiters,
        counts: ofLocks ? [...ofEvents, new ThreadCounts(ofLocks, 0, length, toDisplay)] : ofEvents,
      };
    }),
  };
}

/** Settings that say which events are about locks, as they were read last; '': they have not been read. */
export function lockSettingsText({ layers }: QueryContext): string {
  const { settings } = layers?.info('lock') ?? {};
  return settings === undefined ? '' : JSON.stringify(settings);
}

/** The executions of a definition in an open trace: the path of each, and what it comes to. */
import { EcctReader } from '../../executions/ecct/ecct-reader.ts';
import { type Executions, executionsOf } from '../../executions/executions.ts';
import { type Metric, MetricTable } from '../../executions/metrics.ts';
import { ThreadCounts } from '../../executions/thread-counts.ts';
import { type Ecct, UnionTree } from '../../executions/union-tree.ts';
import { pathNames } from '../../graph/path-names.ts';
import type { PathGraph } from '../paths/path-finder.ts';
import type { ExecutionsRequest } from './executions-api.ts';
import type { QueryContext } from '../query.ts';
import { graphStacks } from '../stacks/stacks-of.ts';
import { markedHosts, readMarks } from './read-marks.ts';

export interface FoundExecutions {
  readonly known: PathGraph;
  readonly executions: Executions;
  readonly metrics: readonly Metric[];
  readonly tree: UnionTree;
  /** By number of the execution. */
  readonly eccts: readonly Ecct[];
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
  const marks = await readMarks(context, [definition]);
  if (marks === undefined) return undefined;
  const { trace, signal, onProgress } = context;
  const known = await trace.paths.graph();
  const hosts = markedHosts(marks, known);
  const index = marks.indexOf(definition);
  const executions = executionsOf(hosts, definition, index);
  const { counted } = marks.settings;
  const table = new MetricTable(
    {
      graph: known.graph,
      names: pathNames(
        known.graph,
        known.hosts.map(({ tables }) => ({ tables, prefix: '' })),
      ),
      settings: marks.settings,
      hosts: hosts.map(({ marks, threads, toDisplay }) => ({
        marks,
        counts: new ThreadCounts(marks.counts, threads.length, counted.length, toDisplay),
      })),
    },
    executions,
  );
  const tree = new UnionTree();
  const reader = new EcctReader(
    { graph: known.graph, hosts: await graphStacks(context, known, isMangled) },
    tree,
  );
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
  return { known, executions, metrics: table.finish(index), tree, eccts };
}

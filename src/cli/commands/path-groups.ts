/** By whom the totals of a path are: threads, processes, hosts. */
import type { GraphWorker } from '../../engine/graph/execution-graph.ts';
import type { HistoryGraph } from '../../engine/graph/history-graph.ts';
import type { NamedGraphHost, PathNames } from '../../engine/graph/path-names.ts';
import { UsageError } from '../options.ts';

const GROUPINGS = ['thread', 'process', 'host'] as const;

export type Grouping = (typeof GROUPINGS)[number];

export interface PathGroups {
  /** What a group is called in output. */
  readonly title: 'worker' | 'process' | 'host';
  of(worker: GraphWorker): number;
  nameOf(group: number): string;
}

/** @throws UsageError */
export function groupingOf(name: string): Grouping {
  const found = GROUPINGS.find((grouping) => grouping === name);
  if (found !== undefined) return found;
  throw new UsageError(`--by: one of ${GROUPINGS.join(', ')} is expected, not "${name}"`);
}

/** @param hosts in the order of the graph's */
export function pathGroups(
  grouping: Grouping,
  graph: HistoryGraph,
  hosts: readonly (NamedGraphHost & { readonly name: string })[],
  names: PathNames,
): PathGroups {
  switch (grouping) {
    case 'thread':
      return { title: 'worker', of: (worker) => worker, nameOf: (group) => names.worker(group) };
    case 'host':
      return {
        title: 'host',
        of: (worker) => graph.place(worker).host,
        nameOf: (group) => hosts[group].name,
      };
    case 'process':
      return processes(graph, hosts);
  }
}

/** Interrupts belong to no process: those of a host are one group. */
function processes(graph: HistoryGraph, hosts: readonly NamedGraphHost[]): PathGroups {
  const groupNames: string[] = [];
  const groups = new Map<string, number>();
  return {
    title: 'process',
    of(worker) {
      const { host, thread } = graph.place(worker);
      const { tables, prefix } = hosts[host];
      const pid = tables.threads.pid[thread] ?? -1;
      const process = thread < 0 ? 'irq' : String(pid >= 0 ? pid : tables.threads.tid[thread]);
      const name = prefix + process;
      const known = groups.get(name);
      if (known !== undefined) return known;
      groups.set(name, groupNames.length);
      return groupNames.push(name) - 1;
    },
    nameOf: (group) => groupNames[group],
  };
}

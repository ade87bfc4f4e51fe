/** Groups of workers that the totals of a path are by: threads, processes, hosts. */
import type { GraphWorker } from '../../graph/execution-graph.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import type { NamedGraphHost, PathNames } from '../../graph/path-names.ts';
import type { PathGrouping } from '../../protocol/paths.ts';

export interface PathGroups {
  of(worker: GraphWorker): number;
  nameOf(group: number): string;
}

/** @param hosts in the order of the graph's */
export function pathGroups(
  grouping: PathGrouping,
  graph: HistoryGraph,
  hosts: readonly (NamedGraphHost & { readonly name: string })[],
  names: PathNames,
): PathGroups {
  switch (grouping) {
    case 'thread':
      return { of: (worker) => worker, nameOf: (group) => names.worker(group) };
    case 'host':
      return {
        of: (worker) => graph.place(worker).host,
        nameOf: (group) => hosts[group].name,
      };
    case 'process':
      return processes(graph, hosts);
  }
}

/** Groups by process. Interrupts belong to none: those of a host are one group. */
function processes(graph: HistoryGraph, hosts: readonly NamedGraphHost[]): PathGroups {
  const groupNames: string[] = [];
  const groups = new Map<string, number>();
  return {
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

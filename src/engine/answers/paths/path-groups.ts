/** Groups of workers that the totals of a path are by: threads, programs, processes, hosts. */
import type { GraphWorker } from '../../graph/execution-graph.ts';
import type { HistoryGraph } from '../../graph/history-graph.ts';
import type { NamedGraphHost, PathNames } from '../../graph/path-names.ts';
import type { PathGrouping } from '../../protocol/paths.ts';
import { processOf } from '../rows/process-threads.ts';

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
    case 'program':
      return processes(grouping, graph, hosts);
  }
}

/** Groups by process or its name. Interrupts belong to none: those of a host are one group. */
function processes(
  grouping: 'process' | 'program',
  graph: HistoryGraph,
  hosts: readonly NamedGraphHost[],
): PathGroups {
  const groupNames: string[] = [];
  const groups = new Map<string, number>();
  return {
    of(worker) {
      const { host, thread } = graph.place(worker);
      const { tables, prefix } = hosts[host];
      const { threads } = tables;
      const pid = threads.pid[thread] ?? -1;
      const process =
        grouping === 'program' && thread >= 0
          ? processOf(threads, thread).name
          : String(pid >= 0 ? pid : threads.tid[thread]);
      const name = prefix + (thread < 0 ? 'irq' : process);
      const known = groups.get(name);
      if (known !== undefined) return known;
      groups.set(name, groupNames.length);
      return groupNames.push(name) - 1;
    },
    nameOf: (group) => groupNames[group],
  };
}

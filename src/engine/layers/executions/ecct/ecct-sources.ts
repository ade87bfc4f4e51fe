/** What trees of executions are made of, beside their paths. */
import type { HistoryGraph } from '../../../graph/history-graph.ts';
import type { StacksInForce } from '../../stacks/stacks-in-force.ts';

export interface EcctSources {
  readonly graph: HistoryGraph;
  /** In the order of the graph's. */
  readonly hosts: readonly EcctHost[];
}

export interface EcctHost {
  /** Stands in front of its threads where an execution on another host waits for them. */
  readonly name: string;
  /**
   * Its times are those of the graph, each turned once: `nextChange` is later than the time asked for, and `at` knows of
   * the change then.
   */
  readonly stacks: StacksInForce;
}

/** Sources of trees of executions, beside their paths. */
import type { HistoryGraph } from '../../../graph/history-graph.ts';
import type { StacksInForce } from '../../stacks/kernel-stacks.ts';

export interface EcctSources {
  readonly graph: HistoryGraph;
  /** Hosts in the order of the graph's. */
  readonly hosts: readonly EcctHost[];
}

export interface EcctHost {
  /** Stands in front of its threads where an execution on another host waits for them. */
  readonly name: string;
  /**
   * Stacks whose times are those of the graph, each turned once: `nextChange` is later than the time asked for, and
   * `at` knows of the change then.
   */
  readonly stacks: StacksInForce;
}

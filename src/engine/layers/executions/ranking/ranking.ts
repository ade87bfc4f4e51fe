/**
 * Ranking of what explains that the executions of group B take longer than those of group A (Doray & Dagenais, 2016).
 */
import type { Metric } from '../metrics.ts';
import type { EcctTable, FrameTree } from '../union-tree.ts';
import { contrastOf, roundNs } from './contrast.ts';
import type { Groups } from './groups.ts';
import { rankMetrics, type RankedMetric } from './metric-ranking.ts';
import { type RankedNode, rankNodes } from './node-ranking.ts';
import { type RankedThread, rankThreads } from './thread-ranking.ts';

/** Executions that are compared. All lists are by number of the execution. */
export interface Compared {
  readonly tree: FrameTree;
  readonly eccts: EcctTable;
  /** ns. */
  readonly durations: Float64Array;
  readonly metrics: readonly Metric[];
}

export interface Ranking {
  /** ns: mean duration of B minus that of A. */
  readonly difference: number;
  readonly nodes: readonly RankedNode[];
  readonly threads: readonly RankedThread[];
  readonly metrics: readonly RankedMetric[];
  /** Executions of B that no node explains. */
  readonly unexplained: readonly number[];
}

/** @returns undefined: a group is empty */
export function rank({ tree, eccts, durations, metrics }: Compared, groups: Groups): Ranking | undefined {
  const total = contrastOf(durations, groups);
  return (
    total && {
      difference: roundNs(total.difference),
      ...rankNodes(tree, eccts, durations, groups),
      threads: rankThreads(tree, eccts, groups, total.difference),
      metrics: rankMetrics(metrics, groups),
    }
  );
}

/**
 * Ranking of what explains that the executions of group B take longer than those of group A, or less (Doray & Dagenais, 2016),
 * and of the metrics that differ, relative to how much they vary.
 */
import { DURATION_METRICS, type Metric } from '../metrics.ts';
import { type Compared, withPools } from './compared.ts';
import { type Contrast, contrastOf, roundedNumbers, roundNs } from './contrast.ts';
import type { Groups } from './groups.ts';
import { type RankedNode, rankNodes } from './node-ranking.ts';
import { type RankedThread, rankThreads } from './thread-ranking.ts';

export interface Ranking {
  /** ns: mean duration of B minus that of A. */
  readonly difference: number;
  readonly nodes: readonly RankedNode[];
  readonly threads: readonly RankedThread[];
  readonly metrics: readonly RankedMetric[];
  /** Executions of B with an excess that no nodes together explain half of. */
  readonly unexplained: readonly number[];
}

/** @returns undefined: a group is empty */
export function rank(compared: Compared, groups: Groups): Ranking | undefined {
  const total = contrastOf(compared.durations, groups);
  if (total === undefined) return undefined;
  const pooled = withPools(compared);
  return {
    difference: roundNs(total.difference),
    ...rankNodes(pooled, groups),
    threads: rankThreads(pooled, groups),
    metrics: rankMetrics(compared.metrics, groups),
  };
}

export interface RankedMetric extends Contrast {
  readonly metric: string;
}

/**
 * Metrics that differ, the largest effect first: metrics of several units can only be compared by their effects.
 * Without an effect, since neither group varies, a difference comes first of all.
 */
function rankMetrics(metrics: readonly Metric[], groups: Groups): RankedMetric[] {
  return metrics
    .filter(({ name, texts }) => !DURATION_METRICS.includes(name) && !isIdentifier(texts, groups))
    .flatMap(({ name, values }) => {
      const contrast = contrastOf(values, groups);
      return contrast === undefined || contrast.difference === 0 ? [] : [{ metric: name, ...contrast }];
    })
    .sort((a, b) => sizeOf(b.effect) - sizeOf(a.effect) || 0)
    .map(({ metric, ...contrast }) => ({ metric, ...roundedNumbers(contrast) }));
}

/** Whether a value of the groups is a text: what a double cannot hold is an identifier. */
function isIdentifier(texts: Metric['texts'], { a, b }: Groups): boolean {
  return texts !== undefined && [a, b].some((group) => group.some((number) => texts.has(number)));
}

/** Size of an effect. Differences of infinite sizes are NaN, which `||` makes 0. */
function sizeOf(effect: number | null): number {
  return effect === null ? Infinity : Math.abs(effect);
}

/** Ranking of metrics that differ between two groups, relative to how much they vary. */
import { DURATION_METRICS, type Metric } from '../metrics.ts';
import { type Contrast, contrastOf, roundedNumbers } from './contrast.ts';
import type { Groups } from './groups.ts';

export interface RankedMetric extends Contrast {
  readonly metric: string;
}

/**
 * Metrics that differ, the largest effect first: metrics of several units can only be compared by their effects.
 * Without an effect, since neither group varies, a difference comes first of all.
 */
export function rankMetrics(metrics: readonly Metric[], groups: Groups): RankedMetric[] {
  return metrics
    .filter(({ name }) => !DURATION_METRICS.includes(name))
    .flatMap(({ name, values }) => {
      const contrast = contrastOf(values, groups);
      return contrast === undefined || contrast.difference === 0 ? [] : [{ metric: name, ...contrast }];
    })
    .sort((a, b) => sizeOf(b.effect) - sizeOf(a.effect) || 0)
    .map(({ metric, ...contrast }) => ({ metric, ...roundedNumbers(contrast) }));
}

/** Size of an effect. Differences of infinite sizes are NaN, which `||` makes 0. */
function sizeOf(effect: number | null): number {
  return effect === null ? Infinity : Math.abs(effect);
}

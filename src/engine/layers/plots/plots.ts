/** Plots as an analysis: their definitions are settings, and so part of its id. */
import type { EventBatch, HistoryAnalysis, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { HistorySink } from '../../history/types.ts';
import { settingsId } from '../contract/layer.ts';
import type { PlotDefinition } from './definition.ts';
import type { PlotLeaf } from './plot-chunk.ts';
import { PlotMapper, plotMeanings } from './plot-map.ts';
import { PlotReducer, PLOTS, type PlotTables } from './plot-reducer.ts';

export interface PlotSettings {
  /** Resolved: each has one event, which is declared. */
  readonly definitions: readonly PlotDefinition[];
}

export function plots(settings: PlotSettings): HistoryAnalysis<PlotLeaf, HistorySink, PlotTables> {
  const { definitions } = settings;
  const mapperOf = cachedByKey((plan: ProjectionPlan) => new PlotMapper(plan, definitions));
  return {
    id: settingsId(PLOTS, settings),
    version: 2,
    reads: { meanings: plotMeanings(definitions) },
    map: (batch: EventBatch) => mapperOf(batch.plan).map(batch),
    reducer: (sink) => new PlotReducer(sink, definitions),
  };
}

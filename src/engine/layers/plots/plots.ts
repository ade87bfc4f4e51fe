/** Plots as an analysis: their definitions are settings, and so part of its id. */
import type { HistoryAnalysis } from '../../analysis/contract.ts';
import type { HistorySink } from '../../history/types.ts';
import type { PlotLeaf } from './plot-chunk.ts';
import { plotMap, type PlotSettings } from './plot-map.ts';
import { PlotReducer, type PlotTables } from './plot-reducer.ts';

export function plots(settings: PlotSettings): HistoryAnalysis<PlotLeaf, HistorySink, PlotTables> {
  return {
    ...plotMap.of(settings),
    version: 2,
    reducer: (sink) => new PlotReducer(sink, settings.definitions),
  };
}

/** Marks of executions as an analysis: what is read is part of its id. */
import type { EventBatch, HistoryAnalysis, ProjectionPlan } from '../../../analysis/contract.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import type { HistorySink } from '../../../history/types.ts';
import { type LayerTrace, settingsId } from '../../contract/layer.ts';
import type { MarkLeaf } from './mark-leaf.ts';
import { MarkMapper, markMeanings } from './mark-map.ts';
import { MarkReducer } from './mark-reducer.ts';
import type { Marks } from './marks.ts';
import type { MarkSettings } from './settings.ts';

/** Begins the id of the analysis. */
export const EXECUTIONS = 'executions';

export type MarkAnalysis = HistoryAnalysis<MarkLeaf, HistorySink, Marks>;

/** @param kernelThreads of a host by index; only the reducer asks it */
export function marks(
  settings: MarkSettings,
  kernelThreads: LayerTrace['kernelThreads'] = () => undefined,
): MarkAnalysis {
  const mapperOf = cachedByKey((plan: ProjectionPlan) => new MarkMapper(plan, settings));
  return {
    id: settingsId(EXECUTIONS, settings),
    version: 1,
    reads: { meanings: markMeanings(settings) },
    map: (batch: EventBatch) => mapperOf(batch.plan).map(batch),
    reducer: (_, { index }) => new MarkReducer(settings, kernelThreads(index)),
  };
}

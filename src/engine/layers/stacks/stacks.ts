/** Call stacks as an analysis: what is read is part of its id. */
import type { EventBatch, HistoryAnalysis, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { HistorySink } from '../../history/types.ts';
import { type LayerTrace, settingsId } from '../contract/layer.ts';
import type { StackLeaf } from './stack-chunk.ts';
import type { StackLog } from './stack-log.ts';
import { StackMapper } from './stack-map.ts';
import { stackMeanings } from './stack-meanings.ts';
import { StackReducer } from './stack-reducer.ts';
import type { StackSettings } from './stack-settings.ts';

/** Begins the id of the analysis, and the paths of the layer's attributes. */
export const STACKS = 'stacks';

/** @param kernelThreads of a host by index; only the reducer asks it */
export function stacks(
  settings: StackSettings,
  kernelThreads: LayerTrace['kernelThreads'] = () => undefined,
): HistoryAnalysis<StackLeaf, HistorySink, StackLog> {
  const mapperOf = cachedByKey((plan: ProjectionPlan) => new StackMapper(plan, settings));
  return {
    id: settingsId(STACKS, settings),
    version: 2,
    reads: { meanings: stackMeanings(settings) },
    map: (batch: EventBatch) => mapperOf(batch.plan).map(batch),
    reducer: (_, { index }) => new StackReducer(kernelThreads(index)),
  };
}

/** Locks as an analysis: what is read is part of its id. */
import type { EventBatch, HistoryAnalysis, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { HistorySink } from '../../history/types.ts';
import { type LayerTrace, settingsId } from '../contract/layer.ts';
import type { LockLeaf } from './lock-chunk.ts';
import type { LockLog } from './lock-log.ts';
import { LockMapper, lockMeanings } from './lock-map.ts';
import { LockReducer } from './lock-reducer.ts';
import type { LockSettings } from './lock-settings.ts';

/** Begins the id of the analysis, and the paths of the layer's attributes. */
export const LOCKS = 'locks';

export type LockAnalysis = HistoryAnalysis<LockLeaf, HistorySink, LockLog>;

/** @param kernelThreads of a host by index; only the reducer asks it */
export function locks(
  settings: LockSettings,
  kernelThreads: LayerTrace['kernelThreads'] = () => undefined,
): LockAnalysis {
  const mapperOf = cachedByKey((plan: ProjectionPlan) => new LockMapper(plan, settings));
  return {
    id: settingsId(LOCKS, settings),
    version: 6,
    reads: { meanings: lockMeanings(settings) },
    map: (batch: EventBatch) => mapperOf(batch.plan).map(batch),
    reducer: (_, { index }) => new LockReducer(settings, kernelThreads(index)),
  };
}

/** Locks as an analysis: what is read is part of its id. */
import type { HistoryAnalysis } from '../../analysis/contract.ts';
import type { HistorySink } from '../../history/types.ts';
import type { LayerTrace } from '../contract/layer.ts';
import type { LockLeaf } from './lock-chunk.ts';
import type { LockLog } from './lock-log.ts';
import { lockMap } from './lock-map.ts';
import { LockReducer } from './lock-reducer.ts';
import type { LockSettings } from './lock-settings.ts';

export type LockAnalysis = HistoryAnalysis<LockLeaf, HistorySink, LockLog>;

/** @param kernelThreads of a host by index; only the reducer asks it */
export function locks(
  settings: LockSettings,
  kernelThreads: LayerTrace['kernelThreads'] = () => undefined,
): LockAnalysis {
  return {
    ...lockMap.of(settings),
    version: 6,
    reducer: (_, { index }) => new LockReducer(settings, kernelThreads(index)),
  };
}

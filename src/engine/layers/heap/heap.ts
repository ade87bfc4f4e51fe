/** The heap of programs as an analysis: what is read is part of its id. */
import type { EventBatch, HistoryAnalysis, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { HistorySink } from '../../history/types.ts';
import { type LayerTrace, settingsId } from '../contract/layer.ts';
import type { HeapLeaf } from './heap-chunk.ts';
import { HeapMapper, heapMeanings, type HeapSettings } from './heap-map.ts';
import { HEAP, type HeapEvents, HeapReducer } from './heap-reducer.ts';

/** @param kernelThreads of a host by index; only the reducer asks it */
export function heap(
  settings: HeapSettings,
  kernelThreads: LayerTrace['kernelThreads'] = () => undefined,
): HistoryAnalysis<HeapLeaf, HistorySink, HeapEvents> {
  const mapperOf = cachedByKey((plan: ProjectionPlan) => new HeapMapper(plan, settings));
  return {
    id: settingsId(HEAP, settings),
    version: 1,
    reads: { meanings: heapMeanings(settings) },
    map: (batch: EventBatch) => mapperOf(batch.plan).map(batch),
    reducer: (sink, { index }) => new HeapReducer(sink, kernelThreads(index)),
  };
}

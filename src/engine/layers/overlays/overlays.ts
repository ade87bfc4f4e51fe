/** User-space overlays as an analysis: its definitions are settings, and so part of its id. */
import type { HistoryAnalysis } from '../../analysis/contract.ts';
import type { HistorySink } from '../../history/types.ts';
import type { LayerTrace } from '../contract/layer.ts';
import type { OverlayLeaf } from './overlay-chunk.ts';
import { overlayMap, type OverlaySettings } from './overlay-map.ts';
import { OverlayReducer, type OverlayTables } from './overlay-reducer.ts';

export type OverlayAnalysis = HistoryAnalysis<OverlayLeaf, HistorySink, OverlayTables>;

/** @param kernelThreads of a host by index; only the reducer asks it */
export function overlays(
  settings: OverlaySettings,
  kernelThreads: LayerTrace['kernelThreads'] = () => undefined,
): OverlayAnalysis {
  return {
    ...overlayMap.of(settings),
    version: 5,
    reducer: (sink, { index }) => new OverlayReducer(sink, settings.definitions, kernelThreads(index)),
  };
}

/** User-space overlays as an analysis: its definitions are settings, and so part of its id. */
import type { EventBatch, HistoryAnalysis, ProjectionPlan } from '../../analysis/contract.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { HistorySink } from '../../history/types.ts';
import { type LayerTrace, settingsId } from '../contract/layer.ts';
import type { OverlayDefinition } from './definition.ts';
import type { OverlayLeaf } from './overlay-chunk.ts';
import { OverlayMapper, overlayMeanings } from './overlay-map.ts';
import { OverlayReducer, OVERLAYS, type OverlayTables } from './overlay-reducer.ts';

export interface OverlaySettings {
  /** Resolved: no `*`, and events of both names exist. */
  readonly definitions: readonly OverlayDefinition[];
  /**
   * Switches are read: some of the events are the kernel's, which happen in the thread that runs, or name a thread but not
   * its pid namespace, while there are nested ones.
   */
  readonly kernel: boolean;
}

export type OverlayAnalysis = HistoryAnalysis<OverlayLeaf, HistorySink, OverlayTables>;

/** @param kernelThreads of a host by index; only the reducer asks it */
export function overlays(
  settings: OverlaySettings,
  kernelThreads: LayerTrace['kernelThreads'] = () => undefined,
): OverlayAnalysis {
  const { definitions, kernel } = settings;
  const mapperOf = cachedByKey((plan: ProjectionPlan) => new OverlayMapper(plan, definitions));
  return {
    id: settingsId(OVERLAYS, settings),
    version: 5,
    reads: { meanings: overlayMeanings(definitions, kernel) },
    map: (batch: EventBatch) => mapperOf(batch.plan).map(batch),
    reducer: (sink, { index }) => new OverlayReducer(sink, definitions, kernelThreads(index)),
  };
}

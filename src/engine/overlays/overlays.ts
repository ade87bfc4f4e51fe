/** User-space overlays as an analysis: its definitions are settings, and so part of its id. */
import type { EventBatch, HistoryAnalysis, ProjectionPlan } from '../analysis/contract.ts';
import { oncePer } from '../base/once-per.ts';
import type { HistorySink } from '../history/types.ts';
import type { OverlayDefinition } from './definition.ts';
import type { OverlayLeaf } from './leaf.ts';
import { OverlayMapper, overlayMeanings } from './overlay-map.ts';
import { type KernelThreads, OverlayReducer, type OverlayTables } from './overlay-reducer.ts';

export interface OverlaySettings {
  /** Resolved: no `*`, and events of both names exist. */
  readonly definitions: readonly OverlayDefinition[];
  /**
   * Switches are read: some of the events are the kernel's, which happen in whatever thread runs, or tell a thread but not
   * its pid namespace, while there are nested ones.
   */
  readonly kernel: boolean;
}

export type OverlayAnalysis = HistoryAnalysis<OverlayLeaf, HistorySink, OverlayTables>;

export const OVERLAYS_VERSION = 4;
const ID = 'overlays ';

/** Ids are all that crosses to workers, and what results are kept under. */
export function overlaysId(settings: OverlaySettings): string {
  return ID + JSON.stringify(settings);
}

/** The analysis with this id; undefined: it is another one's. Ids are made by `overlaysId` alone. */
export function overlaysOfId(id: string): OverlayAnalysis | undefined {
  return id.startsWith(ID) ? overlays(JSON.parse(id.slice(ID.length)) as OverlaySettings) : undefined;
}

/** @param kernelThreads of a host by index; only the reducer asks it */
export function overlays(
  settings: OverlaySettings,
  kernelThreads: (host: number) => KernelThreads | undefined = () => undefined,
): OverlayAnalysis {
  const { definitions, kernel } = settings;
  const mapperOf = oncePer((plan: ProjectionPlan) => new OverlayMapper(plan, definitions));
  return {
    id: overlaysId(settings),
    version: OVERLAYS_VERSION,
    reads: { meanings: overlayMeanings(definitions, kernel) },
    map: (batch: EventBatch) => mapperOf(batch.plan).map(batch),
    reducer: (sink, { index }) => new OverlayReducer(sink, definitions, kernelThreads(index)),
  };
}

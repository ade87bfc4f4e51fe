/** Facts that the page and the command line show about overlays beside their rows. */
import type { LayerInfo } from '../contract/layer.ts';
import type { OverlayDefinition } from './definition.ts';
import type { FoundOverlays } from './layer.ts';
import type { OverlaySums, OverlayTables } from './overlay-reducer.ts';
import type { OverlaySettings } from './overlay-map.ts';

type Known = LayerInfo<FoundOverlays, readonly OverlayDefinition[], OverlaySettings, OverlayTables>;

/** Spans of one name on one host. Durations are of spans with both ends; ns. */
interface OverlayStat extends OverlaySums {
  readonly name: string;
  readonly host: number;
  readonly meanNs: number;
}

export interface OverlayInfo extends FoundOverlays, Pick<Known, 'hasFiles' | 'faults'> {
  /** Definitions that are shown now. */
  readonly definitions: readonly OverlayDefinition[];
  readonly stats: readonly OverlayStat[];
}

export function overlayInfo({ found, wanted, settings, hosts, hasFiles, faults }: Known): OverlayInfo {
  const { definitions = [] } = settings ?? {};
  const stats = hosts.flatMap(({ index, tables }) =>
    tables.sums.map((sums, definition) => ({
      name: definitions[definition].name,
      host: index,
      ...sums,
      meanNs: sums.spans === 0 ? 0 : sums.totalNs / sums.spans,
    })),
  );
  return {
    suggestions: found?.suggestions ?? [],
    definitions: wanted ?? [],
    stats: stats.filter((stat) => stat.spans + stat.withoutBegin + stat.withoutEnd > 0),
    events: found?.events ?? [],
    hasFiles,
    faults,
  };
}

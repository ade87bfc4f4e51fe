/** Facts that the page shows about plots beside their rows. */
import type { LayerInfo } from '../contract/layer.ts';
import type { PlotDefinition } from './definition.ts';
import type { FoundPlots } from './layer.ts';
import type { PlotTables } from './plot-reducer.ts';
import type { PlotSettings } from './plot-map.ts';

type Known = LayerInfo<FoundPlots, readonly PlotDefinition[], PlotSettings, PlotTables>;

export interface PlotInfo extends FoundPlots, Pick<Known, 'hasFiles' | 'faults'> {
  /** Definitions that are shown, or are when they have been read. */
  readonly definitions: readonly PlotDefinition[];
  /** Numbers that are shown nowhere, as there were too many rows. */
  readonly leftOut: number;
}

export function plotInfo({ found, wanted, hosts, hasFiles, faults }: Known): PlotInfo {
  return {
    suggestions: found?.suggestions ?? [],
    events: found?.events ?? [],
    definitions: wanted ?? [],
    leftOut: hosts.reduce((sum, { tables }) => sum + tables.leftOut, 0),
    hasFiles,
    faults,
  };
}

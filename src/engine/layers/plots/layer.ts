/** Plots as a layer: what the kernel says about CPUs, disks and networks is read unasked, as long as there is little of it. */
import type { EventShape } from '../contract/event-shapes.ts';
import type { Layer, LayerInfo, LayerRow } from '../contract/layer.ts';
import {
  ASKED_PLOTS,
  BY_CPU,
  COUNTER_PLOTS,
  KERNEL_PLOTS,
  type PlotDefinition,
  resolvePlots,
  sourcesOf,
} from './definition.ts';
import { plotScheme, plotText } from './plot-values.ts';
import { plotMap, PLOTS, type PlotSettings } from './plot-map.ts';
import { PlotReducer, type PlotTables, type PlotTrack } from './plot-reducer.ts';

/** Most events, all plots together, that are read unasked. */
const FEW_EVENTS = 500_000;

interface PlotSuggestion {
  readonly definition: PlotDefinition;
  /** Events in the trace. */
  readonly events: number;
  /** True: it is not read before somebody asks for it. */
  readonly isAsked: boolean;
}

interface FoundPlots {
  readonly suggestions: readonly PlotSuggestion[];
  /** Events that a plot could be made of. */
  readonly events: readonly EventShape[];
}

export type PlotLayer = Layer<FoundPlots, readonly PlotDefinition[], PlotSettings, PlotTables>;

export const plotLayer: PlotLayer = {
  id: PLOTS,
  title: 'Plot',
  schemes: { [PLOTS]: plotScheme },
  tables: [KERNEL_PLOTS, COUNTER_PLOTS, ASKED_PLOTS],
  find({ events, countOf }) {
    const suggested = (plots: readonly PlotDefinition[], isAsked: boolean) =>
      resolvePlots(plots, events, countOf)
        .map((definition) => ({ definition, events: eventsOf(definition, countOf), isAsked }))
        .filter((suggestion) => suggestion.events > 0);
    const unasked = [...KERNEL_PLOTS, ...COUNTER_PLOTS];
    return { suggestions: [...suggested(unasked, false), ...suggested(ASKED_PLOTS, true)], events };
  },
  first({ suggestions }) {
    const unasked = suggestions.filter(({ isAsked }) => !isAsked);
    const all = unasked.reduce((sum, { events }) => sum + events, 0);
    return all > 0 && all <= FEW_EVENTS ? unasked.map(({ definition }) => definition) : undefined;
  },
  settings: ({ events, countOf }, wanted) => ({ definitions: resolvePlots(wanted, events, countOf) }),
  analysis: (settings) => ({
    ...plotMap.of(settings),
    version: 2,
    reducer: (sink) => new PlotReducer(sink, settings.definitions),
  }),
  rows: rowsOf,
  interval: (value) => ({ text: plotText(value), hasEnd: true }),
};

/** Each event once, however many numbers it gives. */
function eventsOf(definition: PlotDefinition, countOf: (event: string) => number): number {
  const names = new Set(sourcesOf(definition).flatMap(({ events }) => events));
  return [...names].reduce((sum, name) => sum + countOf(name), 0);
}

/** Rows of one definition stand together, in the order of what distinguishes them. */
function rowsOf({ definitions }: PlotSettings, { tracks, names }: PlotTables): LayerRow[] {
  const order = new Intl.Collator('en', { numeric: true });
  // The idle threads of all CPUs have one number.
  return tracks
    .filter(({ definition, key }) => definitions[definition].isOfThreads !== true || key !== '0')
    .sort((a, b) => a.definition - b.definition || order.compare(a.key, b.key))
    .map(({ definition, key, attribute, first }: PlotTrack) => {
      const { name, by, field, isOfThreads } = definitions[definition];
      if (isOfThreads === true) {
        const thread = { tid: Number(key), ns: 0, pid: -1, process: '' };
        const place = { key: `${definition}:${key}`, attribute, first, isPlot: true };
        return { ...place, name, subject: field, below: thread };
      }
      const words = names[definition][key] ?? (key === '' ? 'unnamed' : wordsOf(by, key));
      return {
        key: `${definition}:${key}`,
        name: name.replace('{}', () => words),
        attribute,
        subject: field,
        below: 'Resources',
        first,
        isPlot: true,
        isOfMachine: true,
      };
    });
}

function wordsOf(by: string, key: string): string {
  if (by === BY_CPU) return `CPU ${key}`;
  return by === 'dev' ? `${Number(key) >>> 20}:${Number(key) & 0xfffff}` : key;
}

type KnownPlots = LayerInfo<FoundPlots, readonly PlotDefinition[], PlotSettings, PlotTables>;

export interface PlotInfo extends FoundPlots, Pick<KnownPlots, 'hasFiles' | 'faults'> {
  /** Definitions that are shown, or are when they have been read. */
  readonly definitions: readonly PlotDefinition[];
  /** Numbers that are shown nowhere, as there were too many rows. */
  readonly leftOut: number;
}

export function plotInfo({ found, wanted, hosts, hasFiles, faults }: KnownPlots): PlotInfo {
  return {
    suggestions: found?.suggestions ?? [],
    events: found?.events ?? [],
    definitions: wanted ?? [],
    leftOut: hosts.reduce((sum, { tables }) => sum + tables.leftOut, 0),
    hasFiles,
    faults,
  };
}

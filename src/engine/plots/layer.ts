/** Plots as a layer: what the kernel says about CPUs, disks and networks is read unasked, as long as there is little of it. */
import type { EventShape } from '../layers/event-shapes.ts';
import type { Layer, LayerRow } from '../layers/layer.ts';
import { BY_CPU, KERNEL_PLOTS, type PlotDefinition, resolvePlots } from './definition.ts';
import { plotScheme, plotText } from './plot-values.ts';
import { PLOTS, type PlotTables, type PlotTrack } from './plot-reducer.ts';
import { plots, type PlotSettings } from './plots.ts';

/** With more events than this, all together, they are not read before someone asks for them. */
const FEW_EVENTS = 500_000;

export interface PlotSuggestion {
  readonly definition: PlotDefinition;
  /** Events in the trace. */
  readonly events: number;
}

export interface FoundPlots {
  readonly suggestions: readonly PlotSuggestion[];
  /** Everything that a plot could be made of. */
  readonly events: readonly EventShape[];
}

export type PlotLayer = Layer<FoundPlots, readonly PlotDefinition[], PlotSettings, PlotTables>;

export const plotLayer: PlotLayer = {
  id: PLOTS,
  title: 'Plot',
  schemes: { [PLOTS]: plotScheme },
  find({ events, countOf }) {
    const suggestions = resolvePlots(KERNEL_PLOTS, events, countOf)
      .map((definition) => ({ definition, events: countOf(definition.events[0]) }))
      .filter((suggestion) => suggestion.events > 0);
    return { suggestions, events };
  },
  first({ suggestions }) {
    const all = suggestions.reduce((sum, { events }) => sum + events, 0);
    return all > 0 && all <= FEW_EVENTS ? suggestions.map(({ definition }) => definition) : undefined;
  },
  settings: ({ events, countOf }, wanted) => ({ definitions: resolvePlots(wanted, events, countOf) }),
  analysis: plots,
  rows: rowsOf,
  interval: (value) => ({ text: plotText(value), hasEnd: true }),
};

/** Rows of one definition stand together, in the order of what distinguishes them. */
function rowsOf({ definitions }: PlotSettings, { tracks, names }: PlotTables): LayerRow[] {
  const order = new Intl.Collator('en', { numeric: true });
  return [...tracks]
    .sort((a, b) => a.definition - b.definition || order.compare(a.key, b.key))
    .map(({ definition, key, attribute, first }: PlotTrack) => {
      const { name, by, field } = definitions[definition];
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

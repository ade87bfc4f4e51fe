/** Overlays as a layer: pairs suggested by names of events are read unasked if they have few events. */
import { eventPairs, PAIR_TABLES } from '../contract/event-pairs.ts';
import type { EventShape } from '../contract/event-shapes.ts';
import type { Layer, LayerInfo, LayerRow, LayerTrace } from '../contract/layer.ts';
import { hasContext } from '../contract/switches.ts';
import { spanInterval, spanScheme } from '../contract/span-values.ts';
import { threadKeyOf } from '../contract/event-threads.ts';
import { isKind } from '../../trace/event-kinds.ts';
import type { Trace } from '../../trace/types.ts';
import { type OverlayDefinition, resolveOverlays } from './definition.ts';
import { overlayMap, OVERLAYS, type OverlaySettings } from './overlay-map.ts';
import { OverlayReducer, type OverlaySums, type OverlayTables } from './overlay-reducer.ts';

/** Suggestions with more events than this in total are not read unasked. */
const FEW_EVENTS = 200_000;

interface OverlaySuggestion {
  readonly definition: OverlayDefinition;
  /** Events of both names in the trace. */
  readonly events: number;
}

interface FoundOverlays {
  readonly suggestions: readonly OverlaySuggestion[];
  /** Events that could form a pair. */
  readonly events: readonly EventShape[];
}

export type OverlayLayer = Layer<FoundOverlays, readonly OverlayDefinition[], OverlaySettings, OverlayTables>;

export const overlayLayer: OverlayLayer = {
  id: OVERLAYS,
  title: 'Overlay',
  schemes: { [OVERLAYS]: spanScheme },
  tables: PAIR_TABLES,
  find({ events, countOf, isShown }) {
    const suggestions = suggestOverlays(events)
      .filter(({ begin, end }) => !(isShown(begin) && isShown(end)))
      .map((definition) => ({
        definition,
        events: countOf(definition.begin) + countOf(definition.end),
      }))
      .filter((suggestion) => suggestion.events > 0);
    return { suggestions, events };
  },
  first({ suggestions }) {
    const all = suggestions.reduce((sum, { events }) => sum + events, 0);
    return all > 0 && all <= FEW_EVENTS ? suggestions.map(({ definition }) => definition) : undefined;
  },
  settings: settingsOf,
  analysis: (settings, kernelThreads = () => undefined) => ({
    ...overlayMap.of(settings),
    version: 5,
    reducer: (sink, { index }) => new OverlayReducer(sink, settings.definitions, kernelThreads(index)),
  }),
  rows: rowsOf,
  interval: spanInterval,
};

function settingsOf(
  { experiment, events, kernelThreads }: LayerTrace,
  wanted: readonly OverlayDefinition[],
): OverlaySettings {
  const definitions = resolveOverlays(wanted, new Set(events.map(({ name }) => name)));
  const used = new Set(definitions.flatMap(({ begin, end }) => [begin, end]));
  const isNested = experiment.hosts.some(({ index }) => kernelThreads(index)?.namespaces.isNested);
  const kernel =
    events.some(({ name, domain }) => domain === 'kernel' && used.has(name)) ||
    (isNested && experiment.traces.some((trace) => lacksNamespace(trace, used)));
  return { definitions, kernel };
}

/** Whether user-space events give their thread without its pid namespace. */
function lacksNamespace({ domain, model }: Trace, used: ReadonlySet<string>): boolean {
  return (
    domain !== 'kernel' &&
    model.streams.some((stream) =>
      stream.events.some(
        (event) =>
          used.has(event.name ?? '') &&
          hasContext('vtid', stream, event) &&
          !hasContext('pid_ns', stream, event),
      ),
    )
  );
}

/** Rows, one for each level of a definition in a thread. */
function rowsOf({ definitions }: OverlaySettings, { tracks }: OverlayTables): LayerRow[] {
  return tracks.flatMap((track) =>
    track.attributes.map((attribute, level) => {
      const { name } = definitions[track.definition];
      return {
        key: `${threadKeyOf(track)}:${track.definition}:${level}`,
        name: level === 0 ? name : `${name}, level ${level + 1}`,
        attribute,
        subject: name,
        below: track,
        first: track.first,
      };
    }),
  );
}

const MOST_LABELS = 3;

/** Suggestions in order of name. @internal */
export function suggestOverlays(shapes: readonly EventShape[]): OverlayDefinition[] {
  return eventPairs(shapes).map(({ begin, end, common, key }) => ({
    name: common,
    begin: begin.name,
    end: end.name,
    key,
    acrossThreads: isKind('mark-across-threads', begin.name),
    label: isKind('mark', begin.name) ? ['name'] : begin.fields.slice(0, MOST_LABELS),
  }));
}

type KnownOverlays = LayerInfo<FoundOverlays, readonly OverlayDefinition[], OverlaySettings, OverlayTables>;

/** Spans of one name on one host. Durations, in ns, are of spans with both ends. */
interface OverlayStat extends OverlaySums {
  readonly name: string;
  readonly host: number;
  readonly meanNs: number;
}

export interface OverlayInfo extends FoundOverlays, Pick<KnownOverlays, 'hasFiles' | 'faults'> {
  /** Definitions that are shown now. */
  readonly definitions: readonly OverlayDefinition[];
  readonly stats: readonly OverlayStat[];
}

export function overlayInfo({
  found,
  wanted,
  settings,
  hosts,
  hasFiles,
  faults,
}: KnownOverlays): OverlayInfo {
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

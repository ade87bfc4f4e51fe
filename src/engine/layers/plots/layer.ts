/** Plots as a layer: kernel events about CPUs, disks and networks are read unasked if there are few. */
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
import { plotInterval, plotScheme, plotValue } from './plot-values.ts';
import { plotMap, PLOTS, type PlotSettings, keyText, P_LOSS, P_NAME, type PlotChunk } from './plot-map.ts';
import type { HistorySink } from '../../history/types.ts';
import { LayerReducer } from '../contract/layer-reducer.ts';

/** Most events of all plots together that are read unasked. */
const FEW_EVENTS = 500_000;

interface PlotSuggestion {
  readonly definition: PlotDefinition;
  readonly events: number;
  /** Whether it is read only on request. */
  readonly isAsked: boolean;
}

interface FoundPlots {
  readonly suggestions: readonly PlotSuggestion[];
  /** Events that a plot could use. */
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
  interval: plotInterval,
};

/** Number of events, each counted once however many numbers it gives. */
function eventsOf(definition: PlotDefinition, countOf: (event: string) => number): number {
  const names = new Set(sourcesOf(definition).flatMap(({ events }) => events));
  return [...names].reduce((sum, name) => sum + countOf(name), 0);
}

/** Rows of one definition together, in order of the distinguishing value. */
function rowsOf({ definitions }: PlotSettings, { tracks, names }: PlotTables): LayerRow[] {
  const order = new Intl.Collator('en', { numeric: true });
  // Idle threads of all CPUs have the same number.
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
  /** Definitions that are shown, or will be once they are read. */
  readonly definitions: readonly PlotDefinition[];
  /** Numbers not shown because there were too many rows. */
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

/** Rows of one definition, and of one for threads; numbers with other keys are only counted. */
const MOST_ROWS = 256;

const MOST_THREADS = 16_384;

interface PlotTrack {
  readonly definition: number;
  /** Key, unique within the definition. */
  readonly key: string;
  readonly attribute: number;
  /** HostNs of its first number. */
  readonly first: number;
}

export interface PlotTables {
  /** Tracks in order of the first number. */
  readonly tracks: readonly PlotTrack[];
  /** Names of keys, as far as recorded, by definition. */
  readonly names: readonly Readonly<Record<string, string>>[];
  /** Number of numbers left out: of keys that came after `MOST_ROWS` others. */
  readonly leftOut: number;
}

interface Track extends PlotTrack {
  /** The present number; for sums the sum so far. */
  number: number;
  /** Whether the present number is known, without a loss since. */
  isKnown: boolean;
}

class PlotReducer extends LayerReducer<PlotChunk, PlotTables> {
  readonly #sink: HistorySink;
  readonly #definitions: readonly PlotDefinition[];
  readonly #tracks: Track[] = [];
  /** Tracks by definition and key. */
  readonly #byKey: readonly Map<string, Track>[];
  readonly #names: Record<string, string>[];
  #leftOut = 0;
  /** The present chunk, and its tracks by definition and place of the key. */
  #chunk: PlotChunk | undefined;
  #ofChunk: (Track | null | undefined)[] = [];

  constructor(sink: HistorySink, definitions: readonly PlotDefinition[]) {
    super();
    this.#sink = sink;
    this.#definitions = definitions;
    this.#byKey = definitions.map(() => new Map<string, Track>());
    this.#names = definitions.map(() => ({}));
  }

  soFar(): PlotTables {
    return {
      tracks: this.#tracks.map(({ definition, key, attribute, first }) => {
        return { definition, key, attribute, first };
      }),
      names: this.#names.map((names) => ({ ...names })),
      leftOut: this.#leftOut,
    };
  }

  protected take(chunk: PlotChunk, i: number): void {
    if (chunk !== this.#chunk) {
      this.#chunk = chunk;
      this.#ofChunk = [];
    }
    this.#sink.moveTo(this.now);
    const kind = chunk.kind[i];
    const at = chunk.place[i];
    if (kind === P_LOSS) this.#lose();
    else if (kind < P_NAME) this.#change(chunk, kind, at);
    else this.#name(chunk, kind - P_NAME, at);
  }

  #change(chunk: PlotChunk, definition: number, at: number): void {
    const { args } = chunk;
    const track = this.#trackOf(chunk, definition, args[at]);
    if (track === null) {
      this.#leftOut++;
      return;
    }
    const { change, factor, unit, ends } = this.#definitions[definition];
    const number = args[at + 2] * 0x1_0000_0000 + (args[at + 1] >>> 0);
    track.isKnown = !ends.includes(number);
    if (!track.isKnown) {
      this.#sink.end(track.attribute);
      return;
    }
    track.number = change === 'set' ? number * factor : track.number + number * factor;
    this.#sink.set(track.attribute, plotValue(unit, track.number));
  }

  /** Handles a loss of numbers: the value since the last number is not known, nor what follows. */
  #lose(): void {
    for (const track of this.#tracks) {
      const { unit } = this.#definitions[track.definition];
      const notKnown = plotValue(unit, NaN);
      if (track.isKnown) this.#sink.settle(track.attribute, notKnown, notKnown);
      else this.#sink.set(track.attribute, notKnown);
      track.isKnown = false;
    }
  }

  #name({ args, texts, ...chunk }: PlotChunk, definition: number, at: number): void {
    const text = texts[args[at + 1]];
    if (text) this.#names[definition][keyText({ args, texts, ...chunk }, args[at])] = text;
  }

  /** Null: there is no room for it. */
  #trackOf(chunk: PlotChunk, definition: number, key: number): Track | null {
    const place = key * this.#definitions.length + definition;
    const known = this.#ofChunk[place];
    if (known !== undefined) return known;
    const text = keyText(chunk, key);
    const byKey = this.#byKey[definition];
    let track = byKey.get(text);
    const most = this.#definitions[definition].isOfThreads === true ? MOST_THREADS : MOST_ROWS;
    if (track === undefined && byKey.size < most) {
      const attribute = this.#sink.attribute([PLOTS, String(definition), text], 'state');
      track = { definition, key: text, attribute, first: this.now, number: 0, isKnown: false };
      byKey.set(text, track);
      this.#tracks.push(track);
    }
    return (this.#ofChunk[place] = track ?? null);
  }
}

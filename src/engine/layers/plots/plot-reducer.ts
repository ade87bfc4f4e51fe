/** Numbers of all streams in their total order → the value of each row over time, as intervals. */
import type { HistorySink } from '../../history/types.ts';
import { LayerReducer } from '../contract/layer-reducer.ts';
import type { PlotDefinition } from './definition.ts';
import { keyText, P_LOSS, P_NAME, type PlotChunk, PLOTS } from './plot-map.ts';
import { plotValue } from './plot-values.ts';

/** Rows of one definition, and of one of threads; what has other keys is counted only. */
const MOST_ROWS = 256;
const MOST_THREADS = 16_384;

/** Row of a plot. */
export interface PlotTrack {
  readonly definition: number;
  /** Key that distinguishes it from the others of its definition. */
  readonly key: string;
  readonly attribute: number;
  /** HostNs of its first number. */
  readonly first: number;
}

export interface PlotTables {
  /** Tracks in order of the first number. */
  readonly tracks: readonly PlotTrack[];
  /** Names of keys, as far as they are recorded, by definition. */
  readonly names: readonly Readonly<Record<string, string>>[];
  /** Numbers that had no room: of the keys that came after `MOST_ROWS` others. */
  readonly leftOut: number;
}

interface Track extends PlotTrack {
  /** The number as it is; of a sum so far. */
  number: number;
  /** True: it has a number now, which no loss made unsure. */
  isKnown: boolean;
}

export class PlotReducer extends LayerReducer<PlotChunk, PlotTables> {
  readonly #sink: HistorySink;
  readonly #definitions: readonly PlotDefinition[];
  readonly #tracks: Track[] = [];
  /** Tracks by definition and key. */
  readonly #byKey: readonly Map<string, Track>[];
  readonly #names: Record<string, string>[];
  #leftOut = 0;
  /** The chunk at hand, and its tracks by definition and place of the key. */
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

  /** Numbers may have been lost: what lasts until now, since the number before it, is not known, nor what follows. */
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

  /** null: there is no room for it. */
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

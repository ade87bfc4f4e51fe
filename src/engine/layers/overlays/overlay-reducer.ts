/** Pairs begins with ends in total order, and writes spans as intervals of their thread, each on the lowest free level. */
import { addTo } from '../../base/group-by.ts';
import type { HistorySink } from '../../history/types.ts';
import { nestedNamespace } from '../../linux/namespaces/facts.ts';
import { NOBODY_KNOWN } from '../../linux/namespaces/namespace-threads.ts';
import type { LayerThread } from '../contract/layer.ts';
import { LayerReducer } from '../contract/layer-reducer.ts';
import { SPAN_COLOURS, spanValue, withoutEnd } from '../contract/span-values.ts';
import { type KernelThreads, threadKeyOf, type ThreadNumber } from '../contract/event-threads.ts';
import type { OverlayDefinition } from './definition.ts';
import { O_BEGIN, O_END, O_SWITCH, type OverlayChunk, OVERLAYS } from './overlay-map.ts';

/** Depth to which nested spans are drawn; deeper ones are only counted. @internal */
export const MOST_LEVELS = 16;

interface OverlayTrack extends LayerThread {
  readonly definition: number;
  /** HostNs of its first span's begin. */
  readonly first: number;
  /** Attributes by level. */
  readonly attributes: readonly number[];
}

/** Sums of one definition on one host. Durations, in ns, are of spans with both ends. */
export interface OverlaySums {
  readonly spans: number;
  readonly totalNs: number;
  readonly maxNs: number;
  /** Ends whose begin was not recorded. */
  readonly withoutBegin: number;
  /** Begins whose end was not recorded, or may have been lost. */
  readonly withoutEnd: number;
  /** Spans below `MOST_LEVELS` others. */
  readonly tooDeep: number;
}

export interface OverlayTables {
  /** Tracks in order of the first span. */
  readonly tracks: readonly OverlayTrack[];
  /** Sums by definition. */
  readonly sums: readonly OverlaySums[];
}

interface Span {
  readonly track: Track;
  /** -1: too deep to be drawn. */
  readonly level: number;
  readonly begin: number;
  readonly value: number;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface Track extends Writable<Omit<OverlayTrack, 'attributes'>> {
  attributes: number[];
  /** Open spans by level. */
  open: (Span | undefined)[];
  /** Tone of the last span of each level. */
  tones: number[];
}

type NamedThreads = Pick<KernelThreads, 'namespaces' | 'end'>;

export class OverlayReducer extends LayerReducer<OverlayChunk, OverlayTables> {
  readonly #definitions: readonly OverlayDefinition[];
  readonly #sink: HistorySink;
  readonly #tracks = new Map<string, Track>();
  readonly #sums: Writable<OverlaySums>[];
  /** Open spans that an end could close, by definition, thread and key; it closes the last one. */
  readonly #keyed = new Map<string, Span[]>();
  /** Open spans of definitions without key, kept apart as each loss visits all of them. */
  readonly #keyless = new Map<string, Span[]>();
  /** Tid that runs by CPU, as far as switches show. */
  readonly #running = new Map<number, number>();
  readonly #kernel: NamedThreads | undefined;

  /** @param kernel undefined: nothing is known of threads in nested namespaces */
  constructor(sink: HistorySink, definitions: readonly OverlayDefinition[], kernel?: NamedThreads) {
    super();
    this.#sink = sink;
    this.#kernel = kernel;
    this.#definitions = definitions;
    this.#sums = definitions.map(() => {
      return { spans: 0, totalNs: 0, maxNs: 0, withoutBegin: 0, withoutEnd: 0, tooDeep: 0 };
    });
  }

  soFar(): OverlayTables {
    return {
      tracks: [...this.#tracks.values()].map(({ definition, tid, ns, pid, process, first, attributes }) => {
        return { definition, tid, ns, pid, process, first, attributes: [...attributes] };
      }),
      sums: this.#sums.map((sums) => ({ ...sums })),
    };
  }

  /** Finishes; open spans go on to the end of the history. */
  override finish(): OverlayTables {
    for (const open of [this.#keyed, this.#keyless]) {
      for (const span of [...open.values()].flat()) this.#giveUp(span);
      open.clear();
    }
    return this.soFar();
  }

  protected take(chunk: OverlayChunk, i: number): void {
    this.#sink.moveTo(this.now);
    const at = chunk.place[i];
    const kind = chunk.kind[i];
    if (kind === O_BEGIN) this.#begin(chunk, at, this.#threadOf(chunk, i));
    else if (kind === O_END) this.#end(chunk, at, this.#threadOf(chunk, i));
    else if (kind === O_SWITCH) this.#running.set(chunk.cpu[i], chunk.args[at]);
    else this.#lose(chunk.cpu[i]);
  }

  #begin({ args, texts }: OverlayChunk, at: number, thread: ThreadNumber): void {
    const definition = args[at];
    const track = this.#trackOf(definition, thread);
    if (track.pid < 0) track.pid = args[at + 4];
    if (track.process === '') track.process = texts[args[at + 5]] ?? '';
    const level = this.#freeLevel(track);
    const text = texts[args[at + 3]] || this.#definitions[definition].name;
    const tone = level < 0 ? 0 : (track.tones[level] = 1 - (track.tones[level] ?? 1));
    const value = spanValue(definition % SPAN_COLOURS, tone, this.#sink.string(text));
    const span = { track, level, begin: this.now, value };
    if (level < 0) this.#sums[definition].tooDeep++;
    else {
      track.open[level] = span;
      this.#sink.set(track.attributes[level], value);
    }
    addTo(this.#openOf(definition), this.#keyOf(definition, thread, texts[args[at + 2]]), span);
  }

  #end({ args, texts }: OverlayChunk, at: number, thread: ThreadNumber): void {
    const definition = args[at];
    const sums = this.#sums[definition];
    const key = this.#keyOf(definition, thread, texts[args[at + 2]]);
    const open = this.#openOf(definition);
    const spans = open.get(key);
    const span = spans?.pop();
    if (spans?.length === 0) open.delete(key);
    if (span === undefined) {
      sums.withoutBegin++;
      return;
    }
    const length = this.now - span.begin;
    sums.spans++;
    sums.totalNs += length;
    sums.maxNs = Math.max(sums.maxNs, length);
    this.#close(span);
  }

  /** Ends open spans without key: ends may have been lost, and order alone does not tell which. */
  #lose(cpu: number): void {
    this.#running.delete(cpu);
    for (const span of [...this.#keyless.values()].flat()) {
      this.#giveUp(span);
      this.#close(span);
    }
    this.#keyless.clear();
  }

  /** Ends a span whose end will not be known. */
  #giveUp({ track, level, value }: Span): void {
    this.#sums[track.definition].withoutEnd++;
    if (level < 0) return;
    const past = withoutEnd(value);
    this.#sink.settle(track.attributes[level], past, past);
  }

  #close({ track, level, begin }: Span): void {
    if (level < 0) return;
    // A span without length leaves nothing, and the next must differ from the span before it.
    if (begin === this.now) track.tones[level] = 1 - track.tones[level];
    track.open[level] = undefined;
    this.#sink.end(track.attributes[level]);
  }

  /**
   * Thread of an event. Events without one, such as kernel events, happen in the thread that runs. Idle threads of
   * CPUs are distinguished. A number in an unknown nested namespace is kept, as it is not the host's.
   */
  #threadOf({ args, place, cpu, namespace }: OverlayChunk, i: number): ThreadNumber {
    const vtid = args[place[i] + 1];
    const { namespaces, end = Infinity } = this.#kernel ?? {};
    const running = this.now <= end ? (this.#running.get(cpu[i]) ?? -1) : -1;
    if (vtid < 0) return { tid: running === 0 ? -2 - cpu[i] : running, ns: 0 };
    const tid = namespaces?.tidOf(vtid, namespace[i], this.now, running) ?? NOBODY_KNOWN;
    return tid === NOBODY_KNOWN ? { tid: vtid, ns: nestedNamespace(namespace[i]) } : { tid, ns: 0 };
  }

  #openOf(definition: number): Map<string, Span[]> {
    return this.#definitions[definition].key.length > 0 ? this.#keyed : this.#keyless;
  }

  #keyOf(definition: number, thread: ThreadNumber, key: string): string {
    const own = this.#definitions[definition].acrossThreads ? '' : threadKeyOf(thread);
    return `${definition} ${own} ${key}`;
  }

  #trackOf(definition: number, { tid, ns }: ThreadNumber): Track {
    const key = `${definition} ${threadKeyOf({ tid, ns })}`;
    let track = this.#tracks.get(key);
    if (track === undefined) {
      const first = this.now;
      track = { definition, tid, ns, pid: -1, process: '', first, attributes: [], open: [], tones: [] };
      this.#tracks.set(key, track);
    }
    return track;
  }

  /** Lowest free level, -1: there is none. */
  #freeLevel(track: Track): number {
    const { open, attributes, definition } = track;
    let level = 0;
    while (open[level] !== undefined) level++;
    if (level === MOST_LEVELS) return -1;
    // Names may be equal, but the number is unique.
    const path = [
      OVERLAYS,
      `${definition} ${this.#definitions[definition].name}`,
      threadKeyOf(track),
      String(level),
    ];
    attributes[level] ??= this.#sink.attribute(path, 'state');
    return level;
  }
}

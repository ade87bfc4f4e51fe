/** The overlays of an open trace: what is suggested, what is shown, and its change. */
import type { Fault } from '../../base/fault.ts';
import type { Interval } from '../../history/query-types.ts';
import type { OverlayDefinition } from '../../overlays/definition.ts';
import { type EventShape, eventShapes } from '../../overlays/event-shapes.ts';
import { suggestOverlays } from '../../overlays/suggestions.ts';
import { namespaces } from '../../kernel/namespaces/namespaces.ts';
import { hasEnd, textOf } from '../../overlays/values.ts';
import { type KernelThreads, threadKeyOf } from '../../overlays/overlay-reducer.ts';
import type { Store } from '../../store/types.ts';
import type { Experiment } from '../../trace/types.ts';
import type { IntervalInfo } from '../api.ts';
import type { SessionEnvironment } from '../environment.ts';
import { namespacesOfHost } from '../host-namespaces.ts';
import type { OpenTrace } from '../open-trace.ts';
import type { RowInfo } from '../rows/rows-api.ts';
import { counts } from '../statistics/count-stats.ts';
import { recordsOf } from '../stored-trace.ts';
import type { OverlayInfo, OverlayStat, OverlaySuggestion } from './overlay-api.ts';
import { withOverlayRows } from './overlay-rows.ts';
import {
  hashOf,
  type HostOverlays,
  NO_OVERLAYS,
  type OverlayRun,
  reopenRun,
  runOverlays,
  storedRun,
  type StoredRun,
} from './overlay-run.ts';

/** Suggestions with more events than this, all together, are not shown before someone asks for them. */
const FEW_EVENTS = 200_000;
/** The record of `StoredOverlays`. */
const RECORD = 'overlays';

interface StoredOverlays {
  readonly suggestions: readonly OverlaySuggestion[];
  readonly definitions: readonly OverlayDefinition[];
  readonly events: readonly EventShape[];
  readonly run: StoredRun;
}

export interface OverlaySource {
  readonly environment: SessionEnvironment;
  readonly store: Store;
  readonly key: string;
  /** undefined: opened from the store without its files. */
  readonly experiment: Experiment | undefined;
  readonly trace: OpenTrace;
  /** Hears of what is stored and cannot be read. */
  readonly onFault?: (fault: Fault) => void;
}

export class SessionOverlays {
  readonly #source: OverlaySource;
  #suggestions: readonly OverlaySuggestion[] = [];
  #definitions: readonly OverlayDefinition[] = [];
  #events: readonly EventShape[] = [];
  #run: OverlayRun = NO_OVERLAYS;
  #abort = new AbortController();
  #isClosed = false;

  constructor(source: OverlaySource) {
    this.#source = source;
  }

  /** Takes what is stored of the trace. False: nothing is. */
  async reopen(): Promise<boolean> {
    const { store, key, onFault } = this.#source;
    const stored = (await store.read(key, RECORD)) as StoredOverlays | undefined;
    const run = stored && (await reopenRun(stored.run, recordsOf(store, key), onFault));
    if (stored === undefined || run === undefined) return false;
    this.#suggestions = stored.suggestions;
    this.#definitions = stored.definitions;
    this.#events = stored.events;
    this.#run = run;
    return true;
  }

  /**
   * Finds what is suggested, and shows it if it has few events. Of a trace without such pairs nothing is read.
   * @param isWhole false: reading was stopped, and nothing more is read unless someone asks for it
   */
  async begin(isWhole: boolean): Promise<void> {
    const { experiment, trace } = this.#source;
    if (experiment === undefined) return;
    this.#events = eventShapes(experiment);
    const { events } = await counts.answer({ trace }, {});
    const countOf = (name: string) => events.find((event) => event.name === name)?.count ?? 0;
    this.#suggestions = suggestOverlays(this.#events)
      .map((definition) => ({
        definition,
        events: countOf(definition.begin) + countOf(definition.end),
      }))
      .filter((suggestion) => suggestion.events > 0);
    const all = this.#suggestions.reduce((sum, suggestion) => sum + suggestion.events, 0);
    if (isWhole && all > 0 && all <= FEW_EVENTS)
      await this.change(this.#suggestions.map(({ definition }) => definition));
  }

  /** Shows these; the files are read again. Cancels a change that is under way. False: without files, or cancelled. */
  async change(definitions: readonly OverlayDefinition[]): Promise<boolean> {
    const { environment, store, key, experiment, trace } = this.#source;
    if (experiment === undefined || this.#isClosed) return false;
    this.#abort.abort();
    const abort = (this.#abort = new AbortController());
    const kernelThreads = await this.#kernelThreads();
    const run = await runOverlays({
      environment,
      experiment,
      definitions,
      records: recordsOf(store, key),
      kernelThreads: (host) => kernelThreads[host],
      endOf: (host) => trace.hosts[host].query.extent().to,
      signal: abort.signal,
    });
    if (run === undefined || abort.signal.aborted) return false;
    this.#definitions = definitions;
    this.#run = run;
    const stored: StoredOverlays = {
      suggestions: this.#suggestions,
      definitions,
      events: this.#events,
      run: storedRun(run),
    };
    // A store that refuses leaves them in memory.
    await store.write(key, [{ name: RECORD, value: stored }]);
    return true;
  }

  /** Nothing is read any more. */
  close(): void {
    this.#isClosed = true;
    this.#abort.abort();
  }

  /** Of the trace whose overlays they are. */
  get key(): string {
    return this.#source.key;
  }

  get hosts(): readonly HostOverlays[] {
    return this.#run.hosts;
  }

  info(): OverlayInfo {
    return {
      suggestions: this.#suggestions,
      definitions: this.#definitions,
      stats: this.#run.hosts.flatMap((host) => this.#statsOf(host)),
      events: this.#events,
      hasFiles: this.#source.experiment !== undefined,
      faults: this.#run.faults,
    };
  }

  /** Names of what is shown, as the tables number it. */
  get names(): readonly string[] {
    return this.#run.settings.definitions.map(({ name }) => name);
  }

  rows(rows: readonly RowInfo[]): RowInfo[] {
    const { names } = this;
    const { time } = this.#source.trace;
    const hash = hashOf(this.#run.settings);
    const hosts = this.#run.hosts.map(({ index, tables }) => ({
      index,
      names,
      hash,
      tables,
      clock: time.of(index),
    }));
    return withOverlayRows(rows, hosts);
  }

  /** The span of a row ('overlay:HOST:THREAD:DEFINITION:LEVEL:HASH') at a display time, or the one beside it. */
  async interval(row: string, timeNs: number, step: -1 | 0 | 1 = 0): Promise<IntervalInfo | undefined> {
    const [hostIndex, thread, ...place] = row.split(':').slice(1, 5);
    const index = Number(hostIndex);
    const [definition, level] = place.map(Number);
    if (!row.endsWith(`:${hashOf(this.#run.settings)}`)) return undefined;
    const host = this.#run.hosts.find((other) => other.index === index);
    const track = host?.tables.tracks.find(
      (one) => threadKeyOf(one) === thread && one.definition === definition,
    );
    const attribute = track?.attributes[level];
    if (host === undefined || attribute === undefined) return undefined;
    const clock = this.#source.trace.time.of(index);
    const here = await host.query.at(attribute, clock.toHost(timeNs));
    if (here === undefined) return undefined;
    const found = step === 0 ? here : await beside(host, here, step);
    if (found === undefined) return undefined;
    const [previous, next] = [await beside(host, found, -1), await beside(host, found, 1)];
    const shown = (interval: Interval) => ({
      from: clock.toExperiment(interval.from),
      to: clock.toExperiment(interval.to),
      value: interval.value,
      stateText: host.query.text(textOf(interval.value)),
    });
    return {
      row,
      ...shown(found),
      state: 0,
      overlay: { name: this.names[definition], hasEnd: hasEnd(found.value) },
      previous: previous && shown(previous),
      next: next && shown(next),
    };
  }

  /** By host; undefined where no kernel's trace tells of threads. */
  #kernelThreads(): Promise<(KernelThreads | undefined)[]> {
    const { hosts, leaves } = this.#source.trace;
    return Promise.all(
      hosts.map(async ({ index, tables }) => {
        if (tables === undefined) return undefined;
        const end = Math.max(...tables.cpus.map(({ last }) => last));
        return { namespaces: namespacesOfHost(await leaves(namespaces.id), index), end };
      }),
    );
  }

  #statsOf({ index, tables }: HostOverlays): OverlayStat[] {
    return tables.sums
      .map((sums, definition) => ({
        name: this.names[definition],
        host: index,
        ...sums,
        meanNs: sums.spans === 0 ? 0 : sums.totalNs / sums.spans,
      }))
      .filter(({ spans, withoutBegin, withoutEnd }) => spans + withoutBegin + withoutEnd > 0);
  }
}

/** The nearest span before or after; there may be a gap. */
async function beside(
  { query }: HostOverlays,
  { attribute, from, to }: Interval,
  step: -1 | 1,
): Promise<Interval | undefined> {
  const extent = query.extent();
  if (step > 0) return (await query.intervals(attribute, to, extent.to, 1))[0];
  // Looks back farther and farther, so that few intervals are read.
  for (let reach = to - from; ; reach *= 8) {
    const since = Math.max(extent.from, from - reach);
    const found = (await query.intervals(attribute, since, from)).at(-1);
    if (found !== undefined || since === extent.from) return found;
  }
}

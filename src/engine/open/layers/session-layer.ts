/** One layer of an open trace: what could be shown, what is shown, and changes of that. */
import type { AnyAggregate } from '../../analysis/analysis-set.ts';
import { assert } from '../../base/assert.ts';
import type { Fault } from '../../base/fault.ts';
import { greater } from '../../base/lesser.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import type { Interval } from '../../history/query-types.ts';
import { type CountsChunk, counts as eventCounts } from '../../linux/sums/counts.ts';
import { namespaces } from '../../linux/namespaces/namespaces.ts';
import { eventShapes } from '../../layers/contract/event-shapes.ts';
import type {
  AnyLayer,
  Layer,
  LayerInfo,
  LayerRow,
  LayerTrace,
  ReadHost,
} from '../../layers/contract/layer.ts';
import { LAYERS } from '../../registry.ts';
import type { Store } from '../../store/types.ts';
import type { Experiment } from '../../trace/types.ts';
import type { IntervalInfo } from '../../protocol/rows.ts';
import type { OnDamage } from '../damage.ts';
import type { SessionEnvironment } from '../environment.ts';
import { isKernelHost } from '../../answers/context/host.ts';
import { namespacesOfHost } from '../../answers/context/host-namespaces.ts';
import type { OpenTrace } from '../../answers/context/open-trace.ts';
import { programHosts } from '../../answers/rows/program-threads.ts';
import { counts } from '../../answers/statistics/count-stats.ts';
import { recordsOf } from '../stored-trace.ts';
import type { PlacedRow } from './layer-rows.ts';
import { hashOf, type LayerHost, type LayerRun, reopenLayer, runLayer } from './layer-run.ts';

/** The trace that layers are of. */
export interface LayerSource {
  readonly environment: SessionEnvironment;
  readonly store: Store;
  readonly key: string;
  /** undefined: opened from the store without its files. */
  readonly experiment: Experiment | undefined;
  readonly trace: OpenTrace;
  /** Called with the layer's id when a stored part of the layer cannot be read. */
  readonly onDamage?: OnDamage;
}

/** The record of what is shown of the layer. */
interface StoredLayer<Found, Wanted, Settings> {
  readonly found: Found;
  readonly wanted: Wanted;
  readonly settings: Settings;
}

export class SessionLayer<Found, Wanted, Settings, Tables, Log = Tables> {
  #found: Found | undefined;
  /** Latest choice, or the default that will be read. */
  #wanted: Wanted | undefined;
  #run: LayerRun<Settings, Tables> | undefined;
  /** Rows of the run, by id. */
  #rows = new Map<string, { readonly host: LayerHost<Tables>; readonly row: LayerRow }>();
  /** Aborts the latest change; undefined: there was none. */
  #abort: AbortController | undefined;
  #isClosed = false;

  /** @param word prefix of the ids of its rows */
  constructor(
    private readonly word: string,
    private readonly layer: Layer<Found, Wanted, Settings, Tables, Log>,
    private readonly source: LayerSource,
  ) {}

  /** Loads what is stored of the trace. False: nothing is. */
  async reopen(): Promise<boolean> {
    const records = this.#records;
    const stored = (await records.read(this.#record)) as StoredLayer<Found, Wanted, Settings> | undefined;
    const run = stored && (await this.#kept(stored.settings, true));
    if (stored === undefined || run === undefined) return false;
    this.#found = stored.found;
    this.#show(stored.wanted, run);
    return true;
  }

  /**
   * Finds what could be shown, and what is shown by default: nothing if the trace lacks the layer's events.
   * @param isWhole false: reading was stopped, and nothing more is read unless the user asks for it
   */
  async look(isWhole: boolean): Promise<void> {
    if (this.#isClosed) return;
    const found = await this.find();
    if (isWhole && found !== undefined) this.#wanted ??= this.layer.first(found);
  }

  /** Reads what is shown by default, unless the user chose something meanwhile. */
  async begin(): Promise<void> {
    if (this.#wanted === undefined || this.#abort !== undefined) return;
    const change = this.change(this.#wanted);
    const controller = this.#abort;
    await change.catch((error: unknown) => {
      // Reading may begin again later.
      if (this.#abort === controller) this.#abort = undefined;
      throw error;
    });
  }

  /** Finds what could be shown. Undefined: the files are missing, and nothing is stored. */
  async find(): Promise<Found | undefined> {
    if (this.source.experiment === undefined) return this.#found;
    return (this.#found ??= this.layer.find(await layerTrace(this.source)));
  }

  /** Shows something else, read from the files if new. Cancels a pending change. False: without files, or cancelled. */
  async change(wanted: Wanted): Promise<boolean> {
    const { environment, experiment, trace } = this.source;
    if (experiment === undefined || this.#isClosed) return false;
    this.#wanted = wanted;
    this.#abort?.abort();
    const { signal } = (this.#abort = new AbortController());
    const known = await layerTrace(this.source);
    const settings = this.layer.settings(known, wanted);
    const records = this.#records;
    const kernels = trace.hosts.map((host) => (isKernelHost(host) ? host : undefined));
    const request = {
      environment,
      trace: known,
      records,
      ends: await lastEvents(this.source),
      kernels,
      lastOf: await lastOfThreads(trace),
      signal,
    };
    const run = (await this.#kept(settings)) ?? (await runLayer(this.layer, settings, request));
    if (run === undefined || signal.aborted) return false;
    this.#found ??= this.layer.find(known);
    this.#show(wanted, run);
    const stored: StoredLayer<Found, Wanted, Settings> = { found: this.#found, wanted, settings };
    // If the store refuses, it stays in memory.
    await records.write([{ name: this.#record, value: stored }]);
    return true;
  }

  /** Ends reading. */
  close(): void {
    this.#isClosed = true;
    this.#abort?.abort();
  }

  get info(): LayerInfo<Found, Wanted, Settings, Tables> {
    const { settings, faults = [] } = this.#run ?? {};
    const hasFiles = this.source.experiment !== undefined;
    return { found: this.#found, wanted: this.#wanted, settings, hosts: this.hosts, hasFiles, faults };
  }

  get hosts(): readonly LayerHost<Tables>[] {
    return this.#run?.hosts ?? [];
  }

  rows(): PlacedRow[] {
    const { time } = this.source.trace;
    return Array.from(this.#rows, ([id, { host, row }]) => {
      return { ...row, id, word: this.word, host: host.index, clock: time.of(host.index) };
    });
  }

  /** The interval of a row at a display time, or an adjacent one. */
  async interval(row: string, timeNs: DisplayNs, step: -1 | 0 | 1 = 0): Promise<IntervalInfo | undefined> {
    const shown = this.#rows.get(row);
    if (shown === undefined) return undefined;
    const { host } = shown;
    const { attribute, subject } = shown.row;
    const clock = this.source.trace.time.of(host.index);
    const here = await host.query.at(attribute, clock.toHost(timeNs));
    const found = here === undefined || step === 0 ? here : await adjacentInterval(host, here, step);
    if (found === undefined) return undefined;
    const [previous, next] = [
      await adjacentInterval(host, found, -1),
      await adjacentInterval(host, found, 1),
    ];
    const textOf = (text: number) => host.query.text(text);
    const words = ({ from, to, value }: Interval) => ({
      from: clock.toExperiment(from),
      to: clock.toExperiment(to),
      value,
      stateText: this.layer.interval(value, textOf).text,
    });
    const { hasEnd } = this.layer.interval(found.value, textOf);
    return {
      row,
      ...words(found),
      state: 0,
      layer: { title: this.layer.title, subject, hasEnd },
      previous: previous && words(previous),
      next: next && words(next),
    };
  }

  /** @param isShown whether it was shown last, so that something is stored of it */
  #kept(settings: Settings, isShown = false): Promise<LayerRun<Settings, Tables> | undefined> {
    const onFault = (fault: Fault) => this.source.onDamage?.(this.layer.id, fault);
    return reopenLayer(this.layer, settings, this.#records, onFault, isShown);
  }

  get #records() {
    return recordsOf(this.source.store, this.source.key);
  }

  get #record(): string {
    return `${this.layer.id}/shown`;
  }

  #show(wanted: Wanted, run: LayerRun<Settings, Tables>): void {
    this.#wanted = wanted;
    this.#run = run;
    this.#rows = new Map();
    // Other settings give other rows.
    const hash = hashOf(this.layer.id, run.settings);
    for (const host of run.hosts)
      for (const row of this.layer.rows(run.settings, host.tables))
        this.#rows.set(`${this.word}:${host.index}:${row.key}:${hash}`, { host, row });
  }
}

/** Facts about a trace that was read; cached. */
const layerTrace = cachedByKey(async ({ experiment, trace }: LayerSource): Promise<LayerTrace> => {
  assert(experiment !== undefined, 'files are there');
  const { events } = await counts.answer({ trace }, {});
  const recorded = new Map(events.map(({ name, count }) => [name, count]));
  const threads = await Promise.all(
    trace.hosts.map(async ({ index, tables }) => {
      if (tables === undefined) return undefined;
      const end = Math.max(...tables.cpus.map(({ last }) => last));
      const { threads } = tables;
      return { namespaces: namespacesOfHost(await trace.chunkResults(namespaces.id), index), threads, end };
    }),
  );
  const declared = {
    events: eventShapes(experiment),
    countOf: (event: string) => recorded.get(event) ?? 0,
  };
  const shown = new Set(Object.values<AnyLayer>(LAYERS).flatMap((layer) => layer.shows?.(declared) ?? []));
  return {
    experiment,
    ...declared,
    kernelThreads: (host) => threads[host],
    isShown: (event) => shown.has(event),
  };
});

/** Time of each host's last event, or of the end of its kernel trace, by host; cached. */
const lastEvents = cachedByKey(async ({ trace }: LayerSource): Promise<readonly HostNs[]> => {
  const chunkResults = await trace.chunkResults(eventCounts.id);
  return trace.hosts.map(({ index, query }) => {
    const { events } = eventCounts.finish(
      chunkResults.whole(eventCounts as AnyAggregate, index) as CountsChunk,
    );
    return events.reduce((end, { last }) => greater(end, last), query.extent().to);
  });
});

/** Time of each thread's last event, by host; with a kernel trace that says nothing of the thread's end. */
async function lastOfThreads(trace: OpenTrace): Promise<ReadHost['lastOf'][]> {
  const hosts = trace.hosts.every(isKernelHost) ? [] : await programHosts(trace);
  return trace.hosts.map((host, place) => (thread) => {
    const row = isKernelHost(host) ? -1 : hosts[place].rowOf(thread);
    return row < 0 ? Infinity : hosts[place].threads.to[row];
  });
}

/** The nearest interval before or after, possibly behind a gap. */
async function adjacentInterval(
  { query }: LayerHost<unknown>,
  { attribute, from, to }: Interval,
  step: -1 | 1,
): Promise<Interval | undefined> {
  const extent = query.extent();
  if (step > 0) return (await query.intervals(attribute, to, extent.to, 1))[0];
  // The range looked back over grows, so that few intervals are read.
  for (let reach = to - from; ; reach *= 8) {
    const since = Math.max(extent.from, from - reach);
    const found = (await query.intervals(attribute, since, from)).at(-1);
    if (found !== undefined || since === extent.from) return found;
  }
}

/** The contract of a layer: events of a trace that are read after it was opened, with settings of their own. */
import type { AnyAnalysis } from '../../analysis/analysis-set.ts';
import type {
  EventBatch,
  EventMap,
  HistoryAnalysis,
  KindRequest,
  ProjectionPlan,
  TransitionChunk,
} from '../../analysis/contract.ts';
import type { Fault } from '../../base/fault.ts';
import { cachedByKey } from '../../base/cached-by-key.ts';
import type { HostNs } from '../../base/units.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { HistorySink, ValueScheme } from '../../history/types.ts';
import type { StateTables } from '../../linux/states/reduce/kernel-tables.ts';
import type { KernelLogs } from '../../linux/states/reduce/kernel-model.ts';
import type { Experiment } from '../../trace/types.ts';
import type { EventShape } from './event-shapes.ts';
import type { KernelThreads, ThreadNumber } from './event-threads.ts';

/** Facts about a trace before a layer is read. */
export interface LayerTrace {
  readonly experiment: Experiment;
  readonly events: readonly EventShape[];
  countOf(event: string): number;
  /** Threads of a host by its kernel trace; undefined: it has none. */
  kernelThreads(host: number): KernelThreads | undefined;
  /** Whether a registered layer shows an event without being asked (`Layer.shows`). */
  isShown(event: string): boolean;
}

/** Kernel trace of a host, read to its end. */
export interface LayerKernel {
  readonly tables: StateTables;
  readonly query: HistoryQuery;
  /** Signals and packets, read from the store on first use. */
  readonly logs: () => Promise<KernelLogs>;
}

/** A host for which all events of a layer were read. */
export interface ReadHost {
  /** Index in `Experiment.hosts`. */
  readonly index: number;
  /** HostNs of the host's last event, including events that the layer does not read. */
  readonly end: HostNs;
  /** Undefined: no kernel trace. */
  readonly kernel: LayerKernel | undefined;
  /** HostNs of a thread's last event, if no kernel trace tells its end; Infinity: not known. */
  readonly lastOf: (thread: ThreadNumber) => HostNs;
  /** Aborted when nobody wants the result any more. */
  readonly signal: AbortSignal;
  /** False: rows are not shown, so that layers write only those that answers need. Default: true. */
  readonly showsRows?: boolean;
}

/** Plain data, kept with the trace, except `Log`, the analysis's result, which is `Tables` without `complete`. */
export interface Layer<Found, Wanted, Settings, Tables, Log = Tables> {
  /** Prefix of the ids of its analyses and the names of its records; unique among layers and analyses. */
  readonly id: string;
  /** Name of one of its rows. */
  readonly title: string;
  /** Schemes of values by the first segment of an attribute's path. */
  readonly schemes: Readonly<Record<string, ValueScheme>>;
  /** Plain tables that decide which events it reads and what they mean: a trace kept with other tables is read again. */
  readonly tables: readonly unknown[];
  /** True: `complete` makes its rows of the kernel's states, even if none of its events was recorded. */
  readonly isOfStates?: boolean;
  /** Finds what could be read of a trace. */
  find(trace: LayerTrace): Found;
  /** Names of the events that its rows show unasked, so that no other layer suggests them; absent: none. */
  shows?(trace: Pick<LayerTrace, 'events' | 'countOf'>): readonly string[];
  /** Chooses what is read unasked; undefined: nothing. */
  first(found: Found): Wanted | undefined;
  /** Turns a choice into all settings that the results of a trace depend on. */
  settings(trace: LayerTrace, wanted: Wanted): Settings;
  /** Analysis with id `settingsId`; only streams with its events are read. @param kernelThreads used by the reducer only */
  analysis(
    settings: Settings,
    kernelThreads?: LayerTrace['kernelThreads'],
  ): HistoryAnalysis<TransitionChunk, HistorySink, Log>;
  /**
   * Makes tables of a host's log if that needs the host's kernel states or more than one pass. Runs once, after the
   * last event: a reopened trace has the resulting tables and history.
   * @param sink the layer's history of the host, as the analysis left it
   */
  complete?(log: Log, sink: HistorySink, host: ReadHost): Promise<Tables>;
  rows(settings: Settings, tables: Tables): LayerRow[];
  /** @param textOf a text of the history */
  interval(value: number, textOf: (text: number) => string): LayerInterval;
}

export type AnyLayer = Layer<unknown, unknown, unknown, unknown>;

/** Layers by the prefix of their rows' ids. */
export type Layers = Readonly<Record<string, AnyLayer>>;

/** An attribute of a layer's history as a row. */
export interface LayerRow {
  /** Distinguishes it from the layer's other rows of the host. */
  readonly key: string;
  readonly name: string;
  readonly attribute: number;
  readonly subject: string;
  /** Thread or group under which it is shown. */
  readonly below: LayerThread | string;
  /** Begin of its first interval: of several threads with one number it belongs to the one at that time. */
  readonly first: HostNs;
  /** True: its values are numbers (`layers/plots/plot-values.ts`), drawn as a line. */
  readonly isPlot?: boolean;
  /** True: it belongs to the machine rather than a thread, and its group is folded at first. */
  readonly isOfMachine?: boolean;
}

export interface LayerThread extends ThreadNumber {
  /** -1: not known. */
  readonly pid: number;
  /** '': not known. */
  readonly process: string;
}

interface LayerInterval {
  readonly text: string;
  /** Whether its end was recorded. */
  readonly hasEnd: boolean;
}

/** Empty choice, for layers without choices. */
export type Nothing = Readonly<Record<string, never>>;

/** State of a layer of an open trace. */
export interface LayerInfo<Found, Wanted, Settings, Tables> {
  /** Undefined: nobody looked yet. */
  readonly found?: Found;
  /** Choice that is shown, or will be once it is read; undefined: nothing. */
  readonly wanted?: Wanted;
  readonly settings?: Settings;
  /** Empty if no stream has its events. */
  readonly hosts: readonly { readonly index: number; readonly tables: Tables }[];
  /** Whether the files are there, so that something else can be read. */
  readonly hasFiles: boolean;
  /** Reasons why the rows are incomplete. */
  readonly faults: readonly Fault[];
}

/** Id of an analysis with settings: all that is sent to workers, and the key of stored results. */
export function settingsId(layer: string, settings: unknown): string {
  return `${layer} ${JSON.stringify(settings)}`;
}

/** Settings in an id that `settingsId` made; undefined: it is another layer's. */
export function settingsIn(layer: string, id: string): unknown {
  return id.startsWith(`${layer} `) ? JSON.parse(id.slice(layer.length + 1)) : undefined;
}

/** Analysis of a layer with this id; undefined: it is another layer's. */
export function analysisOf(layer: AnyLayer, id: string): AnyAnalysis | undefined {
  const settings = settingsIn(layer.id, id);
  return settings === undefined ? undefined : (layer.analysis(settings) as AnyAnalysis);
}

/** The part of a layer that decode workers run. */
export interface LayerMap<Settings, Chunk extends TransitionChunk> {
  readonly id: string;
  of(settings: Settings): EventMap<Chunk>;
}

/** @param kinds read by a layer with these settings @param mapper maps one chunk after the other */
export function layerMap<Settings, Chunk extends TransitionChunk>(
  id: string,
  kinds: (settings: Settings) => readonly KindRequest[],
  mapper: (plan: ProjectionPlan, settings: Settings) => { map(batch: EventBatch): Chunk },
): LayerMap<Settings, Chunk> {
  return {
    id,
    of(settings) {
      const mapperOf = cachedByKey((plan: ProjectionPlan) => mapper(plan, settings));
      return {
        id: settingsId(id, settings),
        reads: { kinds: kinds(settings) },
        map: (batch) => mapperOf(batch.plan).map(batch),
      };
    },
  };
}

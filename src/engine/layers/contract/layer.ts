/** The contract of a layer: what is read from some events of a trace after it was opened, with settings of its own. */
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
  /** Threads of a host by its kernel's trace; undefined: there is none. */
  kernelThreads(host: number): KernelThreads | undefined;
  /** Tells whether a registered layer shows an event unasked (`Layer.shows`). */
  isShown(event: string): boolean;
}

/** The kernel's trace of a host, read to its end. */
export interface LayerKernel {
  readonly tables: StateTables;
  readonly query: HistoryQuery;
  /** Signals and packets, read from the store when they are first asked for. */
  readonly logs: () => Promise<KernelLogs>;
}

/** A host whose events of a layer were all read. */
export interface ReadHost {
  /** Index in `Experiment.hosts`. */
  readonly index: number;
  /** HostNs of the host's last event, also of those that the layer does not read. */
  readonly end: HostNs;
  /** undefined: no kernel trace. */
  readonly kernel: LayerKernel | undefined;
  /** HostNs of the last event of a thread, where no kernel's trace tells its end; Infinity: it is not known. */
  readonly lastOf: (thread: ThreadNumber) => HostNs;
  /** Aborted when nobody wants the result any more. */
  readonly signal: AbortSignal;
  /** False: nobody looks at rows, so that layers write none that answers do not need. Default: true. */
  readonly showsRows?: boolean;
}

/** All but `Log` is plain data, kept with the trace; `Log`, what the analysis gives, is `Tables` without `complete`. */
export interface Layer<Found, Wanted, Settings, Tables, Log = Tables> {
  /** Begins the ids of its analyses and the names of its records. No other layer or analysis has it. */
  readonly id: string;
  /** Name of one of its rows. */
  readonly title: string;
  /** Schemes of values by the first segment of an attribute's path. */
  readonly schemes: Readonly<Record<string, ValueScheme>>;
  /** Plain tables that say which events it reads and what they mean: a trace that was kept with others is read anew. */
  readonly tables: readonly unknown[];
  /** True: its rows are made of the kernel's states by `complete`, also where no event that it reads was recorded. */
  readonly isOfStates?: boolean;
  /** Finds what could be read of a trace. */
  find(trace: LayerTrace): Found;
  /** Names of the events that its rows show unasked, so that no other layer suggests them; absent: none. */
  shows?(trace: Pick<LayerTrace, 'events' | 'countOf'>): readonly string[];
  /** Chooses what is read unasked; undefined: nothing. */
  first(found: Found): Wanted | undefined;
  /** Turns what the user wants, or what is read unasked, into all that results of a trace depend on. */
  settings(trace: LayerTrace, wanted: Wanted): Settings;
  /** Analysis with id `settingsId`; only streams with its events are read. @param kernelThreads asked by the reducer alone */
  analysis(
    settings: Settings,
    kernelThreads?: LayerTrace['kernelThreads'],
  ): HistoryAnalysis<TransitionChunk, HistorySink, Log>;
  /**
   * Makes tables of the log of a host, where that takes the kernel's states of the host, or more than one pass. Runs
   * once, behind the last event: a reopened trace has the tables and the history that this gave.
   * @param sink the layer's history of the host, as the analysis left it
   */
  complete?(log: Log, sink: HistorySink, host: ReadHost): Promise<Tables>;
  rows(settings: Settings, tables: Tables): LayerRow[];
  /** @param textOf a text of the history */
  interval(value: number, textOf: (text: number) => string): LayerInterval;
}

export type AnyLayer = Layer<unknown, unknown, unknown, unknown>;

/** Layers by the word that begins the ids of their rows. */
export type Layers = Readonly<Record<string, AnyLayer>>;

/** An attribute of a layer's history as a row. */
export interface LayerRow {
  /** Distinguishes it from the layer's other rows of the host. */
  readonly key: string;
  readonly name: string;
  readonly attribute: number;
  readonly subject: string;
  /** The thread or the group that it stands below. */
  readonly below: LayerThread | string;
  /** Begin of its first interval: of several threads with one number it stands below the one of that time. */
  readonly first: HostNs;
  /** True: its values are numbers (`layers/plots/plot-values.ts`), drawn as a line. */
  readonly isPlot?: boolean;
  /** True: it is about the machine and not about a thread, and its group is folded at first. */
  readonly isOfMachine?: boolean;
}

export interface LayerThread extends ThreadNumber {
  /** -1 unknown. */
  readonly pid: number;
  /** '' unknown. */
  readonly process: string;
}

interface LayerInterval {
  readonly text: string;
  /** True: its end was recorded. */
  readonly hasEnd: boolean;
}

/** Empty choice: nothing can be chosen. */
export type Nothing = Readonly<Record<string, never>>;

/** State of a layer of an open trace. */
export interface LayerInfo<Found, Wanted, Settings, Tables> {
  /** undefined: nobody looked yet. */
  readonly found?: Found;
  /** Choice that is shown, or is when it has been read; undefined: nothing. */
  readonly wanted?: Wanted;
  readonly settings?: Settings;
  /** Empty where no stream has its events. */
  readonly hosts: readonly { readonly index: number; readonly tables: Tables }[];
  /** The files are there, so that something else can be read. */
  readonly hasFiles: boolean;
  /** Reasons why the rows are not whole. */
  readonly faults: readonly Fault[];
}

/** The id of an analysis with settings: all that crosses to workers, and what results are kept under. */
export function settingsId(layer: string, settings: unknown): string {
  return `${layer} ${JSON.stringify(settings)}`;
}

/** The settings in an id that `settingsId` made; undefined: it is another layer's. */
export function settingsIn(layer: string, id: string): unknown {
  return id.startsWith(`${layer} `) ? JSON.parse(id.slice(layer.length + 1)) : undefined;
}

/** The analysis of a layer with this id; undefined: it is another one's. */
export function analysisOf(layer: AnyLayer, id: string): AnyAnalysis | undefined {
  const settings = settingsIn(layer.id, id);
  return settings === undefined ? undefined : (layer.analysis(settings) as AnyAnalysis);
}

/** The part of a layer that decode workers run. */
export interface LayerMap<Settings, Chunk extends TransitionChunk> {
  readonly id: string;
  of(settings: Settings): EventMap<Chunk>;
}

/** @param kinds that a layer with these settings reads @param mapper maps one chunk after the other */
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

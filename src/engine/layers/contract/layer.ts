/** The contract of a layer: what is read from some events of a trace after it was opened, with settings of its own. */
import type { AnyAnalysis } from '../../analysis/analysis-set.ts';
import type { HistoryAnalysis, TransitionLeaf } from '../../analysis/contract.ts';
import type { Fault } from '../../base/fault.ts';
import type { HostNs } from '../../base/units.ts';
import type { HistoryQuery } from '../../history/query-types.ts';
import type { HistorySink, ValueScheme } from '../../history/types.ts';
import type { KernelLogs, StateTables } from '../../linux/states/reduce/kernel-tables.ts';
import type { Experiment } from '../../trace/types.ts';
import type { EventShape } from './event-shapes.ts';
import type { KernelThreads, ThreadNumber } from './threads.ts';

/** What is known of a trace before a layer is read. */
export interface LayerTrace {
  readonly experiment: Experiment;
  /** The events that it declares. */
  readonly events: readonly EventShape[];
  /** How many events of a name were recorded. */
  countOf(event: string): number;
  /** By the kernel's trace of a host; undefined: there is none. */
  kernelThreads(host: number): KernelThreads | undefined;
  /** Whether a registered layer shows an event unasked (`Layer.shows`). */
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
  /** In `Experiment.hosts`. */
  readonly index: number;
  /** Of its last event, also of those that the layer does not read. */
  readonly end: HostNs;
  /** undefined: no kernel trace. */
  readonly kernel: LayerKernel | undefined;
  /** Aborted when nobody wants the result any more. */
  readonly signal: AbortSignal;
}

/**
 * `Found`, `Wanted`, `Settings` and `Tables` are plain data: they are kept with the trace. `Log` is what the analysis
 * gives for a host beside its history; without `complete` it is the host's `Tables`.
 */
export interface Layer<Found, Wanted, Settings, Tables, Log = Tables> {
  /** Begins the ids of its analyses and the names of its records. No other layer or analysis has it. */
  readonly id: string;
  /** What one of its rows is called. */
  readonly title: string;
  /** By the first segment of an attribute's path: what its values mean. */
  readonly schemes: Readonly<Record<string, ValueScheme>>;
  /**
   * Plain tables that say which events it reads and what they mean, beside those of `linux/meanings.ts`: a trace that was
   * kept with others is read anew.
   */
  readonly tables: readonly unknown[];
  /** Its rows are made of the kernel's states by `complete`, also where no event that it reads was recorded. */
  readonly isOfStates?: boolean;
  /** What a trace has that could be read. */
  find(trace: LayerTrace): Found;
  /** Names of the events that its rows show unasked, so that no other layer suggests them; absent: none. */
  shows?(trace: Pick<LayerTrace, 'events' | 'countOf'>): readonly string[];
  /** What is read of it unasked; undefined: nothing. */
  first(found: Found): Wanted | undefined;
  /** What the user wants, or what is read unasked, as it applies to a trace: all that results depend on. */
  settings(trace: LayerTrace, wanted: Wanted): Settings;
  /**
   * Only streams that may have an event that it reads are read. Its id is `settingsId`.
   * @param kernelThreads as in `LayerTrace`; only the reducer asks it
   */
  analysis(
    settings: Settings,
    kernelThreads?: LayerTrace['kernelThreads'],
  ): HistoryAnalysis<TransitionLeaf, HistorySink, Log>;
  /**
   * What the log of a host comes to, where that takes the kernel's states of the host, or more than one pass. Runs once,
   * behind the last event: a reopened trace has the tables and the history that this gave.
   * @param sink the layer's history of the host, as the analysis left it
   */
  complete?(log: Log, sink: HistorySink, host: ReadHost): Promise<Tables>;
  /** The rows of a host. */
  rows(settings: Settings, tables: Tables): LayerRow[];
  /** @param textOf a text of the history */
  interval(value: number, textOf: (text: number) => string): LayerInterval;
}

export type AnyLayer = Layer<unknown, unknown, unknown, unknown>;

/** By the word that begins the ids of their rows. */
export type Layers = Readonly<Record<string, AnyLayer>>;

/** An attribute of a layer's history as a row. */
export interface LayerRow {
  /** Distinguishes it from the layer's other rows of the host. */
  readonly key: string;
  readonly name: string;
  readonly attribute: number;
  /** What its intervals are of. */
  readonly subject: string;
  /** The thread or the group that it stands below. */
  readonly below: LayerThread | string;
  /** Begin of its first interval: of several threads with one number it stands below the one of that time. */
  readonly first: HostNs;
  /** Its values are numbers (`layers/plots/plot-values.ts`), drawn as a line. */
  readonly isPlot?: boolean;
  /** It is about the machine and not about a thread: its group is folded at first. */
  readonly isOfMachine?: boolean;
}

export interface LayerThread extends ThreadNumber {
  /** -1 unknown. */
  readonly pid: number;
  /** '' unknown. */
  readonly process: string;
}

export interface LayerInterval {
  readonly text: string;
  /** Its end was recorded. */
  readonly hasEnd: boolean;
}

/** What is known of a layer of an open trace. */
export interface LayerInfo<Found, Wanted, Settings, Tables> {
  /** undefined: nobody looked yet. */
  readonly found?: Found;
  /** What is shown, or is when it has been read; undefined: nothing. */
  readonly wanted?: Wanted;
  /** Of what is shown. */
  readonly settings?: Settings;
  /** Empty where no stream has its events. */
  readonly hosts: readonly { readonly index: number; readonly tables: Tables }[];
  /** The files are there, so that something else can be read. */
  readonly hasFiles: boolean;
  /** Why what is shown is not whole. */
  readonly faults: readonly Fault[];
}

/** The id of an analysis with settings: all that crosses to workers, and what results are kept under. */
export function settingsId(layer: string, settings: unknown): string {
  return `${layer} ${JSON.stringify(settings)}`;
}

/** The analysis of a layer with this id; undefined: it is another one's. Ids are made by `settingsId` alone. */
export function analysisOf(layer: AnyLayer, id: string): AnyAnalysis | undefined {
  const prefix = `${layer.id} `;
  return id.startsWith(prefix)
    ? (layer.analysis(JSON.parse(id.slice(prefix.length))) as AnyAnalysis)
    : undefined;
}

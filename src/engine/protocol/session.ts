/**
 * Interface of the session worker to the page, over comlink. Types only: apart from it, the page imports only types and
 * pure formatters of the engine. All times are display time, so that rows of several hosts share an axis.
 */
import type { Fault, Result } from '../base/fault.ts';
import type { DisplayNs } from '../base/units.ts';
import type { ExecutionDefinition } from '../layers/executions/definition.ts';
import type { SourceRef } from '../io/byte-source.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import type { LayerWord, WantedOf } from '../registry.ts';
import type { EventKind } from '../trace/event-kinds.ts';
import type { AnswerOf, QueryKind, RequestOf } from './queries.ts';
import type { TimeRange } from './range.ts';
import type { LoadAnswer, RowColumns } from './rows.ts';

/** Tracer of the kernel, as far as advice depends on it. */
export type Recorder = 'lttng' | 'perf' | 'trace-cmd' | 'perfetto';

/** Tracers with the kinds of events that each recorded, that which counts first. */
export type CountedRecorders = readonly { readonly name: string; readonly kinds: readonly EventKind[] }[];

/** Something that a recording lacks, beside events that only some questions need. */
export interface RecordingLack {
  /** Events or options, as its tracer calls them. */
  readonly what: string;
  /** Sentence on what is not known without. */
  readonly without: string;
  /** Command that records it. */
  readonly command: string;
}

export interface HostInfo {
  readonly index: number;
  readonly name: string;
  readonly hostname: string;
  readonly events: number;
  readonly cpus: number;
  /** ns that it is shown later than it was recorded, beside the first host: of recordings side by side. */
  readonly shiftNs: number;
  readonly firstNs: DisplayNs;
  readonly lastNs: DisplayNs;
  readonly lost: readonly (TimeRange & { readonly cpu: number })[];
  /** Names of its recordings in order of time; absent where there is one. */
  readonly recordings?: readonly string[];
  /** Between recordings of one boot: from the last event of one to the first of the next. */
  readonly notRecorded: readonly TimeRange[];
  /** Tracer of its kernel's events. */
  readonly recorder: Recorder;
  /** Tracers whose events are counted, where there are several; absent in what was kept by an earlier version. */
  readonly counted?: CountedRecorders | undefined;
  /** Lacks of recordings by other tracers than LTTng. */
  readonly lacks: readonly RecordingLack[];
  /** Events of which it has samples, and how often (`samplingOf`); absent: it says nothing of them. */
  readonly sampling?: string;
}

export interface StreamInfo {
  readonly name: string;
  readonly host: number;
  readonly trace: string;
  readonly bytes: number;
  readonly readBytes: number;
  readonly packets: number;
  readonly events: number;
  readonly state: 'waiting' | 'reading' | 'complete' | 'stopped' | 'damaged';
}

export interface ExperimentInfo {
  readonly key: string;
  readonly name: string;
  /** ns since 1970 of display time 0, decimal; '' when no clock is absolute. */
  readonly originNs: string;
  readonly lengthNs: number;
  readonly events: number;
  readonly bytes: number;
  readonly hosts: readonly HostInfo[];
  readonly hasKernel: boolean;
  readonly streams: readonly StreamInfo[];
  readonly faults: readonly Fault[];
  /** Lost while recording. */
  readonly discardedEvents: number;
  readonly discardedPackets: number;
  /** Hosts are recordings of one machine, each shown from its own begin. */
  readonly sideBySide: boolean;
  readonly fromStore: boolean;
}

export interface Progress {
  readonly phase:
    'fetching' | 'unpacking' | 'indexing' | 'reading' | 'finishing' | 'done' | 'cancelled' | 'failed';
  readonly bytes: number;
  readonly totalBytes: number;
  readonly events: number;
  readonly seconds: number;
  /** Display time before which everything is final, also when reading was stopped; Infinity when all is read. */
  readonly watermarkNs: DisplayNs;
}

/** Parts of a kept trace that could not be read, as far as they were asked for. */
export interface DamageInfo {
  /** `states` of threads and CPUs, `signals` (wake-ups, packets), `matches` of packets, the id of a layer or an aggregate. */
  readonly parts: readonly string[];
  /** Faults with code `store-damaged`; the first ones. */
  readonly faults: readonly Fault[];
}

/** Sent to the page at most 10 times a second; `rows` and `info` only when they changed. */
export interface SessionUpdate {
  readonly progress: Progress;
  readonly info?: ExperimentInfo;
  readonly rows?: RowColumns;
  readonly overview?: Overview;
  /** All that was found by now, whenever there is more. */
  readonly damage?: DamageInfo;
  /** Why reading failed: there is nothing to see. */
  readonly fault?: Fault;
}

/** Listener to updates; its promise resolves when the page shows the update: the next picture waits accordingly. */
export type UpdateListener = (update: SessionUpdate) => void | Promise<void>;

/** Per host: load and event density per bucket of the whole length. */
export interface Overview {
  readonly bucketNs: number;
  readonly hosts: readonly {
    readonly host: number;
    /** Shares of its CPUs that are in use, and of which this is unknown, 0-1; NaN: not read yet. */
    readonly load: LoadAnswer;
    readonly density: Float32Array;
    /** True where density is an estimate from packet headers. */
    readonly estimated: boolean;
  }[];
}

/** Facts of a kept trace that the list of recent traces shows. */
export interface TraceSummary {
  readonly hosts: number;
  /** Its hosts are recordings of one machine; absent in what was kept by an earlier version. */
  readonly sideBySide?: boolean;
  readonly events: number;
  readonly lengthNs: number;
  readonly lostEvents: number;
}

export interface RecentTrace extends TraceSummary {
  readonly key: string;
  readonly name: string;
  readonly openedMs: number;
  /** Bytes of its data streams. */
  readonly bytes: number;
  /** Bytes that it takes in the store; undefined: not known. */
  readonly keptBytes: number | undefined;
}

/** A kept trace whose executions of a definition are kept. */
export interface KeptExecutions {
  readonly key: string;
  readonly name: string;
}

export interface OpenOptions {
  /** The user's settings of the hosts' clocks. */
  readonly clocks?: ClockSettings;
  /** Fingerprint of the trace that `clocks` are of: they are not used for another one. */
  readonly clocksOf?: string;
  /** Name shown; default: the common folder. */
  readonly name?: string;
  /** Shows the recordings of a single machine beside each other, each from its begin, where there are several. */
  readonly sideBySide?: boolean;
  /** Faults met while getting the files, as `look` found them. */
  readonly faults?: readonly Fault[];
  readonly chunkBytes?: number;
  readonly workers?: number;
}

/** Input to be opened: files, or the http or https address of one, which the user confirmed. */
export type Given = readonly SourceRef[] | string;

/** A trace that was looked at and found. */
export interface FoundTrace {
  readonly key: string;
  /** Archives unpacked. */
  readonly files: readonly SourceRef[];
  /** Faults of fetching and unpacking. */
  readonly faults: readonly Fault[];
  /** Where it was fetched from; undefined: it was given as files. */
  readonly url?: string;
}

export type OpenOutcome =
  | {
      readonly ok: true;
      readonly info: ExperimentInfo;
      readonly rows: RowColumns;
      readonly progress: Progress;
      /** Files that were opened, archives unpacked: for opening them again together with more. */
      readonly files: readonly SourceRef[];
      /** Recordings by another tracer that were not read, as what they hold was kept: `attachFiles` takes them. */
      readonly unread?: readonly SourceRef[];
    }
  | { readonly ok: false; readonly fault: Fault };

export interface AskOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** Called with the share of the work that is done, 0 to 1, where an answer takes many steps. */
  readonly onProgress?: (share: number) => void;
}

/** One session worker serves one page. Every method that takes input returns faults as values. */
export interface SessionApi {
  /**
   * Finds the trace in what was given, or the reason that there is none; what is open stays so. An address is fetched,
   * archives are unpacked; `onUpdate` (a comlink proxy) hears how far that is. The files found are there until
   * something else is looked at, they are dismissed, or something is opened without them.
   */
  probe(given: Given, onUpdate: UpdateListener): Promise<Result<FoundTrace>>;
  /** Ends looking, and gives up what was found, unless it is open. */
  discardProbe(): Promise<void>;
  /** Opens what was given; `onUpdate` (a comlink proxy) hears of progress until phase done, cancelled or failed. Resolves when the first picture can be asked for. */
  open(given: Given, options: OpenOptions, onUpdate: UpdateListener): Promise<OpenOutcome>;
  /** Opens a trace from the store without its files; `clocks`: what the user knows of them. */
  reopen(key: string, onUpdate: UpdateListener, clocks?: ClockSettings): Promise<OpenOutcome>;
  /** Gives a reopened trace its files, shown by `clocks` (other tracers' imported). False: they hold another trace. */
  attachFiles(files: readonly SourceRef[], clocks?: ClockSettings): Promise<boolean>;
  /** Adds programs, libraries or lists of functions: frames and rows are named anew. Resolves with how many name any. */
  addSymbols(files: readonly SourceRef[]): Promise<number>;
  /** Keeps what was read. */
  cancel(): Promise<void>;
  close(): Promise<void>;
  recent(): Promise<readonly RecentTrace[]>;
  forget(key: string): Promise<void>;
  /** Kept traces with which these executions can be compared; the open one may be among them. */
  keptExecutions(definition: ExecutionDefinition): Promise<readonly KeptExecutions[]>;
  /** The file of executions (`engine/executions/database`) of one of these; undefined: it is gone or cannot be read. */
  executionsFile(key: string, definition: ExecutionDefinition): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Where things are kept, and why not in IndexedDB when not. */
  storage(): Promise<{
    readonly kind: 'indexeddb' | 'memory';
    readonly fault?: Fault;
    readonly usedBytes: number;
    readonly quotaBytes: number;
  }>;
  /** The answer to a question of `queries.ts` about what is open. @throws the reason of the signal, when it is aborted */
  ask<K extends QueryKind>(kind: K, request: RequestOf<K>, options?: AskOptions): Promise<AnswerOf<K>>;
  /** Shows something else of a layer, and sends its rows. False: it cannot be read, or something else was wanted since. */
  changeLayer<Word extends LayerWord>(layer: Word, wanted: WantedOf<Word>): Promise<boolean>;
}

/**
 * What the page may ask of the session worker, over comlink. Types only: the page imports nothing else of the engine
 * but types and pure formatters. All times are TimeNs of a host plus that host's offset to the experiment's origin,
 * that is ns since the first event of the experiment ("display time"), so that rows of several hosts share an axis.
 */
import type { Fault } from '../base/fault.ts';
import type { TextColumn } from '../base/text-column.ts';
import type { SourceRef } from '../io/byte-source.ts';
import type { GuestChoice } from '../graph/guests.ts';
import type { ClockSettings } from '../sync/host-clocks.ts';
import type { Tile } from '../history/types.ts';
import type { OverlayDefinition, OverlayInfo } from './overlay-api.ts';
import type { PackedPathParts, PathAnswer, PathRequest } from './path-api.ts';
import type { RowColumns } from './row-columns.ts';

export type RowKind =
  | 'host'
  | 'cpu-usage' // chart: share of CPUs busy, from the host's load levels
  | 'cpu'
  | 'process'
  | 'thread'
  | 'kernel-threads' // group
  | 'never-ran' // group of threads that never ran
  | 'stream' // without kernel events: event density
  | 'overlay' // spans between events of the user's choice, below their thread
  | 'group';

/** One node of the row tree. Children follow their parent; `parent` is the index in the list, -1 for roots. */
export interface RowInfo {
  readonly id: string; // stable over sessions: 'host:0', 'cpu:0:1', 'thread:0:1234', 'thread:0:1234#2'
  readonly parent: number;
  readonly kind: RowKind;
  readonly name: string;
  readonly tid?: number;
  readonly pid?: number;
  readonly cpu?: number;
  readonly host: number;
  /** What is drawn: attribute of the state history, or -1 for none (groups). */
  readonly attribute: number;
  /** ns on a CPU over the whole trace; of groups the sum. */
  readonly cpuTimeNs: number;
  readonly ran: boolean;
  readonly kernelThread: boolean;
  /** ns since the experiment's first event. */
  readonly firstNs: number;
  readonly lastNs: number;
}

export interface HostInfo {
  readonly index: number;
  readonly name: string;
  readonly hostname: string;
  readonly events: number;
  readonly cpus: number;
  readonly firstNs: number;
  readonly lastNs: number;
  readonly lost: readonly { readonly cpu: number; readonly from: number; readonly to: number }[];
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
  readonly discardedEvents: number;
  readonly fromStore: boolean;
}

export interface Progress {
  readonly phase:
    'fetching' | 'unpacking' | 'indexing' | 'reading' | 'finishing' | 'done' | 'cancelled' | 'failed';
  readonly bytes: number;
  readonly totalBytes: number;
  readonly events: number;
  readonly seconds: number;
  /** Display time before which everything is final. */
  readonly watermarkNs: number;
}

/** Sent to the page at most 10 times a second; `rows` and `info` only when they changed. */
export interface SessionUpdate {
  readonly progress: Progress;
  readonly info?: ExperimentInfo;
  readonly rows?: RowColumns;
  readonly overview?: Overview;
}

/** Who hears of updates; what is returned resolves when the page shows it: the next picture waits accordingly. */
export type UpdateListener = (update: SessionUpdate) => void | Promise<void>;

/** Per host: load (share of CPUs busy, 0-1) and event density per bucket of the whole length. */
export interface Overview {
  readonly bucketNs: number;
  readonly hosts: readonly {
    readonly host: number;
    /** NaN: not known yet. */
    readonly load: Float32Array;
    readonly density: Float32Array;
    /** True where density is an estimate from packet headers. */
    readonly estimated: boolean;
  }[];
}

export interface IntervalInfo {
  readonly row: string;
  readonly from: number;
  readonly to: number;
  readonly value: number;
  readonly state: number;
  /** Sentence parts for the card and the Selection tab. */
  readonly stateText: string;
  readonly causeText?: string;
  /** Row id of the waking thread, where known. */
  readonly waker?: string;
  readonly wakerName?: string;
  /** Of a thread: where it ran, or did last. */
  readonly cpu?: number;
  readonly syscall?: string;
  /** The interrupt that a CPU is in, or that a thread was interrupted by first. */
  readonly interrupt?: string;
  /** Of a CPU: which threads it ran, or the interrupt came upon, the first few in order of time. */
  readonly threads?: readonly { readonly row: string; readonly name: string }[];
  /** Of an overlay's row: what the span is called, and whether its end was recorded. */
  readonly overlay?: { readonly name: string; readonly hasEnd: boolean };
  readonly previous?: {
    readonly from: number;
    readonly to: number;
    readonly stateText: string;
    readonly value: number;
  };
  readonly next?: {
    readonly from: number;
    readonly to: number;
    readonly stateText: string;
    readonly value: number;
  };
}

export interface RangeRequest {
  readonly from: number;
  readonly to: number;
}

/** CPU time of many threads, a row each, in columns. */
export interface ThreadCpuStats {
  readonly length: number;
  /** Row ids. */
  readonly row: TextColumn;
  readonly name: TextColumn;
  readonly tid: Int32Array;
  /** -1 unknown. */
  readonly pid: Int32Array;
  readonly host: Int32Array;
  /** ns per state number 0-13, `THREAD_STATES.length` numbers a thread. */
  readonly states: Float64Array;
  readonly migrations: Float64Array;
}

export interface CpuStat {
  readonly row: string;
  readonly cpu: number;
  readonly host: number;
  readonly idle: number;
  readonly user: number;
  readonly kernel: number;
  readonly hardirq: number;
  readonly softirq: number;
  readonly timer: number;
  readonly unknown: number;
}

export interface CpuStats {
  readonly from: number;
  readonly to: number;
  readonly cpus: readonly CpuStat[];
  readonly threads: ThreadCpuStats;
}

export interface CountStat {
  readonly name: string;
  readonly domain: string;
  readonly count: number;
  readonly bytes: number;
  readonly firstNs: number;
  readonly lastNs: number;
}

export interface CountStats {
  /** True when the cut ends of the range could not be decoded (files gone): counts are then bounds, shown with ≈. */
  readonly approximate: boolean;
  readonly events: readonly CountStat[];
}

export interface IoTransfer {
  readonly bytes: number;
  readonly ops: number;
  readonly errors: number;
}

export interface IoStats {
  readonly approximate: boolean;
  readonly threads: readonly {
    readonly row: string;
    readonly name: string;
    readonly tid: number;
    readonly pid: number;
    readonly host: number;
    readonly read: IoTransfer;
    readonly write: IoTransfer;
  }[];
  readonly files: readonly { readonly path: string; readonly read: IoTransfer; readonly write: IoTransfer }[];
  readonly disks: readonly {
    readonly dev: string;
    readonly requests: number;
    readonly sectors: number;
    readonly meanLatencyNs: number;
    readonly maxLatencyNs: number;
  }[];
}

/** Durations of one kind: how often, how long, how they are distributed. All in whole ns. */
export interface DurationStat {
  readonly count: number;
  readonly totalNs: number;
  /** 0 without durations, as the ones below. */
  readonly meanNs: number;
  readonly minNs: number;
  readonly maxNs: number;
  /** Exact where they are one of the longest, else within 0.8 %. */
  readonly p50Ns: number;
  readonly p95Ns: number;
  readonly p99Ns: number;
  /** Triples: least duration of a bin, that of the next bin, durations in it. Eight bins an octave, empty ones left out. */
  readonly bins: readonly number[];
  /** The longest ones, longest first. */
  readonly longest: readonly DurationMark[];
}

/** One duration, to be shown on the timeline. */
export interface DurationMark {
  /** Display time. */
  readonly fromNs: number;
  readonly ns: number;
  /** Row id of the thread or CPU, and what it is called. */
  readonly row: string;
  readonly name: string;
}

/** Waits for a CPU that ended in the range. */
export interface SchedStat {
  readonly row: string;
  readonly name: string;
  readonly tid: number;
  readonly pid: number;
  readonly host: number;
  /** From wake-up to switch-in. */
  readonly woken: DurationStat;
  /** From preemption to switch-in. */
  readonly preempted: DurationStat;
}

export interface SchedStats {
  /** Threads with any of them. */
  readonly threads: readonly SchedStat[];
  /** All threads together. */
  readonly woken: DurationStat;
  readonly preempted: DurationStat;
  /** Events without which it cannot be told, none of which was recorded. */
  readonly missing: readonly string[];
}

export type InterruptKind = 'irq' | 'softirq' | 'timer' | 'vector';

/** Interrupts that began and ended in the range. */
export interface IrqStat {
  readonly host: number;
  readonly kind: InterruptKind;
  /** Number of the irq or softirq; timers: lower half of the address of the function; vectors: -1. */
  readonly id: number;
  readonly name: string;
  /** undefined: all CPUs of the host. */
  readonly cpu: number | undefined;
  /** From entry to exit. */
  readonly run: DurationStat;
  /** From raise to entry, of softirqs. */
  readonly raised: DurationStat;
}

export interface IrqStats {
  /** True when the cut ends of the range could not be decoded (files gone): their chunks then count whole. */
  readonly approximate: boolean;
  readonly interrupts: readonly IrqStat[];
  /** The same by CPU. */
  readonly cpus: readonly IrqStat[];
  readonly missing: readonly string[];
}

/** System calls that returned in the range. */
export interface CallStat {
  /** '' for all calls of the thread. */
  readonly call: string;
  /** Row id of the thread; undefined: calls of all threads. */
  readonly row: string | undefined;
  /** Of the thread. */
  readonly name: string;
  readonly tid: number;
  readonly pid: number;
  readonly host: number;
  readonly durations: DurationStat;
  /** Calls that returned an error, by its number; most frequent first. */
  readonly errors: readonly { readonly errno: number; readonly count: number }[];
  /** ns blocked in the calls by cause (`CAUSES` of kernel/values). */
  readonly blockedNs: readonly number[];
}

export interface CallStats {
  /** True when the cut ends of the range could not be decoded: errors are then bounds. */
  readonly approximate: boolean;
  /** By call, by thread, by both. */
  readonly calls: readonly CallStat[];
  readonly threads: readonly CallStat[];
  readonly pairs: readonly CallStat[];
  readonly missing: readonly string[];
}

export interface EventLine {
  readonly timeNs: number;
  readonly stream: string;
  readonly cpu: number;
  readonly name: string;
  /** Canonical text of contexts and payload. */
  readonly fields: string;
}

/** Deviations of packets from what is known of two clocks, for a scatter plot; at most some thousand, by time. */
export interface SyncResiduals {
  /** Display time. */
  readonly timeNs: Float64Array;
  /** Positive for packets that `from` sent, negative for those it received: their delay, where all is right. */
  readonly residualNs: Float64Array;
  /** 0: could be another packet, so that it tells nothing of clocks. */
  readonly isUsed: Uint8Array;
}

/** Two hosts that packets were recorded on. Hosts are indices of `ExperimentInfo.hosts`. */
export interface SyncPairInfo {
  readonly from: number;
  readonly to: number;
  /** Lines that fit: none known, offset only, one bound, both bounds; `failed`: no straight one. */
  readonly state: 'absent' | 'incomplete' | 'approximate' | 'accurate' | 'failed';
  readonly matched: number;
  readonly ambiguous: number;
  /** Packets between the two that only one of them recorded. */
  readonly oneWay: number;
  /** ns of `to`'s clock for each of `from`'s, in the middle of the exchange; undefined without packets. */
  readonly slope?: number;
  /** What `to`'s clock is ahead of `from`'s there, ns, and when that is in display time. */
  readonly offsetNs?: number;
  readonly atNs?: number;
  /** While packets went; Infinity: not known. */
  readonly uncertaintyNs: number;
  readonly driftUncertainty: number;
  /** Lines used one after the other: more than one where clocks were set or run unevenly. */
  readonly stretches: number;
  /** Packets received before they were sent: by the hosts' own clocks, and as shown. */
  readonly inversionsBefore: number;
  readonly inversionsAfter: number;
  readonly residuals: SyncResiduals;
}

export interface SyncHostInfo {
  readonly host: number;
  readonly name: string;
  /** Where its time comes from: `start`: nothing tells; it begins with the experiment. */
  readonly source: 'reference' | 'packets' | 'offset' | 'start';
  /** Experiment's time for each ns of its clock, and what is added to its clock at its first event, ns. */
  readonly slope: number;
  readonly offsetNs: number;
  readonly uncertaintyNs: number;
  /** Hosts from it to the one that its time comes from, itself first. */
  readonly via: readonly number[];
}

/** A virtual machine: a process of a host, by its index. */
export interface MachineInfo {
  readonly host: number;
  readonly pid: number;
  /** What its process is called; '' not known. */
  readonly name: string;
  readonly cpus: number;
}

/** A host that may be a virtual machine of another. */
export interface GuestInfo {
  readonly guest: number;
  /** Which one it is; undefined: none, or it cannot be told. */
  readonly machine: MachineInfo | undefined;
  /** The user said so. */
  readonly isGiven: boolean;
  /** Those of all other hosts. */
  readonly machines: readonly MachineInfo[];
  /** Its clock is known beside that of its host: so is what that took from its running time. */
  readonly isSynchronised: boolean;
}

export interface SyncInfo {
  readonly reference: number;
  readonly hosts: readonly SyncHostInfo[];
  readonly pairs: readonly SyncPairInfo[];
  /** Hosts beside which a virtual machine runs on another one. */
  readonly guests: readonly GuestInfo[];
  /** What is missing, with what to record. */
  readonly faults: readonly Fault[];
}

export interface RecentTrace {
  readonly key: string;
  readonly name: string;
  readonly openedMs: number;
  readonly hosts: number;
  readonly events: number;
  readonly lengthNs: number;
  readonly lostEvents: number;
  readonly bytes: number;
}

export interface OpenOptions {
  /** What the user knows of the hosts' clocks. */
  readonly clocks?: ClockSettings;
  /** Name shown; default: the common folder. */
  readonly name?: string;
  readonly chunkBytes?: number;
  readonly workers?: number;
}

export type OpenOutcome =
  | {
      readonly ok: true;
      readonly info: ExperimentInfo;
      readonly rows: RowColumns;
      /** What was opened, archives unpacked: for opening it again together with more. */
      readonly files: readonly SourceRef[];
    }
  | { readonly ok: false; readonly fault: Fault };

/** One session worker serves one page. Every method that takes input returns faults as values. */
export interface SessionApi {
  /** Opens files; `onUpdate` (a comlink proxy) hears of progress until phase done, cancelled or failed. Resolves when the first picture can be asked for. */
  open(files: readonly SourceRef[], options: OpenOptions, onUpdate: UpdateListener): Promise<OpenOutcome>;
  /** Fetches an archive from an http or https address that the user confirmed, and opens it. */
  openAddress(address: string, options: OpenOptions, onUpdate: UpdateListener): Promise<OpenOutcome>;
  /** Opens a trace from the store without its files; `clocks`: what the user knows of them. */
  reopen(key: string, onUpdate: UpdateListener, clocks?: ClockSettings): Promise<OpenOutcome>;
  /** Keeps what was read. */
  cancel(): Promise<void>;
  close(): Promise<void>;
  recent(): Promise<readonly RecentTrace[]>;
  forget(key: string): Promise<void>;
  /** Where things are kept, and why not in IndexedDB when not. */
  storage(): Promise<{
    readonly kind: 'indexeddb' | 'memory';
    readonly fault?: Fault;
    readonly usedBytes: number;
    readonly quotaBytes: number;
  }>;
  /** Spans of rows by attribute; times in display ns. */
  tile(
    host: number,
    attributes: readonly number[],
    from: number,
    to: number,
    bucketNs: number,
  ): Promise<Tile>;
  /** The same of overlay rows, whose attributes are numbered by themselves. */
  overlayTile(
    host: number,
    attributes: readonly number[],
    from: number,
    to: number,
    bucketNs: number,
  ): Promise<Tile>;
  /**
   * Per bucket the mean number of CPUs that the attributes use (0 … n): load of a process or host; NaN unknown. Here
   * and in `density` the buckets are exactly as asked: bucket i begins at from + i · bucketNs, and there are
   * ceil((to − from) / bucketNs) of them.
   */
  load(
    host: number,
    attributes: readonly number[],
    from: number,
    to: number,
    bucketNs: number,
  ): Promise<Float32Array>;
  /** Events per bucket of stream rows: rows × buckets, row after row. */
  density(rows: readonly string[], from: number, to: number, bucketNs: number): Promise<Float32Array>;
  interval(row: string, timeNs: number): Promise<IntervalInfo | undefined>;
  /** The interval before or after the one at `timeNs`. */
  neighbour(row: string, timeNs: number, direction: -1 | 1): Promise<IntervalInfo | undefined>;
  cpuStats(range: RangeRequest | undefined): Promise<CpuStats>;
  countStats(range: RangeRequest | undefined): Promise<CountStats>;
  ioStats(range: RangeRequest | undefined): Promise<IoStats>;
  schedStats(range: RangeRequest | undefined): Promise<SchedStats>;
  irqStats(range: RangeRequest | undefined): Promise<IrqStats>;
  callStats(range: RangeRequest | undefined): Promise<CallStats>;
  /** Undefined: the row is no thread that anything is known of. */
  path(request: PathRequest): Promise<PathAnswer | undefined>;
  /** What the time of the path consists of that was asked for last; undefined: another was asked for since. */
  pathParts(request: PathRequest): Promise<PackedPathParts | undefined>;
  /**
   * How the hosts' clocks relate, and which of them are virtual machines of others; undefined while packets are being
   * read. `guests`: what the user knows of the latter.
   */
  sync(guests?: readonly GuestChoice[]): Promise<SyncInfo | undefined>;
  /** At most `limit` events around a time, for traces without kernel events. */
  eventsAround(timeNs: number, limit: number): Promise<readonly EventLine[]>;
  /** Which overlays are shown, and which could be; undefined while the trace is being read. */
  overlays(): Promise<OverlayInfo | undefined>;
  /** Shows these overlays, for which the files are read again; the rows come as an update. */
  changeOverlays(definitions: readonly OverlayDefinition[]): Promise<OverlayInfo | undefined>;
}

/**
 * The contract of an analysis (Reumont-Locke et al. 2019, section 4.2): map one chunk with no other knowledge, merge
 * chunk results associatively, and, for histories, fold the transitions of all streams in their total order.
 */
import type { DecodeRequest, DecodedChunk, FieldPlace, FieldWant } from '../ctf/decode/rows/rows.ts';
import type { EventClass, StructClass } from '../ctf/model.ts';
import type { Chunk, Domain, Experiment, Trace } from '../trace/types.ts';

/** Input of an analysis: kinds by name (`trace/event-kinds.ts` has the kernel's) with the fields it wants. */
export interface Projection {
  readonly kinds: readonly KindRequest[];
  readonly contexts?: ContextRequest;
}

/**
 * Fields that are read of every event that some analysis reads: they follow the event's own fields in the row. Rows of
 * other streams have no words for them.
 */
export interface ContextRequest {
  readonly fields: Readonly<Record<string, FieldWant>>;
  readonly of: TakesStream;
}

export interface KindRequest {
  /** Unique name of the kind: 'switch', 'waking', 'syscall-entry'. Equal names are united over analyses. */
  readonly kind: string;
  readonly events: readonly string[];
  readonly fields: Readonly<Record<string, FieldWant>>;
  /** Table of kinds that exclude each other, see `KindWant`. */
  readonly table?: string;
  /** Streams of which every event is read, whatever its name. */
  readonly takes?: TakesStream;
}

/** @param streamClass index in the trace's model */
export type TakesStream = (experiment: Experiment, trace: Trace, streamClass: number) => boolean;

/** One decoded chunk: all that `map` may know. */
export interface EventBatch extends DecodedChunk {
  readonly chunk: Chunk;
  readonly domain: Domain;
  /** Rank of the chunk's stream in the total order. */
  readonly streamRank: number;
  /** CPU of the stream; -1 unknown, or changing from packet to packet. */
  readonly cpu: number;
  /** Where the wanted fields are; the same for all chunks of a run. */
  readonly plan: ProjectionPlan;
  /** Event classes of the batch's stream class; `rows.eventClass` indexes it. */
  readonly eventClasses: readonly EventClass[];
  /** Context fields that all events of the stream have. */
  readonly eventContext: StructClass | undefined;
  /** Length of the host's trace (`hostLength`), known before anything is decoded; ns. */
  readonly hostLength: number;
  /** Request by which the rows were decoded, if the rows give their CPU and their packets do not (`rows-by-cpu.ts`). */
  readonly cpuRequest?: DecodeRequest;
  /** Environment of the trace, as text. */
  readonly environment: Readonly<Record<string, string>>;
  /** Memory of a chunk result no longer needed, for the first one that takes it, as new memory is expensive. */
  readonly takeSpare?: () => ArrayBuffer | undefined;
}

/** The union of all projections, compiled: kind name → number in rows, field name → word offset. */
export interface ProjectionPlan {
  /** Request for streams of which no kind reads every event. */
  readonly request: DecodeRequest;
  /** Request for the streams of one class. */
  requestOf(...stream: Parameters<TakesStream>): DecodeRequest;
  /** Number in `rows.kind`, or -1 when no analysis asked for it. */
  kind(name: string): number;
  /** Where a field is within a row of the kind; asserts that it was asked for. */
  field(kind: string, field: string): FieldPlace;
  /** Where a field of `Projection.contexts` is within a row of this kind. */
  context(kind: number, field: string): FieldPlace;
}

/**
 * A chunk result of a history analysis: changes in stream order. `time` is the merge key: the greatest of the change's own
 * time, the changes before it, and the `earliestTime` of all packets up to its own; so it never goes back.
 */
export interface TransitionChunk {
  readonly length: number;
  readonly time: Float64Array;
  /** The buffer that holds all columns, if they share one; it may be larger than they are. */
  readonly memory?: Uint8Array;
}

/** A chunk result that is being merged with those of other streams; `at` is the index of its next transition. */
export interface MergedChunk<ChunkResult extends TransitionChunk> {
  readonly chunkResult: ChunkResult;
  /** Place of its stream in the total order; unique. */
  readonly order: number;
  at: number;
}

/** A place in the total order: what happens at `time` (HostNs) in streams before `order` lies before it. */
export interface MergeLimit {
  readonly time: number;
  readonly order: number;
}

/** Folds transitions of all streams of one host; called in the total order, in runs of one stream. */
export interface Reducer<ChunkResult extends TransitionChunk, Result = unknown> {
  /** Transitions [from, to) of `chunkResult`. */
  run(chunkResult: ChunkResult, from: number, to: number): void;
  /**
   * Merges by itself, if the reducer can: takes the transitions of these chunk results in their total order, until one
   * chunk result is used up or `limit` is reached. Then `at` tells how far each was read.
   */
  merge?(chunkResults: readonly MergedChunk<ChunkResult>[], limit: MergeLimit): void;
  /** Tells that nothing earlier than `upTo` (HostNs) will come: older intervals may be sealed. */
  advance(upTo: number): void;
  /** Result so far beside the history, for a picture while reading goes on, as if the trace ended at `end`. */
  soFar(end: number): Result;
  /** Ends the host's trace at `end`; the result beside the history (tables of threads and CPUs). */
  finish(end: number): Result;
}

/**
 * Maps one chunk after the other, packet by packet. The readers of all analyses take turns, so that the rows of a packet
 * are read while they are in the processor's cache (`read-packets.ts`).
 */
export interface PacketReader<ChunkResult> {
  /** Begins a chunk and forgets the one before. */
  start(batch: EventBatch): void;
  /** Reads the rows of the next packet, and the losses before and after them. */
  read(packet: number): void;
  /** The chunk result, once all packets of the chunk were read. */
  finish(): ChunkResult;
}

/** The part of an analysis that decode workers run. */
export interface EventMap<ChunkResult> {
  readonly id: string;
  readonly reads: Projection;
  /**
   * Maps one chunk, or the part of it that lies in a range, with no other knowledge; what depends on earlier state
   * stays an explicit unknown. Runs in a decode worker.
   */
  map(batch: EventBatch): ChunkResult;
  /** Makes a reader that gives the same chunk result packet by packet; the same object for the same plan. */
  readonly reader?: (plan: ProjectionPlan) => PacketReader<ChunkResult>;
}

/** The map of an aggregate: decode workers also merge the chunk results of a chunk whose rows give their CPU. */
export interface AggregateMap<ChunkResult> extends EventMap<ChunkResult> {
  /**
   * Merges chunk results, in order of their chunks, in one pass over what they share. Associative; identity: `empty`.
   */
  merge(chunkResults: readonly ChunkResult[]): ChunkResult;
}

export interface Analysis<ChunkResult, Result> extends AggregateMap<ChunkResult> {
  /** Part of the store's key: raise it when results change. */
  readonly version: number;
  readonly empty: ChunkResult;
  finish(chunkResult: ChunkResult): Result;
}

/** A stream of a host, as far as it is known before it is read. */
export interface StreamAhead {
  readonly domain: Domain;
  /** -1 unknown, or changing from packet to packet. */
  readonly cpu: number;
  /** Position in the total order of the host's streams. */
  readonly order: number;
  /** HostNs of its first packet's begin; NaN: not known. */
  readonly begin: number;
  /** Recording of the host that it belongs to: the times of recordings do not overlap. */
  readonly recording: number;
  /** Per chunk result, in sequence: HostNs before which it changes nothing. */
  readonly bounds: readonly number[];
}

/** Facts from packet headers about a host, before any packet is read. */
export interface PacketsAhead {
  /**
   * HostNs up to which at most so many bytes of packets begin, counted from `from` (HostNs); Infinity: all packets do.
   */
  reach(from: number, bytes: number): number;
}

/** Conclusion of a `LookAhead`: no further transition lies before `until` (HostNs). */
export interface Concluded<ChunkResult> {
  readonly chunkResult: ChunkResult;
  readonly until: number;
}

/**
 * Concludes an earlier state from the chunk results of some streams. It adds transitions of its own for each group of
 * streams; the merge waits for them and puts them before the group's transitions of the same time.
 */
export interface LookAhead<ChunkResult> {
  /** Order of the first stream of each group. */
  readonly groups: readonly number[];
  /** Group of a stream; -1: none, so its chunk results need not be put. */
  groupOf(stream: number): number;
  /** Takes a chunk result, in any order, before the merge changes or frees it. `floor`: as in `RunMerger.put`. */
  put(stream: number, sequence: number, chunkResult: ChunkResult, floor: number): void;
  /** New conclusions for a group; undefined: none. */
  conclude(group: number): Concluded<ChunkResult> | undefined;
}

/** A history analysis: its chunk results are transitions, which a reducer folds into the state history of each host. */
export interface HistoryAnalysis<
  ChunkResult extends TransitionChunk,
  Sink,
  Result = unknown,
> extends EventMap<ChunkResult> {
  readonly version: number;
  reducer(sink: Sink, host: ReducedHost): Reducer<ChunkResult, Result>;
  lookAhead?(
    streams: readonly StreamAhead[],
    packets: PacketsAhead,
    host: ReducedHost,
  ): LookAhead<ChunkResult>;
}

/** Facts that a reducer has of its host from the start. */
export interface ReducedHost {
  /** Index in `Experiment.hosts`. */
  readonly index: number;
  readonly name: string;
  readonly kernelRelease: string;
  /** Whether the trace says that its kernel has PREEMPT_RT; default: no. */
  readonly isRealTime?: boolean;
  /** Whether the trace declares exits from guests; default: yes. Without them it is not known how long a guest runs. */
  readonly hasGuestExits?: boolean;
  /** The only program whose threads were recorded; default: all threads of the machine were. */
  readonly program?: string;
  /** CPUs of the kernel streams, ascending. */
  readonly cpus: readonly number[];
  /** Whether the trace declares sched_waking at all. */
  readonly hasWaking: boolean;
  /**
   * Whether the trace declares sched_wakeup or sched_migrate_task: they give the CPU on which a woken thread waits,
   * sched_waking only the CPU where it ran last.
   */
  readonly tellsQueues: boolean;
  /** Whether the trace declares both entries and exits of system calls; the mode of a thread follows only from both. */
  readonly recordsCalls: boolean;
  /** Whether packet headers report lost events in streams with switches. */
  readonly losesSwitches?: boolean;
  /** HostNs of the host's first packet begin (first event where packets have no time). */
  readonly begin: number;
  /** HostNs at which the later recordings of one boot begin, from their packets, ascending. */
  readonly recordings?: readonly number[];
}

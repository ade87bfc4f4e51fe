/** Types of an experiment of hosts, their traces, streams and chunks. Plain data, posted to workers once. */
import type { Fault } from '../base/fault.ts';
import type { SourceRef } from '../io/byte-source.ts';
import type { ClockMap } from '../ctf/decode/run/clock-map.ts';
import type { TraceModel } from '../ctf/model.ts';
import type { PacketTable } from '../ctf/packets/packet-table.ts';
import type { HostNs } from '../base/units.ts';
import type { CommonSwitches } from './common-switches.ts';

export interface Experiment {
  readonly name: string;
  readonly hosts: readonly Host[];
  readonly traces: readonly Trace[];
  /** Each host is a recording of the same machine, whose times have nothing to do with those of the others. */
  readonly sideBySide?: boolean;
  /** Faults of parts that could not be opened; the rest is here. */
  readonly faults: readonly Fault[];
  /** Files that are no part of a trace: programs may be among them. Workers do not get them. Default: none. */
  readonly others?: readonly SourceRef[];
  /** The files `metadata` of the traces, of which one may have several. Workers do not get them. Default: none. */
  readonly metadata?: readonly SourceRef[];
}

/** One clock and one set of threads: a machine (`hosts.ts` says which traces share it). */
export interface Host {
  readonly index: number;
  /** Shortest folder name that distinguishes hosts. */
  readonly name: string;
  /** env hostname, '' unknown. */
  readonly hostname: string;
  readonly clockUuid: string;
  /** Indices in `Experiment.traces`. */
  readonly traces: readonly number[];
  /** ns of the host's clock, without the epoch offset, that HostNs 0 stands for. */
  readonly baseNs: bigint;
  /** HostNs of the host's first event; 0 where it could not be found at the begin of its streams. */
  readonly firstEvent: number;
  /** Added to (baseNs + HostNs) gives ns since the clock's origin: the offset all traces of the host use. */
  readonly offsetNs: bigint;
  /** Shift of a recording shown side by side: ns that it is shown later than it was made, relative to the first one. */
  readonly shiftNs?: number;
  /** Names of its recordings in order of time, where there are several: their folders. */
  readonly recordings?: readonly string[];
  /** Gaps of a part of a trace, in order of time. Default: none. */
  readonly leftOut?: readonly LeftOut[];
  /** Recordings whose clock is known by switches only. Default: none. */
  readonly joined?: readonly JoinedClock[];
}

/** A recording whose times are those of another one of the same machine, by the switches that both have. */
export interface JoinedClock extends CommonSwitches {
  readonly recording: string;
  readonly by: string;
  /** Names of the two clocks: its own, and that of the other one. */
  readonly clocks: readonly [string, string];
}

export type Domain = 'kernel' | 'ust' | 'other';

export interface Trace {
  readonly index: number;
  readonly path: string;
  readonly host: number;
  readonly domain: Domain;
  readonly model: TraceModel;
  /** Hex SHA-256 (`fingerprint.ts`). */
  readonly fingerprint: string;
  /** Conversion of cycles to HostNs of the host; same indices as `TraceModel.clocks`. */
  readonly clocks: readonly ClockMap[];
  readonly streams: readonly Stream[];
  readonly faults: readonly Fault[];
  /** Times whose events are in an earlier recording of the same kernel too (`repeats.ts`). Default: none. */
  readonly repeats?: readonly RepeatedTime[];
}

/** Time of a CPU whose events do not count, both ends within. */
export interface RepeatedTime {
  readonly cpu: number;
  readonly from: HostNs;
  /** HostNs by stream class and event class; NaN: events of the class count. */
  readonly to: readonly Float64Array[];
  /** The greatest of these. */
  readonly last: HostNs;
}

/** One data stream: the packets of all its files in order. */
export interface Stream {
  /**
   * Rank in the total order of chunk results: by CPU number, then trace fingerprint, stream class, instance, file name.
   * Unique in the experiment; independent of the order in which files came.
   */
  readonly rank: number;
  readonly trace: number;
  readonly streamClass: number;
  readonly cpu: number; // -1 unknown or changing
  /** Rank of the stream of an earlier recording whose events it goes on with (`repeats.ts`). Default: none. */
  readonly follows?: number;
  readonly files: readonly StreamFile[];
  readonly bytes: number;
}

export interface StreamFile {
  readonly source: SourceRef;
  readonly packets: PacketTable;
}

/** The unit of work: consecutive packets of one stream. */
export interface Chunk {
  readonly id: number;
  readonly host: number;
  readonly trace: number;
  /** Index in `Trace.streams`. */
  readonly stream: number;
  /** Position in the stream, from 0. */
  readonly sequence: number;
  /** Packets [first, first + count) of `Stream.files[file]`. */
  readonly extents: readonly { readonly file: number; readonly first: number; readonly count: number }[];
  readonly bytes: number;
  /**
   * HostNs before which nothing of this chunk changes state: its begin, or the end of the packet before it when a
   * loss is reported between them. -Infinity: unknown (no packet begin time). The watermark is the least of these.
   */
  readonly from: number;
  /** HostNs of the last packet's end, NaN unknown. */
  readonly to: number;
  /** HostNs, the greatest begin of the stream's packets before it; default: none is known. */
  readonly floor?: number;
  /** Place in the stream that its own goes on with (`Stream.follows`); default: in its own. */
  readonly place?: { readonly rank: number; readonly sequence: number };
}

/** Gap from where not all streams have their packets, to where all have them again. */
export interface LeftOut {
  readonly from: HostNs;
  readonly to: HostNs;
  readonly packets: number;
}

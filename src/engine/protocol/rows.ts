/** The rows of the timeline, as the page gets them. Types only. */
import type { TextColumn } from '../base/text-column.ts';
import type { DisplayNs, Times } from '../base/units.ts';
import type { PlotUnit } from '../layers/plots/plot-values.ts';
import type { TimeRange } from './range.ts';

export type RowKind =
  | 'host' // chart: share of CPUs busy, from the host's load levels
  | 'cpu'
  | 'process'
  | 'thread'
  | 'kernel-threads' // group
  | 'namespace' // group of threads in one of several nested pid namespaces
  | 'program' // group of processes of one name; the page makes it where the reader wants it
  | 'tracer' // group: processes of the tracer itself
  | 'never-ran' // group of threads that never ran
  | 'more-threads' // those of many threads that have no row of their own
  | 'stream' // without kernel events: event density
  | 'layer' // intervals of a layer, below their thread or in a group; its word begins the id
  | 'plot' // a number over time: a layer's row too
  | 'resources' // group of a layer's rows about the machine
  | 'group';

/** One node of the tree of rows. Children follow their parent; `parent` is its index in the list, -1 for roots. */
export interface RowInfo {
  readonly id: string; // stable over sessions: 'host:0', 'cpu:0:1', 'thread:0:1234', 'thread:0:1234#2'
  readonly parent: number;
  readonly kind: RowKind;
  readonly name: string;
  readonly tid?: number;
  readonly pid?: number;
  /**
   * Pid of the process that forked its process, that of its only row, or of the last one that began before this row.
   */
  readonly ppid?: number;
  /** Thread id in the thread's innermost pid namespace, if it differs from the host's. */
  readonly vtid?: number;
  /**
   * Inode number of that namespace. Where only user-space events describe the thread, `tid` and `pid` belong to it too.
   */
  readonly ns?: number;
  readonly cpu?: number;
  readonly host: number;
  /** Attribute of the state history that is drawn; -1: none (groups, and threads that only events describe). */
  readonly attribute: number;
  /** ns on a CPU from `firstNs` to `lastNs`; of groups the sum. */
  readonly cpuTimeNs: number;
  /** Events of a row whose density is drawn, as far as read; else 0. */
  readonly events: number;
  readonly ran: boolean;
  readonly kernelThread: boolean;
  /** ns since the experiment's first event; what is not read is not in it. */
  readonly firstNs: DisplayNs;
  readonly lastNs: DisplayNs;
}

type RowNumber = 'parent' | 'host' | 'attribute' | 'tid' | 'pid' | 'ppid' | 'vtid' | 'cpu';

export interface RowColumns extends Readonly<Record<RowNumber, Int32Array>> {
  readonly length: number;
  readonly id: TextColumn;
  readonly name: TextColumn;
  readonly kind: Uint8Array;
  /** RAN, KERNEL_THREAD. */
  readonly flags: Uint8Array;
  /** Low 32 bits; 0 none. */
  readonly ns: Int32Array;
  readonly cpuTimeNs: Float64Array;
  readonly events: Float64Array;
  readonly firstNs: Times<DisplayNs>;
  readonly lastNs: Times<DisplayNs>;
}

/** Buckets of display time, ns; the width is not a whole number where a clock drifts. */
export interface BucketsRequest extends TimeRange {
  readonly bucketNs: number;
}

/** Rows of a host, by what is drawn of them. */
export interface AttributesRequest extends BucketsRequest {
  readonly host: number;
  readonly attributes: readonly number[];
  /** The attributes are those of a layer's rows, which it numbers by itself: the word that begins the rows' ids. */
  readonly layer?: string;
}

/** Numbers by bucket, NaN where none of the rows has a value. */
export interface LoadAnswer {
  /** Mean number of CPUs that the rows are known to use; for ids the number of rows with a value. */
  readonly used: Float32Array;
  /**
   * Mean number of further CPUs that they may use: for threads of unknown state while CPUs are unknown, or for these.
   */
  readonly unknown: Float32Array;
}

/** A row of numbers in buckets of display time as requested. */
export interface PlotAnswer {
  /** Least number by bucket; NaN: none, or not known. Rates are per second. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  /** Least and greatest number of the whole row; NaN: it has none. */
  readonly low: number;
  readonly high: number;
  readonly unit: PlotUnit;
  /** ns over which rates are averaged; 0: numbers are exact, not rates. */
  readonly windowNs: number;
}

export interface DensityRequest extends BucketsRequest {
  /** Ids of stream rows. */
  readonly rows: readonly string[];
}
export interface IntervalInfo extends TimeRange {
  readonly row: string;
  readonly value: number;
  readonly state: number;
  /** Sentence parts for the card and the Selection tab. */
  readonly stateText: string;
  readonly causeText?: string;
  /** Row id of the waking thread, where known. */
  readonly waker?: string;
  readonly wakerName?: string;
  /** CPU on which a thread ran, now or last. */
  readonly cpu?: number;
  readonly syscall?: string;
  /** It is a system call: `stateText` is its name, and `value` the state in which it begins. */
  readonly isCall?: true;
  /** The interrupt that a CPU is in, or the first that interrupted a thread. */
  readonly interrupt?: string;
  /** Threads that a CPU ran, or that the interrupt interrupted, the first few in order of time. */
  readonly threads?: readonly { readonly row: string; readonly name: string }[];
  /** It is unknown, possibly only because stored data are damaged. */
  readonly isDamaged?: true;
  /** Layer's row: its title, the subject of the interval, and whether its end was recorded. */
  readonly layer?: { readonly title: string; readonly subject: string; readonly hasEnd: boolean };
  readonly previous?: NeighbourInfo;
  readonly next?: NeighbourInfo;
}
type NeighbourInfo = Pick<IntervalInfo, 'from' | 'to' | 'stateText' | 'value'>;

/** A row at a time. */
export interface MomentRequest {
  /** Id of a row. */
  readonly row: string;
  readonly timeNs: DisplayNs;
}
export interface IntervalRequest extends MomentRequest {
  /** The interval before or after the one at the time; default: that one. */
  readonly step?: -1 | 0 | 1;
}

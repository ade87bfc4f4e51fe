/** Statistics of a range, as the page gets them. Types only; durations are ns. */
import type { TextColumn } from '../base/text-column.ts';
import type { DisplayNs, Times } from '../base/units.ts';
import type { HeapSum } from '../layers/heap/heap-sums.ts';
import type { ErrorCount } from '../linux/sums/error-counts.ts';
import type { DiskIo } from '../linux/sums/io/io-disks.ts';
import type { FileKind } from '../linux/sums/io/io-transfers.ts';
import type { MemorySums } from '../linux/sums/memory/memory.ts';
import type { PacketSum } from '../linux/sums/network/network.ts';
import type { TimeRange } from './range.ts';
import type { ThreadLink } from './threads.ts';

export interface StatisticRequest {
  /** undefined: the whole trace. */
  readonly range?: TimeRange;
  /** Hosts by index; undefined: all. */
  readonly hosts?: readonly number[];
}

export interface MissingEvents {
  /** First names of events without which a part of the statistics is missing, and which were not to be recorded. */
  readonly missing: readonly string[];
}

export interface CpuRequest extends StatisticRequest {
  /** Also threads that were dead or idle all the time, and the `lives` of all. */
  readonly allThreads?: boolean;
  /** Also the `causes` of blocked time, which takes as long as there are intervals in the range. */
  readonly withCauses?: boolean;
}

/** A statistic of one thread alone, by the id of its row; undefined: of all threads. */
export interface OfThreadRequest extends StatisticRequest {
  readonly thread?: string;
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
  /** Equal for threads of one process of a host: a pid may be used again. */
  readonly process: Int32Array;
  readonly host: Int32Array;
  /** ns per state number, `THREAD_STATES.length` numbers a thread. */
  readonly states: Float64Array;
  /** Migrations in the whole trace, whatever the range. */
  readonly migrations: Float64Array;
  /** Where they were asked for: ns blocked by cause, `CAUSES.length` numbers a thread. */
  readonly causes?: Float64Array;
  /** Where all threads were asked for. */
  readonly lives?: ThreadLives;
}

/** Facts about threads over the whole trace, in columns beside those of `ThreadCpuStats`. */
export interface ThreadLives {
  /** When the first and the last is that is known of each. */
  readonly firstNs: Times<DisplayNs>;
  readonly lastNs: Times<DisplayNs>;
  readonly runs: Float64Array;
  readonly wakeups: Float64Array;
}

export interface CpuStat {
  readonly row: string;
  readonly cpu: number;
  readonly host: number;
  readonly idle: number;
  readonly user: number;
  readonly kernel: number;
  /** ns in the code of virtual machines. */
  readonly guest: number;
  /** ns in user mode or in the kernel, which is not known. */
  readonly running: number;
  readonly hardirq: number;
  readonly softirq: number;
  readonly timer: number;
  readonly unknown: number;
  /** Switches in the whole trace, whatever the range. */
  readonly switches: number;
}

/** Use of the CPUs in the range. Missing events count as user time. */
export interface CpuStats extends MissingEvents, TimeRange {
  readonly cpus: readonly CpuStat[];
  readonly threads: ThreadCpuStats;
}

export interface CountStat {
  readonly name: string;
  readonly domain: string;
  readonly count: number;
  readonly bytes: number;
  /** NaN where no stream has a clock. */
  readonly firstNs: DisplayNs;
  readonly lastNs: DisplayNs;
}

export interface CountStats extends MissingEvents {
  /** True when the cut ends of the range could not be decoded (files gone): counts are then bounds, shown with ≈. */
  readonly approximate: boolean;
  readonly events: readonly CountStat[];
}

interface IoTransfer {
  readonly bytes: number;
  readonly ops: number;
  readonly errors: number;
}

/** Time from entry to return of calls. */
export interface TimeInCalls {
  /** Calls whose entry is known: others have no length. */
  readonly timed: number;
  readonly totalNs: number;
  /** 0 without any, as the longest. */
  readonly meanNs: number;
  readonly maxNs: number;
  readonly longest: IoCallMark | undefined;
}

/** A read, write or sync: the thread's row and name, call and file. */
export interface IoCallMark extends DurationMark {
  readonly call: string;
  readonly path: string;
}

export interface IoSums {
  readonly read: IoTransfer;
  readonly write: IoTransfer;
  /** Calls that wait until what was written is on the disk; they move no bytes. */
  readonly sync: IoTransfer;
  /** Time in all of these calls; one that moves bytes between files counts in both files, and once in its thread. */
  readonly time: TimeInCalls;
}

/** A thread, or a CPU: its tid is -1. */
export interface OccurrenceOwner extends ThreadLink {
  readonly host: number;
}

/** Thread whose statistics they are. */
interface OfThread extends OccurrenceOwner {
  readonly pid: number;
}

export interface ThreadIoStat extends IoSums, OfThread {
  /** Bytes that requests it gave to disks moved. */
  readonly disk: { readonly read: number; readonly write: number };
}

export interface FileIoStat extends IoSums {
  readonly host: number;
  readonly path: string;
  /** Kind of the file, as far as the path tells. */
  readonly kind: FileKind;
}

/** Requests of a disk in the range; those whose completion was not recorded are in no sum. */
export interface DiskStat extends Omit<
  DiskIo,
  'dev' | 'name' | 'totalLatencyNs' | 'totalAgainNs' | 'totalQueuedNs'
> {
  /** Name, or the number where that is not recorded. */
  readonly dev: string;
  /** Number: `254:16`. */
  readonly device: string;
  /** Mean time from first issue to completion, and of it in which requests were queued again. */
  readonly meanLatencyNs: number;
  readonly meanAgainNs: number;
  /** The same from insertion into the kernel's queue to the issue. */
  readonly meanQueuedNs: number;
}

export interface IoStats extends MissingEvents {
  readonly threads: readonly ThreadIoStat[];
  readonly files: readonly FileIoStat[];
  readonly disks: readonly DiskStat[];
  /** Failed reads, writes and syncs, most frequent first. */
  readonly errors: readonly ErrorCount[];
}

/** Traffic that a network interface sent and received in the range. */
export interface InterfaceStat {
  readonly host: number;
  readonly name: string;
  readonly sent: PacketSum;
  readonly received: PacketSum;
}

/** The same of the packets that it exchanged with one address. */
export interface PeerStat extends InterfaceStat {
  /** '' where a packet has no IP header, or none is recorded. */
  readonly peer: string;
}

export interface NetStats extends MissingEvents {
  /** True when the cut ends of the range could not be decoded (files gone): their chunks then count whole. */
  readonly approximate: boolean;
  /** Both in order of host and name. */
  readonly interfaces: readonly InterfaceStat[];
  readonly peers: readonly PeerStat[];
}

/** A thread's use of the kernel's memory in the range; what an interrupt does counts for whom it interrupts. */
export interface MemoryStat extends MemorySums, Omit<OfThread, 'row'> {
  /** undefined: it is not known who ran; tid and pid are then -1. */
  readonly row: string | undefined;
}

export interface ProgramMemoryStat extends MemorySums {
  readonly host: number;
  readonly name: string;
  /** How many have it. */
  readonly threads: number;
}

export interface MemoryStats extends MissingEvents {
  /** True when the cut ends of the range could not be decoded (files gone): their chunks then count whole. */
  readonly approximate: boolean;
  readonly threads: readonly MemoryStat[];
  /** Threads of one name together. */
  readonly programs: readonly ProgramMemoryStat[];
}

/** Use of a program's heap in the range. NaN: not known, since events were lost. */
export type HeapStat = Readonly<Record<HeapSum, number>>;

export interface ThreadHeapStat extends HeapStat, OfThread {}

export interface ProcessHeapStat extends HeapStat {
  readonly host: number;
  readonly pid: number;
  /** '' unknown. */
  readonly name: string;
  readonly threads: number;
  /** Bytes in use at the end of the range, of what was allocated in the trace, and the most in the range. */
  readonly inUse: number;
  readonly peak: number;
  readonly peakNs: DisplayNs;
}

/** A place in a program that called the allocator. */
export interface SiteHeapStat extends HeapStat {
  readonly host: number;
  readonly pid: number;
  /** Name of the process; '' unknown. */
  readonly process: string;
  /** Its function, else its module and offset, else its address. */
  readonly name: string;
  /** `FILE:LINE`, '' unknown. */
  readonly line: string;
}

export interface HeapStats extends MissingEvents {
  readonly threads: readonly ThreadHeapStat[];
  readonly processes: readonly ProcessHeapStat[];
  /** Empty where no context says it. */
  readonly sites: readonly SiteHeapStat[];
  /** Events of the whole trace that say no process or no address: they are counted nowhere. */
  readonly unplaced: number;
}

/** Durations of one kind: how often, how long, how they are distributed. All in whole ns. */
export interface DurationSummary {
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
}

export interface DurationStat extends DurationSummary {
  /** The longest ones, longest first. */
  readonly longest: readonly DurationMark[];
}

/** One duration, to be shown on the timeline. */
export interface DurationMark {
  readonly fromNs: DisplayNs;
  readonly ns: number;
  /** Row id of the thread or CPU, and what it is called. */
  readonly row: string;
  readonly name: string;
}

export interface SchedRequest extends StatisticRequest {
  /** Also the waits by priority, for which all switches of the trace are read once. */
  readonly withPriorities?: boolean;
}

/** Waits for a CPU that ended in the range. */
export interface SchedWaits {
  /** Waits from wake-up to switch-in. */
  readonly woken: DurationStat;
  /** Waits from preemption to switch-in. */
  readonly preempted: DurationStat;
}

export interface SchedPriorityStat extends SchedWaits {
  readonly host: number;
  /**
   * Priority of the thread when it came to the CPU, as LTTng counts: 0 to 39 are nice values from -20 on, from -2 down
   * to -100 real-time priorities from 1 on; undefined: not recorded.
   */
  readonly priority: number | undefined;
  /** How many threads came by it. */
  readonly threads: number;
}

export interface SchedStat extends SchedWaits, OfThread {}

/** Every system call, wait for a CPU, read, write and sync, request of a disk, or interrupt by itself. */
export interface OccurrencesRequest extends OfThreadRequest {
  readonly of: 'syscalls' | 'sched' | 'io' | 'requests' | 'irq';
  /** Bounds of the duration, which are within. */
  readonly minNs?: number;
  readonly maxNs?: number;
  /** The same of the bytes of reads, writes and requests; with any, what moved none is left out. */
  readonly minBytes?: number;
  readonly maxBytes?: number;
  /** Names of the only interrupts wanted (`IrqStat.name`), in which `*` is any text; `cpus`: their CPUs. */
  readonly names?: readonly string[];
  readonly cpus?: readonly number[];
  /** The only waits or interrupts wanted: those after a wake-up or a preemption; interrupts without softirqs, or softirqs. */
  readonly only?: 'woken' | 'preempted' | 'interrupts' | 'softirqs';
  /** Only waits of threads that came to the CPU by a real-time priority or a deadline; there are none without the files. */
  readonly isRealTime?: boolean;
  /** How many are listed at most; default, and greatest number: 200 000. */
  readonly limit?: number;
}

/** Stretches of time in which a thread waited for a CPU, or those of a CPU, by the id of the row. */
export interface MeanwhileRequest {
  readonly stretches: readonly Pick<DurationMark, 'row' | 'fromNs' | 'ns'>[];
}

/** A thread by whose priority something ran. */
export interface MeanwhileThread extends ThreadLink {
  /** Priority as in `SchedPriorityStat`. */
  readonly priority: number | undefined;
}

/** A piece of a stretch, in which the CPU did one thing. */
export interface MeanwhilePiece {
  readonly fromNs: DisplayNs;
  readonly ns: number;
  /** CPU that the thread was queued on; undefined: not known. */
  readonly cpu: number | undefined;
  readonly kind: 'thread' | 'idle' | 'interrupt' | 'softirq' | 'unknown';
  /** Name of an interrupt or softirq. */
  readonly interrupt?: string;
  /** Thread that ran, or whose own work the softirq was. */
  readonly thread?: MeanwhileThread;
  /** Number of the idle state that the CPU was in; -1: it had left it. Not there: not known. */
  readonly idleState?: number;
}

/** Account of a stretch. */
export interface Meanwhile {
  /** Pieces in order of time; their ns add up to the stretch's. */
  readonly pieces: readonly MeanwhilePiece[];
  /** Thread or interrupt that ended the wait before; not there: not known, or the thread was preempted. */
  readonly waker?: {
    readonly name: string;
    /** Row of a thread, and the CPU on which it ran. */
    readonly row?: string;
    readonly cpu?: number;
  };
}

/**
 * The longest first, as columns. What returned, came to a CPU, or completed in the range, whole; interrupts that began and
 * ended in it. Of interrupts there are none without the files of the trace: they are not kept.
 */
export interface Occurrences extends MissingEvents {
  /** Summary of all that there are, of which the longest are listed. */
  readonly durations: DurationSummary;
  readonly length: number;
  readonly fromNs: Times<DisplayNs>;
  readonly ns: Float64Array;
  /** Place in `owners`: whose call, wait or request, and on which CPU an interrupt was. */
  readonly owner: Int32Array;
  /** Place in `names`: of a call or interrupt, `woken`, `preempted`, or a request's flags as in the kernel ('' unknown). */
  readonly subject: Int32Array;
  /** Place in `names`: the file of a read, write or sync, or of the call in which a request was made, else ''. */
  readonly file: Int32Array;
  /** Bytes that a read, write or request moved; NaN: it failed, or moves none. */
  readonly bytes: Float64Array;
  /** Further columns of requests alone. */
  readonly requests: RequestColumns | undefined;
  readonly owners: readonly OccurrenceOwner[];
  readonly names: readonly string[];
}

/** Facts about disk requests beside their time, which is from insertion into the kernel's queue, or else issue. */
interface RequestColumns {
  /** ns in the queue: NaN where the insertion was not seen. The rest of the time is that at the disk. */
  readonly queuedNs: Float64Array;
  readonly sector: Float64Array;
  /** Places in `names`: the disk (its number where its name is not recorded), and the call in which its thread made it. */
  readonly disk: Int32Array;
  readonly call: Int32Array;
}

/** Waits for a CPU by thread, with those of all threads together. */
export interface SchedStats extends MissingEvents, SchedWaits {
  /** Threads with any of them. */
  readonly threads: readonly SchedStat[];
  /** Highest priority first; undefined: they were not asked for, or the files are not there. */
  readonly priorities: readonly SchedPriorityStat[] | undefined;
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
  /** Time from entry to exit. */
  readonly run: DurationStat;
  /** Time from raise to entry, of softirqs. */
  readonly raised: DurationStat;
}

export interface IrqStats extends MissingEvents {
  /** True when the cut ends of the range could not be decoded (files gone): their chunks then count whole. */
  readonly approximate: boolean;
  readonly interrupts: readonly IrqStat[];
  /** The same by CPU. */
  readonly cpus: readonly IrqStat[];
}

export interface CallsRequest extends OfThreadRequest {
  /** Also the sums of each thread and call: there may be a million of them. */
  readonly withPairs?: boolean;
}

/** System calls that returned in the range. */
export interface CallStat extends Omit<OfThread, 'row'> {
  /** '' for all calls of the thread. */
  readonly call: string;
  /** Row id of the thread; undefined: calls of all threads. */
  readonly row: string | undefined;
  readonly durations: DurationStat;
  /** Calls that returned an error, most frequent first. */
  readonly errors: readonly ErrorCount[];
  /** ns blocked in the calls by cause (`CAUSES` of kernel/values). */
  readonly blockedNs: readonly number[];
}

export interface CallStats extends MissingEvents {
  /** True when the cut ends of the range could not be decoded: errors are then bounds. */
  readonly approximate: boolean;
  /** Calls summed by call; `threads`: by thread; `pairs`: by both, undefined where they were not asked for. */
  readonly calls: readonly CallStat[];
  readonly threads: readonly CallStat[];
  readonly pairs: readonly CallStat[] | undefined;
}

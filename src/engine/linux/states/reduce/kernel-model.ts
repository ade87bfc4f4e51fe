/** State shared by the parts of the state reducer: tables, the history that is written, counts. */
import { type PacketRows, PacketLog } from './packet-rows.ts';
import { SIGNAL, type SignalLog, type SignalRows } from './signal-rows.ts';
import type { ReducedHost } from '../../../analysis/contract.ts';
import { addNumber } from '../../../base/group-by.ts';
import { type LogRows, type Table, TableLog, TableMemory } from '../../../base/tables.ts';
import type { HistorySink } from '../../../history/types.ts';
import { createKernelTexts, type KernelTexts } from '../map/kernel-texts.ts';
import { type CPU, createCpuTable, type CpuTable } from './cpu-table.ts';
import * as disks from './disk-requests.ts';
import { createLossLog, type LossLog } from './losses.ts';
import { SOFTIRQ, type SoftirqLog, type SoftirqRows } from './softirq-rows.ts';
import { createThreadTable, type ThreadTable } from './thread-table.ts';

/** A row for each signal, packet and softirq that waited; these are many, and only paths and clocks need them. */
export interface KernelLogs {
  readonly signals: SignalRows;
  readonly packets: PacketRows;
  readonly softirqs: SoftirqRows;
}

export type LogName = keyof KernelLogs;

/** Observations that contradict the rules: counted, never fatal. Damaged and partial traces have them. */
export type Problem =
  | 'switch inside an interrupt (stack emptied)'
  | 'switch: prev is not the current thread'
  | 'thread leaves a CPU it was not on'
  | 'blocked thread leaves a CPU'
  | 'runnable thread leaves a CPU it was not seen on'
  | 'dead thread runs: new incarnation'
  | 'dead thread leaves a CPU alive: new incarnation'
  | 'thread enters a CPU while on another'
  | 'blocked thread runs without wake-up'
  | 'wake-up of a dead thread'
  | 'wakeup of a blocked thread without waking'
  | 'blocked thread wakes itself'
  | 'wakeup_new of a dead thread: new incarnation'
  | 'fork of a thread that never exited: new incarnation'
  | 'blocked thread freed'
  | 'exec by a thread that is not the leader'
  | 'interrupt exit skips frames'
  | 'interrupt exit without entry'
  | 'interrupts nested too deep'
  | 'who ran before the first switch was elsewhere';

/** Reason why the waker is not known if only one program was recorded. */
export const NOT_RECORDED = 'thread not recorded';

export interface KernelModel {
  readonly sink: HistorySink;
  /** HostNs of the present event, -Infinity at first. Set by `moveTo`. */
  now: number;
  readonly threads: ThreadTable;
  readonly cpus: CpuTable;
  readonly disks: disks.DiskTable;
  readonly requests: disks.RequestTracker<disks.HistoryEvent>;
  readonly texts: KernelTexts;
  readonly losses: LossLog;
  readonly late: LateLog;
  /** Rows by thread, in order of time. */
  readonly overruled: Overruled[];
  readonly recordings: RecordingLog;
  readonly signals: SignalLog;
  readonly packets: PacketLog;
  readonly softirqs: SoftirqLog;
  /** Threads whose tid had an earlier life that ended without being freed: the next free belongs to that. */
  readonly lateFrees: Set<number>;
  /** Interrupt stacks of suspended threads, by row of the thread. */
  readonly suspended: Map<number, SuspendedFrames>;
  readonly problems: Map<Problem, number>;
  /** Whether it is Linux before 4.14, where prev_state has another meaning (`switchOutState`). */
  readonly oldKernel: boolean;
  /** Whether it is Linux 5.18 or later, where prev_state of a thread that goes to sleep with a signal pending is S. */
  readonly readsStateOnce: boolean;
  /** Whether it is Linux with PREEMPT_RT, where softirqs outside of interrupts are the current thread's own work. */
  readonly realTime: boolean;
  readonly hasGuestExits: boolean;
  readonly hasWaking: boolean;
  readonly tellsQueues: boolean;
  readonly recordsCalls: boolean;
  /** The only program whose threads were recorded; undefined: the whole machine was recorded. */
  readonly program: string | undefined;
}

export function createKernelModel(sink: HistorySink, host: ReducedHost): KernelModel {
  const memory = sink.shared?.memory ?? new TableMemory();
  const { keepRows } = sink;
  const diskTable = disks.createDiskTable(memory, disks.MOST_SLOTS);
  const keeperOf = (log: LogName) => keepRows && ((rows: LogRows) => keepRows(log, rows));
  return {
    sink,
    now: -Infinity,
    threads: createThreadTable(sink, memory, {
      recordsCalls: host.recordsCalls,
      losesSwitches: host.losesSwitches === true,
    }),
    cpus: createCpuTable(memory),
    disks: diskTable,
    requests: new disks.RequestTracker(diskTable, disks.requestHistory(diskTable, sink)),
    texts: createKernelTexts(sink, memory),
    losses: createLossLog(),
    late: { rows: [], open: new Set() },
    overruled: [],
    recordings: { gaps: [], parts: new Map() },
    signals: new TableLog(memory, SIGNAL, 2048, keeperOf('signals')),
    packets: new PacketLog(memory, keeperOf('packets')),
    softirqs: new TableLog(memory, SOFTIRQ, 1024, keeperOf('softirqs')),
    lateFrees: new Set(),
    suspended: new Map(),
    problems: new Map(),
    oldKernel: isOlder(host.kernelRelease, 4, 14),
    readsStateOnce: !isOlder(host.kernelRelease, 5, 18),
    realTime: host.isRealTime === true,
    hasGuestExits: host.hasGuestExits !== false,
    hasWaking: host.hasWaking,
    tellsQueues: host.tellsQueues,
    recordsCalls: host.recordsCalls,
    program: host.program,
  };
}

/** Moves to the time of the next event. */
export function moveTo(kernel: KernelModel, time: number): void {
  kernel.now = time;
  kernel.sink.moveTo(time);
}

export function countProblem(kernel: KernelModel, problem: Problem): void {
  addNumber(kernel.problems, problem, 1);
}

/** Whether a release is before another one; an unknown release counts as new. */
function isOlder(release: string, major: number, minor: number): boolean {
  const version = /^(\d+)\.(\d+)/.exec(release);
  if (version === null) return false;
  const own = Number(version[1]);
  return own < major || (own === major && Number(version[2]) < minor);
}

/** State of a thread in a past time, as found out later. */
export interface Overruled {
  /** Row of the thread. */
  readonly thread: number;
  /** HostNs. */
  readonly from: number;
  readonly until: number;
  readonly value: number;
}

/** Intervals that are decided later (`late-log.ts`). Few: at most one for each CPU and loss. */
export interface LateLog {
  readonly rows: {
    readonly thread: number;
    readonly from: number;
    /** NaN: not decided. */
    until: number;
    mode: number;
  }[];
  /** Rows that the next loss on any CPU decides. */
  readonly open: Set<number>;
}

/** HostNs. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Facts about earlier recordings. */
interface RecordingLog {
  /** Times between them: from the last event of one to the first of the next. */
  readonly gaps: Span[];
  /** First and last event of a CPU in each earlier recording with events of it, by row of the CPU. */
  readonly parts: Map<number, Span[]>;
}

/** Interrupt stack of a thread that is not on a CPU, like the columns of `CpuTable`. */
interface SuspendedFrames extends Pick<
  Table<typeof CPU>,
  'frames' | 'serials' | 'exempt' | 'work' | 'entered' | 'raised'
> {
  /** HostNs when it left the CPU. */
  readonly since: number;
}

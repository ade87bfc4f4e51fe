/** Tables of the state reducer besides the history: threads, CPUs, losses, problems. Plain columns that can be stored. */
import type { KernelLogs, LogName, KernelModel, Span, Overruled } from './kernel-model.ts';
import type { TimeWindow } from '../../../analysis/clip-rows.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { compare } from '../../../base/compare.ts';
import { LATE_KERNEL, lateRows, type LateRows } from './late-log.ts';
import { ownerInName } from '../map/kernel-texts.ts';
import type { LossPiece } from './losses.ts';
import * as values from '../../events/values.ts';
import type { OwnMode } from '../../events/values.ts';
import { findThread, QUEUED_SOMEWHERE, THREAD_ROWS, threadCount } from './thread-table.ts';
import { firstRows, type Table } from '../../../base/tables.ts';
import type { Interval } from '../../../history/query-types.ts';

/** One row per thread in order of first mention; `HistorySink` values refer to rows. Times are HostNs. */
export interface ThreadRows extends Readonly<Table<typeof THREAD_ROWS>> {
  readonly length: number;
  readonly name: readonly string[];
  /** Name in the state dump; '' if it is not in it. */
  readonly dumpName: readonly string[];
  /** Begin of the tid's next life, else the end of the trace. */
  readonly last: Float64Array;
}

export interface CpuRow {
  readonly cpu: number;
  /** First and last event of its streams, HostNs: its states count between them. */
  readonly first: number;
  readonly last: number;
  /** First and last event of each recording with events of it. */
  readonly parts: readonly Span[];
  /** NaN: none. */
  readonly firstSwitch: number;
  readonly switches: number;
  readonly stateAttribute: number;
  readonly threadAttribute: number;
}

/** All tables but `KernelLogs`. */
export interface StateTables {
  readonly end: number;
  readonly threads: ThreadRows;
  /** Ascending. */
  readonly cpus: readonly CpuRow[];
  /** Numbers of CPUs without events on which a thread was last queued or to which it was moved, ascending. */
  readonly silentCpus: readonly number[];
  readonly losses: readonly LossPiece[];
  /** Unrecorded times between recordings of one boot, from the last event of one to the first of the next (HostNs). */
  readonly gaps: readonly Span[];
  /** Intervals that were decided later than they happened. */
  readonly late: LateRows;
  /** Intervals whose states were found out later, in columns. */
  readonly overruled: Readonly<Record<keyof Overruled, Float64Array>>;
  /**
   * Recorded kind of wake-ups of threads that were not new: with the waker's context, only where the thread was
   * queued, or none.
   */
  readonly wakeUps: 'waking' | 'wakeup' | 'none';
  /** Whether it is Linux with PREEMPT_RT, where softirqs outside of interrupts are the current thread's own work. */
  readonly realTime: boolean;
  readonly problems: Readonly<Record<string, number>>;
  /** The only program whose threads were recorded; absent: the whole machine was recorded. */
  readonly program?: string;
}

export interface KernelTables extends StateTables, KernelLogs {}

/** Tables with the rows of the logs that were not taken (`HistorySink.keepRows`). */
export interface ReducedTables extends KernelTables {
  /** Number of rows taken, which precede these. */
  readonly before: Readonly<Record<LogName, number>>;
}

export function isKernelThread(threads: ThreadRows, thread: number): boolean {
  return threads.mode[thread] === values.STATE_KERNEL;
}

/**
 * Names of tracers' programs: LTTng's session and consumer daemons, relay daemon, and processes that run as another
 * user; perf and trace-cmd.
 */
const TRACER = /^(lttng(-|$)|(perf|trace-cmd)$)/;
/** Pattern of liblttng-ust's threads within a program, named after it with the name cut. */
const TRACER_IN_PROGRAM = /-ust$/;

export const NOT_TRACER = 0;
/** Thread of a tracer's process, whose threads have names of their own and whose leader may never have run. */
export const OWN_OF_TRACER = 1;
const TRACER_WITHIN_PROGRAM = 2;

/** Threads of tracers, by row: their work is not a program's. */
export const tracerThreads = cachedByKey(
  ({ length, tid, pid, name }: Pick<ThreadRows, 'length' | 'tid' | 'pid' | 'name'>): Uint8Array => {
    const pids = new Set<number>();
    for (let row = 0; row < length; row++) if (TRACER.test(name[row])) pids.add(pid[row]);
    return Uint8Array.from({ length }, (_, row) => {
      if (pid[row] < 0 ? TRACER.test(name[row]) : pids.has(pid[row])) return OWN_OF_TRACER;
      return tid[row] !== pid[row] && TRACER_IN_PROGRAM.test(name[row]) ? TRACER_WITHIN_PROGRAM : NOT_TRACER;
    });
  },
);

/** State of a thread outside of system calls and interrupts. */
export function modeOf(threads: ThreadRows, thread: number): OwnMode {
  return threads.mode[thread] as OwnMode;
}

/** True value of a thread's state, stored or already resolved, by the kind of the thread, even if found out later. */
export function meantThreadValue(tables: StateTables, thread: number, value: number): number {
  const state = values.stateOf(value);
  const late = values.detailOf(value);
  if (state !== values.STATE_USER && state !== values.STATE_RUNNING) return value;
  return state === values.STATE_USER || late < 0 ? modeOf(tables.threads, thread) : modeOfLate(tables, late);
}

/** True value of a CPU's state. */
export function meantCpuValue(tables: StateTables, value: number): number {
  const state = values.stateOf(value);
  const detail = values.detailOf(value);
  if (state === values.CPU_LATE)
    return detail < 0 ? values.CPU_USER : values.CPU_OF_MODE[modeOfLate(tables, detail)];
  const isOfMode = state === values.CPU_USER || state === values.CPU_KERNEL || state === values.CPU_RUNNING;
  return isOfMode && detail >= 0 ? values.CPU_OF_MODE[modeOf(tables.threads, detail)] : value;
}

/** Mode of a thread in an interval that was decided later. */
export function modeOfLate({ threads, late }: StateTables, row: number): OwnMode {
  return late.mode[row] === LATE_KERNEL ? values.STATE_KERNEL : modeOf(threads, late.thread[row]);
}

/** Logs as they are in these tables. */
export type LastLogs = Pick<ReducedTables, LogName | 'before'>;

function recordedWakeUps({ cpus, hasWaking }: KernelModel): KernelTables['wakeUps'] {
  if (cpus.seen.wakeUps[0] === 0) return 'none';
  return hasWaking ? 'waking' : 'wakeup';
}

function cpuRows({ cpus, recordings }: KernelModel): CpuRow[] {
  const rows = Array.from({ length: cpus.length }, (_, cpu): CpuRow => {
    const parts = [...(recordings.parts.get(cpu) ?? [])];
    if (!Number.isNaN(cpus.first[cpu])) parts.push({ from: cpus.first[cpu], to: cpus.last[cpu] });
    return {
      cpu: cpus.number[cpu],
      first: parts.at(0)?.from ?? NaN,
      last: parts.at(-1)?.to ?? NaN,
      parts,
      firstSwitch: cpus.firstSwitch[cpu],
      switches: cpus.switches[cpu],
      stateAttribute: cpus.stateAttribute[cpu],
      threadAttribute: cpus.threadAttribute[cpu],
    };
  });
  return rows.sort((a, b) => a.cpu - b.cpu);
}

function silentCpus({ threads }: KernelModel, cpus: readonly CpuRow[]): number[] {
  const silent = new Set(threads.lastCpu.subarray(0, threadCount(threads)));
  silent.delete(-1);
  silent.delete(QUEUED_SOMEWHERE);
  for (const { cpu, parts } of cpus) if (parts.length > 0) silent.delete(cpu);
  return [...silent].sort((a, b) => a - b);
}

/** Tables of a trace that ends at `end`. */
export function kernelTables(kernel: KernelModel, end: number): ReducedTables {
  const { signals, packets, softirqs } = kernel;
  return {
    ...tablesWithoutLogs(kernel, end),
    signals: signals.all(),
    packets: packets.all(),
    softirqs: softirqs.all(),
    before: { signals: signals.kept, packets: packets.log.kept, softirqs: softirqs.kept },
  };
}

/**
 * Tables so far, while the reducer goes on. Logs are copied on first use: only paths read them, and written rows do
 * not change.
 */
export function kernelTablesSoFar(kernel: KernelModel, end: number): ReducedTables {
  const { signals, packets, softirqs } = kernel;
  const lengths = { signals: signals.length, packets: packets.log.length, softirqs: softirqs.length };
  let known: LastLogs | undefined;
  const logs = () => (known ??= logsSoFar(kernel, lengths));
  return {
    ...tablesWithoutLogs(kernel, end),
    get signals() {
      return logs().signals;
    },
    get packets() {
      return logs().packets;
    },
    get softirqs() {
      return logs().softirqs;
    },
    get before() {
      return logs().before;
    },
  };
}

/** @param lengths number of rows when the tables were made, some of which may have been taken since */
function logsSoFar({ signals, packets, softirqs }: KernelModel, lengths: LastLogs['before']): LastLogs {
  const before = {
    signals: Math.min(signals.kept, lengths.signals),
    packets: Math.min(packets.log.kept, lengths.packets),
    softirqs: Math.min(softirqs.kept, lengths.softirqs),
  };
  return {
    signals: signals.first(lengths.signals - before.signals),
    packets: packets.rows(lengths.packets - before.packets),
    softirqs: softirqs.first(lengths.softirqs - before.softirqs),
    before,
  };
}

/** Process ids of threads; kernel threads that work for a program have its id, by their names. */
function pidsOf({ threads, texts }: KernelModel, length: number): Int32Array {
  const pids = threads.pid.slice(0, length);
  for (let thread = 0; thread < length; thread++) {
    const name = threads.name[thread];
    if (pids[thread] >= 0 || threads.mode[thread] !== values.STATE_KERNEL || name < 0) continue;
    const owner = ownerInName(texts.text[name]);
    if (owner === undefined) continue;
    const row = findThread(threads, owner);
    pids[thread] = row >= 0 && threads.pid[row] >= 0 ? threads.pid[row] : owner;
  }
  return pids;
}

function tablesWithoutLogs(kernel: KernelModel, end: number): StateTables {
  const { threads, losses, late, overruled, recordings, problems, texts, program } = kernel;
  const rows = cpuRows(kernel);
  const n = threadCount(threads);
  const nameOf = (text: number) => (text < 0 ? '' : texts.text[text]);
  return {
    end,
    threads: {
      ...firstRows(THREAD_ROWS, threads, n),
      length: n,
      pid: pidsOf(kernel, n),
      name: Array.from(threads.name.subarray(0, n), nameOf),
      dumpName: Array.from(threads.dumpName.subarray(0, n), nameOf),
      last: threads.replaced.slice(0, n).map((time) => (Number.isNaN(time) ? end : time)),
    },
    cpus: rows,
    silentCpus: silentCpus(kernel, rows),
    gaps: [...recordings.gaps],
    losses: [...losses.pieces],
    late: lateRows(late, end),
    overruled: {
      thread: Float64Array.from(overruled, ({ thread }) => thread),
      from: Float64Array.from(overruled, ({ from }) => from),
      until: Float64Array.from(overruled, ({ until }) => until),
      value: Float64Array.from(overruled, ({ value }) => value),
    },
    wakeUps: recordedWakeUps(kernel),
    realTime: kernel.realTime,
    problems: Object.fromEntries([...problems].sort(([a], [b]) => compare(a, b))),
    ...(program !== undefined && { program }),
  };
}

/**
 * Interval of a thread's state. The history leaves out the time after a thread's end, in which it is dead up to the
 * end of its life in the tables.
 */
export type StateInterval = Pick<Interval, 'from' | 'to' | 'value'>;

/** State intervals of a thread from the history, with a last one in which it is dead. */
export function withDeadTime(
  intervals: readonly StateInterval[],
  { closedAt, last }: ThreadRows,
  thread: number,
): readonly StateInterval[] {
  const [from, to] = [closedAt[thread], last[thread]];
  return from < to ? [...intervals, { from, to, value: values.STATE_DEAD }] : intervals;
}

/** Time of a range in which a thread is dead, ns. */
export function deadTime({ closedAt, last }: ThreadRows, thread: number, range: TimeWindow): number {
  const begin = Math.max(range.from, closedAt[thread]);
  const end = Math.min(range.to, last[thread]);
  return begin < end ? end - begin : 0;
}

/**
 * Intervals of threads whose state is decided by later events. If their end shows that they were another state, or
 * several, rows of `Overruled` say so; the history keeps the apparent state. A thread that was running when its CPU's
 * events became complete, and made no system call event until it left the CPU, was in user mode or in a call, which
 * its next such event shows. Until then the history has `STATE_RUNNING` with the row of this log, which readers
 * resolve.
 */
import type { KernelModel, LateLog } from './kernel-model.ts';

/** Decided as user mode, which is also the default. */
export const LATE_USER = 0;
/** Decided as a system call. */
export const LATE_KERNEL = 1;

/** One row an interval. */
export interface LateRows {
  readonly length: number;
  /** Row of the thread. */
  readonly thread: Int32Array;
  /** HostNs; `until`: when it was decided, or the end of the trace. */
  readonly from: Float64Array;
  readonly until: Float64Array;
  /** LATE_*. */
  readonly mode: Uint8Array;
}

export function lateRows({ rows }: LateLog, end: number): LateRows {
  return {
    length: rows.length,
    thread: Int32Array.from(rows, ({ thread }) => thread),
    from: Float64Array.from(rows, ({ from }) => from),
    until: Float64Array.from(rows, ({ until }) => (Number.isNaN(until) ? end : until)),
    mode: Uint8Array.from(rows, ({ mode }) => mode),
  };
}

/** Stands for a pending call: the thread is in the kernel until it leaves the CPU, and late after that. */
export const CALL_UNTIL_SWITCH = -2;

/** Stands for a late call: an odd number until the thread leaves its CPU for the first time, then an even one. */
function lateCall(row: number, isBehind: boolean): number {
  return -3 - 2 * row - (isBehind ? 1 : 0);
}

/** Row of the number that stands for a late call. */
export function lateRow(call: number): number {
  return (-3 - call) >> 1;
}

export function isLate(call: number): boolean {
  return call < CALL_UNTIL_SWITCH;
}

/** Begins an interval of the thread on its CPU. */
export function beginLate(kernel: KernelModel, thread: number): void {
  const { late, threads, now } = kernel;
  threads.call[thread] = lateCall(late.rows.length, false);
  late.rows.push({ thread, from: now, until: NaN, mode: LATE_USER });
}

/** Notes that the thread leaves its CPU: from here on its next system call event decides, unless events are lost before. */
export function leaveLate(kernel: KernelModel, thread: number): void {
  const { late, threads } = kernel;
  const call = threads.call[thread];
  if (call >= -1) return;
  if (call === CALL_UNTIL_SWITCH) beginLate(kernel, thread);
  const row = lateRow(threads.call[thread]);
  threads.call[thread] = lateCall(row, true);
  late.open.add(row);
}

/** Decides and ends the thread's interval. */
export function decideLate({ late, threads, now }: KernelModel, thread: number, mode: number): void {
  const row = lateRow(threads.call[thread]);
  threads.call[thread] = -1;
  late.rows[row].until = now;
  late.rows[row].mode = mode;
  late.open.delete(row);
}

/** Handles a loss on some CPU, which may include the deciding events. */
export function loseLate(kernel: KernelModel): readonly number[] {
  const threads = [...kernel.late.open].map((row) => kernel.late.rows[row].thread);
  for (const thread of threads) decideLate(kernel, thread, LATE_USER);
  return threads;
}

/** Records that the state of the thread in [from, until) was `value`. */
export function overrule(
  { overruled }: KernelModel,
  thread: number,
  from: number,
  until: number,
  value: number,
): void {
  if (from < until) overruled.push({ thread, from, until, value });
}

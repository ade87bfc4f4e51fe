/** Changes of threads: lives, states, blockings, names. All of them reach the history here. */
import { means, MEANS_KERNEL_THREAD, MEANS_WORKER, textOf } from '../map/kernel-texts.ts';
import * as values from '../../events/values.ts';
import type { KernelModel } from './kernel-model.ts';
import { decideLate, isLate, LATE_KERNEL, LATE_USER, lateRow, overrule } from './late-log.ts';
import { hidesWakeUp, overlapsLoss } from './losses.ts';
import {
  addThread,
  attributeOf,
  findThread,
  learn,
  NAMED_KERNEL,
  NAMED_WORKER,
  QUEUED_SOMEWHERE,
} from './thread-table.ts';

/** Cause and detail of a blocking without the state, which `blockedValue` adds. */
export function causeValue(cause: number, detail: number): number {
  return cause * 16 + (detail + 1) * 512;
}

/** Cause of which only the reason for being unknown is known. */
export function unknownCause(kernel: KernelModel, why: string): number {
  return causeValue(values.CAUSE_UNKNOWN, textOf(kernel.texts, why));
}

/** Row of the present life of a tid; its first mention begins a life in state unknown. */
export function threadOf(kernel: KernelModel, tid: number): number {
  const thread = findThread(kernel.threads, tid);
  return thread >= 0 ? thread : beginThread(kernel, tid, -1);
}

/** Begins a new life; `idleCpu` is the CPU of an idle thread (tid 0), else -1. */
export function beginThread(kernel: KernelModel, tid: number, idleCpu: number): number {
  const { threads, sink } = kernel;
  const thread = addThread(threads, tid, idleCpu, kernel.now);
  sink.set(attributeOf(sink, threads, thread, 'state'), values.STATE_UNKNOWN);
  return thread;
}

/** Begins the idle thread of a CPU, a life of its own per CPU. */
export function beginIdleThread(kernel: KernelModel, cpu: number): number {
  const thread = beginThread(kernel, 0, cpu);
  kernel.threads.pid[thread] = 0;
  setName(kernel, thread, textOf(kernel.texts, `swapper/${cpu}`));
  return thread;
}

export function setState(kernel: KernelModel, thread: number, state: number): void {
  const { threads } = kernel;
  if (threads.state[thread] === state) return;
  threads.state[thread] = state;
  threads.since[thread] = kernel.now;
  threads.hole[thread] = 0;
  kernel.sink.set(threads.stateAttribute[thread], storedState(kernel, thread, state));
}

/** Stored value of a state, with its row of `LateRows` if it is decided later. */
function storedState({ threads }: KernelModel, thread: number, state: number): number {
  return state === values.STATE_RUNNING ? state + (lateRow(threads.call[thread]) + 1) * 512 : state;
}

export function isBlocked(kernel: KernelModel, thread: number): boolean {
  return values.isAsleep(kernel.threads.state[thread]);
}

export function isGone(kernel: KernelModel, thread: number): boolean {
  return isGoneState(kernel.threads.state[thread]);
}

export function isGoneState(state: number): boolean {
  return state === values.STATE_ZOMBIE || state === values.STATE_DEAD;
}

/** Begins a blocking: `state` is one of 6 to 10. */
export function beginBlocking(kernel: KernelModel, thread: number, state: number): void {
  setState(kernel, thread, state);
  kernel.threads.blockedSince[thread] = kernel.now;
}

/** Ends the blocking with `cause` (`causeValue`), and begins `next`. */
export function endBlocking(kernel: KernelModel, thread: number, cause: number, next: number): void {
  const { threads, sink, losses } = kernel;
  const since = threads.blockedSince[thread];
  const lossy = overlapsLoss(losses, since, kernel.now) ? 256 : 0;
  const stored = storedState(kernel, thread, next);
  sink.settle(threads.stateAttribute[thread], threads.state[thread] + cause + lossy, stored);
  threads.state[thread] = next;
  threads.since[thread] = kernel.now;
  threads.blockedSince[thread] = NaN;
}

/** Ends the blocking with a signal given before it began, while the thread was leaving its CPU. */
export function endBlockingByPending(kernel: KernelModel, thread: number, next: number): void {
  const { threads, signals, now } = kernel;
  const signal = threads.pendingCauseAt[thread];
  signals.append({ thread, end: now, signal, cpu: -1, frame: 0, hasPacket: 0 });
  endBlocking(kernel, thread, threads.pendingCause[thread], next);
}

/**
 * Whether a thread that left its CPU in S stayed runnable: with a signal pending it is not taken off the queue,
 * though prev_state says S, and nobody wakes it. Known only at its next switch-in.
 */
export function stayedRunnable(kernel: KernelModel, thread: number): boolean {
  const { threads, losses } = kernel;
  return (
    kernel.readsStateOnce &&
    threads.signalled[thread] === 1 &&
    threads.state[thread] === values.STATE_BLOCKED_S &&
    threads.pendingCause[thread] === 0 &&
    !hidesWakeUp(losses, threads.blockedSince[thread]) &&
    (kernel.hasWaking || kernel.cpus.seen.wakeUps[0] === 1)
  );
}

/** Turns an apparent wait into a preemption, and begins `next`. */
export function endStay(kernel: KernelModel, thread: number, next: number): void {
  const { threads, now } = kernel;
  overrule(kernel, thread, threads.blockedSince[thread], now, values.STATE_PREEMPTED);
  setState(kernel, thread, next);
  threads.blockedSince[thread] = NaN;
  threads.voluntary[thread]--;
  threads.preemptions[thread]++;
}

/**
 * Ends the rows of a thread of which nothing is left, so that no segment repeats them to the end of the trace. The
 * table tells that it is dead from here on.
 */
export function closeThread(kernel: KernelModel, thread: number): void {
  const { threads, sink } = kernel;
  // If it was freed while the trace did not show it on a CPU, it leaves that later.
  if (!Number.isNaN(threads.closedAt[thread])) return;
  endCall(kernel, thread);
  threads.closedAt[thread] = kernel.now;
  sink.end(threads.stateAttribute[thread]);
  if (threads.nameAttribute[thread] >= 0) sink.end(threads.nameAttribute[thread]);
  if (threads.cpuAttribute[thread] >= 0) sink.end(threads.cpuAttribute[thread]);
}

/**
 * @param name index of the history's strings, -1 not known
 * @returns see `learn`
 */
export function setName(kernel: KernelModel, thread: number, name: number): boolean {
  const { threads, sink, texts } = kernel;
  if (name < 0 || threads.name[thread] === name) return false;
  threads.name[thread] = name;
  sink.set(attributeOf(sink, threads, thread, 'name'), name);
  const bits =
    (means(texts, name, MEANS_KERNEL_THREAD) ? NAMED_KERNEL : 0) |
    (means(texts, name, MEANS_WORKER) ? NAMED_WORKER : 0);
  return learn(threads, thread, bits, kernel.now);
}

/** Sets the CPU that the thread runs on, is queued on, or was on last; if it was queued on an unknown CPU, it was this one. */
export function setLastCpu(kernel: KernelModel, thread: number, cpu: number): void {
  const { threads, sink } = kernel;
  const before = threads.lastCpu[thread];
  if (cpu < 0 || before === cpu) return;
  threads.lastCpu[thread] = cpu;
  const attribute = attributeOf(sink, threads, thread, 'cpu');
  if (before === QUEUED_SOMEWHERE) sink.settle(attribute, cpu, cpu);
  else sink.set(attribute, cpu);
}

/** Notes that the thread is queued; the trace shows on which CPU when it runs. */
export function queueSomewhere({ threads, sink }: KernelModel, thread: number): void {
  threads.lastCpu[thread] = QUEUED_SOMEWHERE;
  sink.set(attributeOf(sink, threads, thread, 'cpu'), values.CPU_NOT_KNOWN);
}

/** Begins a system call; `name`: index of the history's strings. */
export function beginCall(kernel: KernelModel, thread: number, name: number): void {
  const { threads, sink } = kernel;
  if (isLate(threads.call[thread])) decideLate(kernel, thread, LATE_USER);
  threads.call[thread] = name;
  sink.set(attributeOf(sink, threads, thread, 'call'), name);
}

/** Ends the pending system call. */
export function endCall(kernel: KernelModel, thread: number): void {
  const { threads, sink } = kernel;
  const call = threads.call[thread];
  if (call === -1) return;
  if (isLate(call)) decideLate(kernel, thread, LATE_USER);
  threads.call[thread] = -1;
  if (call >= 0) sink.end(threads.callAttribute[thread]);
}

/** Handles the thread's return from a system call. */
export function returnFromCall(kernel: KernelModel, thread: number): void {
  kernel.threads.guest[thread] = 0;
  if (isLate(kernel.threads.call[thread])) decideLate(kernel, thread, LATE_KERNEL);
  else endCall(kernel, thread);
}

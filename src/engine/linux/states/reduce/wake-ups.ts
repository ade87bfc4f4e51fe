/**
 * Wake-ups as real kernels log them (engine/linux/states/RULES.md), and the giver of the signal: the innermost
 * interrupt of the CPU where it was logged, else its current thread.
 */
import { findInt, putInt } from '../../../analysis/compiled/int-index.ts';
import { softirqName } from '../../events/interrupt-names.ts';
import { causeOfDevice, textOf, type KernelTexts } from '../map/kernel-texts.ts';
import { FRAME_HRTIMER, FRAME_IRQ, FRAME_SOFTIRQ } from '../map/transitions.ts';
import * as values from '../../events/values.ts';
import {
  HAS_KNOWN_PACKET,
  HAS_PACKET,
  HAS_REQUEST,
  innermostFrame,
  innermostSerial,
  innermostWork,
} from './cpu-table.ts';
import { refreshCpu } from './cpu-states.ts';
import { countProblem, NOT_RECORDED, type KernelModel } from './kernel-model.ts';
import { noteSoftirqWait } from './softirq-rows.ts';
import {
  causeValue,
  endBlocking,
  endBlockingByPending,
  isBlocked,
  isGone,
  queueSomewhere,
  setLastCpu,
  setName,
  setState,
  threadOf,
  unknownCause,
} from './thread-states.ts';

const SOFTIRQ_CAUSES: Readonly<Record<number, number>> = {
  1: values.CAUSE_TIMER,
  2: values.CAUSE_NETWORK,
  3: values.CAUSE_NETWORK,
  4: values.CAUSE_DISK,
  5: values.CAUSE_DISK,
  8: values.CAUSE_TIMER,
};
/** Vectors by which one CPU notifies another: the true cause is elsewhere. */
const IPI_VECTORS = new Set(['reschedule', 'call_function', 'call_function_single', 'irq_work', 'ipi']);

/** Passed in one object that is reused for each wake-up. */
export interface WakeUp {
  tid: number;
  /** CPU on whose queue the thread is put, -1 not known. */
  target: number;
  /** Index of the history's strings, -1 not known. */
  name: number;
  /** True: `sched_waking`, in the waker's context; false: `sched_wakeup`, possibly logged by the target CPU. */
  waking: boolean;
}

export function onWakeUp(kernel: KernelModel, cpu: number, wakeUp: WakeUp): void {
  if (wakeUp.tid !== 0) wakeThread(kernel, cpu, wakeUp);
  // Only the first wake-up after the handler is its doing.
  if (wakeUp.waking || !kernel.hasWaking) kernel.cpus.threadedIrq[cpu] = -1;
}

function wakeThread(kernel: KernelModel, cpu: number, wakeUp: WakeUp): void {
  const { threads } = kernel;
  const thread = threadOf(kernel, wakeUp.tid);
  if (setName(kernel, thread, wakeUp.name) && threads.onCpu[thread] >= 0)
    refreshCpu(kernel, threads.onCpu[thread]);
  if (isGone(kernel, thread)) {
    countProblem(kernel, 'wake-up of a dead thread');
    return;
  }
  const state = threads.state[thread];
  const isReady = isBlocked(kernel, thread) || state === values.STATE_UNKNOWN || state === values.STATE_NEW;
  if (isBlocked(kernel, thread)) {
    wakeBlocked(kernel, cpu, thread, wakeUp.waking);
    threads.pendingCause[thread] = 0;
    threads.wakeups[thread]++;
  } else if (isReady) {
    // Of an unrecorded thread nothing more will be known.
    if (kernel.program !== undefined && threads.ran[thread] === 0 && state !== values.STATE_NEW) return;
    setState(kernel, thread, values.STATE_WOKEN);
    threads.pendingCause[thread] = 0;
    threads.wakeups[thread]++;
  } else if (threads.onCpu[thread] >= 0) {
    // The thread may still be leaving: a following blocking has this cause. After a wakeup none follows.
    const remember = wakeUp.waking && !isSelf(kernel, cpu, thread);
    const cause = remember ? causeOfSignal(kernel, cpu, thread) : 0;
    threads.pendingCause[thread] = cause;
    threads.pendingCauseAt[thread] = kernel.now;
  }
  if (threads.onCpu[thread] >= 0) return;
  // The target of a waking is where the thread was last.
  if (kernel.tellsQueues || !wakeUp.waking) setLastCpu(kernel, thread, wakeUp.target);
  else if (isReady) queueSomewhere(kernel, thread);
}

function wakeBlocked(kernel: KernelModel, cpu: number, thread: number, waking: boolean): void {
  const { cpus, signals, softirqs } = kernel;
  if (isSelf(kernel, cpu, thread)) countProblem(kernel, 'blocked thread wakes itself');
  if (!waking && kernel.threads.pendingCause[thread] !== 0) {
    endBlockingByPending(kernel, thread, values.STATE_WOKEN);
    return;
  }
  if (!waking && kernel.hasWaking) countProblem(kernel, 'wakeup of a blocked thread without waking');
  const cause = causeOfSignal(kernel, cpu, thread);
  const isThreaded = isWokenByIts(kernel, cpu, thread);
  // Drivers pass on packets in tasklets, too; the interrupt's number tells which packets.
  const work = isThreaded ? cpus.threadedWork[cpu] : innermostWork(cpus, cpu);
  const serial = isThreaded ? cpus.threadedSerial[cpu] : innermostSerial(cpus, cpu);
  const hasPacket = (work & HAS_KNOWN_PACKET) !== 0;
  const isOfSoftirq = !isThreaded && noteSoftirqWait(softirqs, cpus, cpu);
  if (hasPacket || isOfSoftirq)
    signals.append({
      thread,
      end: kernel.now,
      signal: kernel.now,
      cpu: cpus.number[cpu],
      frame: serial,
      hasPacket: hasPacket ? 1 : 0,
    });
  endBlocking(kernel, thread, cause, values.STATE_WOKEN);
}

function isSelf(kernel: KernelModel, cpu: number, thread: number): boolean {
  const { depth, current } = kernel.cpus;
  return depth[cpu] === 0 && current[cpu] === thread && !isWokenByIts(kernel, cpu, thread);
}

/** Whether a thread belongs to the interrupt whose handler has just asked for it: Linux wakes it when the handler has ended. */
function isWokenByIts({ cpus, threads, texts }: KernelModel, cpu: number, thread: number): boolean {
  const irq = cpus.threadedIrq[cpu];
  const name = threads.name[thread];
  return irq >= 0 && name >= 0 && texts.kind.irq[name] === irq;
}

/** Cause (`causeValue`) of a wait that a signal on `cpu` ends now. */
function causeOfSignal(kernel: KernelModel, cpu: number, target: number): number {
  const { depth, current } = kernel.cpus;
  if (isWokenByIts(kernel, cpu, target)) return causeOfThreaded(kernel, cpu);
  if (depth[cpu] > 0) return causeOfFrame(kernel, cpu);
  const waker = current[cpu];
  if (waker < 0)
    return unknownCause(kernel, kernel.program !== undefined ? NOT_RECORDED : 'current thread unknown');
  if (waker === target) return unknownCause(kernel, 'itself');
  if (kernel.threads.tid[waker] === 0) return causeOfIdle(kernel.texts);
  return causeValue(values.CAUSE_THREAD, waker);
}

function causeOfIdle(texts: KernelTexts): number {
  if (texts.idleCause === 0) texts.idleCause = causeValue(values.CAUSE_OTHER, textOf(texts, 'idle context'));
  return texts.idleCause;
}

/** Cause from the innermost interrupt of `cpu`. */
function causeOfFrame(kernel: KernelModel, cpu: number): number {
  const { cpus } = kernel;
  const at = innermostFrame(cpus, cpu);
  const kind = cpus.frames[at];
  const id = kind === FRAME_HRTIMER ? 0 : cpus.frames[at + 1];
  return causeOfInterrupt(kernel, kind, id, cpus.frames[at + 3], workIn(kind, id, innermostWork(cpus, cpu)));
}

/** Cause from the interrupt whose thread is woken. */
function causeOfThreaded(kernel: KernelModel, cpu: number): number {
  const { threadedIrq, threadedName, threadedWork } = kernel.cpus;
  const id = threadedIrq[cpu];
  return causeOfInterrupt(kernel, FRAME_IRQ, id, threadedName[cpu], workIn(FRAME_IRQ, id, threadedWork[cpu]));
}

/** Work of an interrupt that explains a wait better than its name: it completed a request, it received packets. */
export const WORK_NONE = 0;
export const WORK_NETWORK = 1;
export const WORK_DISK = 2;

/** @param happened HAS_* bits. Timers end waits because their time has come. */
function workIn(kind: number, id: number, happened: number): number {
  const counts = kind === FRAME_IRQ || (kind === FRAME_SOFTIRQ && SOFTIRQ_CAUSES[id] !== values.CAUSE_TIMER);
  if (!counts || (happened & (HAS_REQUEST | HAS_PACKET)) === 0) return WORK_NONE;
  return (happened & HAS_REQUEST) !== 0 ? WORK_DISK : WORK_NETWORK;
}

/** Cause from an interrupt, computed once per interrupt. */
function causeOfInterrupt(kernel: KernelModel, kind: number, id: number, name: number, work: number): number {
  const { texts } = kernel;
  const { causes } = texts;
  const row = findInt(causes.byInterrupt, causeKey(kind, id, work));
  const isKnown = row >= 0 && causes.kind[row] === kind && causes.id[row] === id;
  if (isKnown && causes.name[row] === name && causes.work[row] === work) return causes.value[row];
  const value = describeFrame(kernel, kind, id, name < 0 ? '' : texts.text[name], work);
  keepCause(texts, row, kind, id, name, work, value);
  return value;
}

function causeKey(kind: number, id: number, work: number): number {
  return (id << 4) | (work << 2) | kind;
}

/** @param row of the cause that had its key before, -1: none */
function keepCause(
  { memory, causes }: KernelTexts,
  row: number,
  kind: number,
  id: number,
  name: number,
  work: number,
  value: number,
): void {
  if (row < 0) {
    row = causes.length++;
    if (row === causes.kind.length) memory.widen(causes, 2 * row);
    putInt(causes.byInterrupt, causeKey(kind, id, work), row);
  }
  causes.kind[row] = kind;
  causes.id[row] = id;
  causes.name[row] = name;
  causes.work[row] = work;
  causes.value[row] = value;
}

function describeFrame(kernel: KernelModel, kind: number, id: number, name: string, work: number): number {
  const cause = (category: number, text: string) => causeValue(category, textOf(kernel.texts, text));
  const byWork = (byName: number) =>
    work === WORK_DISK ? values.CAUSE_DISK : work === WORK_NETWORK ? values.CAUSE_NETWORK : byName;
  switch (kind) {
    case FRAME_HRTIMER:
      return cause(values.CAUSE_TIMER, 'hrtimer');
    case FRAME_SOFTIRQ:
      return cause(byWork(SOFTIRQ_CAUSES[id] ?? values.CAUSE_OTHER), `softirq ${softirqName(id)}`);
    case FRAME_IRQ:
      return cause(byWork(causeOfDevice(name)), `irq ${id} ${name}`);
    default:
      if (name.includes('timer')) return cause(values.CAUSE_TIMER, `vector ${name}`);
      return cause(values.CAUSE_OTHER, IPI_VECTORS.has(name) ? 'ipi' : `vector ${name}`);
  }
}

/** Changes of CPUs: current thread, interrupt stack, and the states that follow from them (engine/linux/states/RULES.md). */
import { means, MEANS_SOFTIRQ_THREAD, MEANS_TIMER, textOf } from '../map/kernel-texts.ts';
import { FRAME_HRTIMER, FRAME_IRQ, FRAME_SOFTIRQ, FRAME_VECTOR, WAKE_THREAD } from '../map/transitions.ts';
import { SOFTIRQ_HRTIMER } from '../../events/interrupt-names.ts';
import * as values from '../../events/values.ts';
import {
  addCpu,
  cpuKey,
  findCpu,
  FRAME_WORDS,
  innermostFrame,
  innermostSerial,
  MAX_FRAMES,
  MOST_SOFTIRQS,
  type CpuTable,
} from './cpu-table.ts';
import { countProblem, type KernelModel } from './kernel-model.ts';
import { isLate, lateRow } from './late-log.ts';
import { beginCall, beginIdleThread, endCall, setLastCpu, setState } from './thread-states.ts';
import { IN_CALL, isSurelyProgram } from './thread-table.ts';

/** Row of a CPU; its first mention begins its life, with everything unknown. */
export function cpuOf(kernel: KernelModel, number: number): number {
  const { cpus, sink } = kernel;
  const known = findCpu(cpus, number);
  if (known >= 0) return known;
  const state = sink.attribute(['cpus', cpuKey(number), 'state'], 'state');
  const thread = sink.attribute(['cpus', cpuKey(number), 'thread'], 'integer');
  sink.set(state, values.CPU_UNKNOWN);
  sink.set(thread, 0);
  return addCpu(cpus, number, state, thread);
}

/** Row of the CPU's idle thread. */
export function idleThreadOf(kernel: KernelModel, cpu: number): number {
  const { cpus } = kernel;
  if (cpus.idle[cpu] < 0) {
    const idle = beginIdleThread(kernel, cpus.number[cpu]);
    cpus.idle[cpu] = idle;
  }
  return cpus.idle[cpu];
}

/** Makes `thread` (-1: unknown) the CPU's current one. The states follow with `refreshCpu`. */
export function setCurrent(kernel: KernelModel, cpu: number, thread: number): void {
  const { threads, sink, cpus } = kernel;
  const earlier = cpus.current[cpu];
  if (earlier === thread) return;
  if (earlier >= 0) {
    threads.onCpu[earlier] = -1;
    threads.guest[earlier] = 0;
  }
  cpus.current[cpu] = thread;
  sink.set(cpus.threadAttribute[cpu], thread + 1);
  if (thread < 0) return;
  threads.onCpu[thread] = cpu;
  setLastCpu(kernel, thread, cpus.number[cpu]);
}

/** State of a thread that is current on `cpu`, without its mode (`OwnMode`): user mode stands for any. */
export function runningState(kernel: KernelModel, cpu: number, thread: number): number {
  const { tid, call, guest } = kernel.threads;
  if (kernel.cpus.interrupting[cpu] > 0) return values.STATE_INTERRUPTED;
  // A softirq as the thread's own work.
  if (kernel.cpus.depth[cpu] > 0) return values.STATE_KERNEL;
  if (guest[thread] === 1) return values.STATE_GUEST;
  if (tid[thread] === 0 || call[thread] >= 0) return values.STATE_KERNEL;
  if (call[thread] === -1) return values.STATE_USER;
  return isLate(call[thread]) ? values.STATE_RUNNING : values.STATE_KERNEL;
}

/** Notes that the current thread, if it is a real one, enters or leaves its guest. */
export function setGuest(kernel: KernelModel, cpu: number, isInside: boolean): void {
  const { threads, cpus } = kernel;
  const thread = cpus.current[cpu];
  if (thread < 0 || threads.tid[thread] === 0) return;
  threads.guest[thread] = isInside && kernel.hasGuestExits ? 1 : 0;
  refreshCpu(kernel, cpu);
}

/** Derives the state of the CPU and of its current thread again. */
export function refreshCpu(kernel: KernelModel, cpu: number): void {
  const { cpus, sink } = kernel;
  const current = cpus.current[cpu];
  if (current >= 0) setState(kernel, current, runningState(kernel, cpu, current));
  const value = valueOf(kernel, cpu);
  if (value === cpus.value[cpu]) return;
  cpus.value[cpu] = value;
  sink.set(cpus.stateAttribute[cpu], value);
}

/** Value of a CPU: the innermost interrupt decides, even over an unknown thread. */
function valueOf(kernel: KernelModel, cpu: number): number {
  const { cpus, texts } = kernel;
  if (cpus.depth[cpu] > 0) {
    const { frames } = cpus;
    const frame = innermostFrame(cpus, cpu);
    const kind = frames[frame];
    const name = frames[frame + 3];
    if (kind === FRAME_SOFTIRQ) return values.cpuValue(values.CPU_SOFTIRQ, softirqNumber(frames[frame + 1]));
    if (kind === FRAME_HRTIMER) return values.CPU_TIMER;
    const isTimer = kind === FRAME_VECTOR && means(texts, name, MEANS_TIMER);
    return values.cpuValue(isTimer ? values.CPU_TIMER : values.CPU_HARDIRQ, name);
  }
  const thread = cpus.current[cpu];
  if (thread < 0) return values.CPU_UNKNOWN;
  const { tid, state, mode, call } = kernel.threads;
  if (tid[thread] === 0) return values.CPU_IDLE;
  if (state[thread] === values.STATE_KERNEL) return values.CPU_KERNEL;
  if (state[thread] === values.STATE_GUEST) return values.CPU_GUEST;
  if (state[thread] === values.STATE_RUNNING) return values.cpuValue(values.CPU_LATE, lateRow(call[thread]));
  if (isSurelyProgram(kernel.threads, thread)) return values.CPU_USER;
  return values.cpuValue(values.CPU_OF_MODE[mode[thread] as values.OwnMode], thread);
}

/** Number of a softirq from an event; -1 if no kernel has it. */
function softirqNumber(vec: number): number {
  return vec >= 0 && vec < MOST_SOFTIRQS ? vec : -1;
}

/** Begins an interrupt. A softirq that is its thread's own work, and timer functions that it calls, interrupt nobody. */
export function enterInterrupt(kernel: KernelModel, cpu: number, frame: Frame): void {
  const { cpus } = kernel;
  const { depth, frames, current, interrupting } = cpus;
  if (depth[cpu] === MAX_FRAMES) {
    countProblem(kernel, 'interrupts nested too deep');
    return;
  }
  const caller = isCalledBySoftirq(cpus, cpu, frame.kind) ? innermostSerial(cpus, cpu) : 0;
  const exempt =
    interrupting[cpu] === 0 &&
    (caller > 0 || (frame.kind === FRAME_SOFTIRQ && runsSoftirqs(kernel, current[cpu])));
  const place = cpu * MAX_FRAMES + depth[cpu]++;
  const at = place * FRAME_WORDS;
  frames[at] = frame.kind;
  frames[at + 1] = frame.id;
  frames[at + 2] = frame.id2;
  frames[at + 3] = frame.name;
  cpus.serials[place] = caller > 0 ? caller : ++cpus.seen.frames[0];
  cpus.entered[place] = kernel.now;
  cpus.raised[place] = frame.kind === FRAME_SOFTIRQ ? takeRaise(cpus, cpu, frame.id) : NaN;
  cpus.exempt[place] = exempt ? 1 : 0;
  cpus.work[place] = 0;
  if (frame.kind === FRAME_IRQ) cpus.threadedIrq[cpu] = -1;
  if (!exempt) interrupting[cpu]++;
  refreshCpu(kernel, cpu);
}

/** Whether softirqs outside of interrupts are a thread's own work: with PREEMPT_RT those of all threads but idle ones. */
function runsSoftirqs({ threads, texts, realTime }: KernelModel, thread: number): boolean {
  if (thread < 0 || threads.tid[thread] === 0) return false;
  return realTime || means(texts, threads.name[thread], MEANS_SOFTIRQ_THREAD);
}

/** Whether an entered frame is a timer function that the softirq HRTIMER calls. */
function isCalledBySoftirq(cpus: CpuTable, cpu: number, kind: number): boolean {
  if (kind !== FRAME_HRTIMER || cpus.depth[cpu] === 0) return false;
  const around = innermostFrame(cpus, cpu);
  return cpus.frames[around] === FRAME_SOFTIRQ && cpus.frames[around + 1] === SOFTIRQ_HRTIMER;
}

/** Notes that a softirq is raised on a CPU; the first time since its last entry there counts. */
export function raiseSoftirq({ cpus, now }: KernelModel, cpu: number, vec: number): void {
  const at = cpu * MOST_SOFTIRQS + vec;
  if (softirqNumber(vec) >= 0 && Number.isNaN(cpus.pending[at])) cpus.pending[at] = now;
}

/** Forgets which softirqs are pending. */
export function forgetRaises({ cpus }: KernelModel, cpu: number): void {
  cpus.pending.fill(NaN, cpu * MOST_SOFTIRQS, (cpu + 1) * MOST_SOFTIRQS);
}

/** HostNs when an entered softirq was raised; NaN: not seen. */
function takeRaise({ pending }: CpuTable, cpu: number, vec: number): number {
  if (softirqNumber(vec) < 0) return NaN;
  const at = cpu * MOST_SOFTIRQS + vec;
  const raised = pending[at];
  pending[at] = NaN;
  return raised;
}

/** Ends an interrupt: pops to its entry; an exit without entry is only counted, as nothing tells how long it ran. */
export function leaveInterrupt(kernel: KernelModel, cpu: number, frame: Frame): void {
  const { depth, frames, exempt, interrupting } = kernel.cpus;
  const first = cpu * MAX_FRAMES;
  if (frame.kind === FRAME_IRQ) kernel.cpus.threadedIrq[cpu] = -1;
  let entry = first + depth[cpu] - 1;
  for (; entry >= first; entry--) {
    const at = entry * FRAME_WORDS;
    if (frames[at] === frame.kind && frames[at + 1] === frame.id && frames[at + 2] === frame.id2) break;
  }
  if (entry < first) {
    countProblem(kernel, 'interrupt exit without entry');
    return;
  }
  if (frame.kind === FRAME_IRQ && frame.ret > 0 && (frame.ret & WAKE_THREAD) !== 0)
    expectThread(kernel.cpus, cpu, entry);
  const end = first + depth[cpu];
  if (entry < end - 1) countProblem(kernel, 'interrupt exit skips frames');
  for (let i = entry; i < end; i++) if (exempt[i] === 0) interrupting[cpu]--;
  depth[cpu] = entry - first;
  refreshCpu(kernel, cpu);
}

/** Notes that an interrupt has ended whose thread is woken next. */
function expectThread(cpus: CpuTable, cpu: number, place: number): void {
  const at = place * FRAME_WORDS;
  cpus.threadedIrq[cpu] = cpus.frames[at + 1];
  cpus.threadedName[cpu] = cpus.frames[at + 3];
  cpus.threadedSerial[cpu] = cpus.serials[place];
  cpus.threadedWork[cpu] = cpus.work[place];
}

/** An interrupt: FRAME_* and its number (for hrtimers the halves of an address; for vectors the name). */
export interface Frame {
  kind: number;
  id: number;
  id2: number;
  /** Index of the history's strings, -1 none. */
  name: number;
  /** Return value of the handler of a FRAME_IRQ; -1 not known. */
  ret: number;
}

export function emptyInterruptStack({ cpus }: KernelModel, cpu: number): void {
  cpus.depth[cpu] = 0;
  cpus.interrupting[cpu] = 0;
}

/** Forgets which interrupts the CPU is in, and which are pending. */
export function forgetInterrupts(kernel: KernelModel, cpu: number): void {
  emptyInterruptStack(kernel, cpu);
  kernel.cpus.threadedIrq[cpu] = -1;
  forgetRaises(kernel, cpu);
}

/** Forgets who runs on the CPU, and in which call. The states follow with `refreshCpu`. */
export function forgetThread(kernel: KernelModel, cpu: number): void {
  const { threads, cpus } = kernel;
  const thread = cpus.current[cpu];
  if (thread < 0) return;
  setCurrent(kernel, cpu, -1);
  threads.pendingCause[thread] = 0;
  threads.evidence[thread] &= ~IN_CALL;
  endCall(kernel, thread);
  setState(kernel, thread, values.STATE_UNKNOWN);
}

/** Notes that system calls were lost: another one may be pending. The thread keeps its mode until its next one. */
export function forgetCall(kernel: KernelModel, cpu: number): void {
  const thread = kernel.cpus.current[cpu];
  if (thread >= 0 && kernel.threads.call[thread] >= 0)
    beginCall(kernel, thread, textOf(kernel.texts, 'unknown'));
}

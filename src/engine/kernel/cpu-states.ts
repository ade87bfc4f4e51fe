/** Changes of CPUs: current thread, interrupt stack, and the states that follow from both (spec 03 "CPUs"). */
import { addCpu, cpuKey, findCpu, FRAME_WORDS, MAX_FRAMES } from './cpu-table.ts';
import type { Cpu } from './cpu-table.ts';
import { countProblem } from './kernel-model.ts';
import type { KernelModel } from './kernel-model.ts';
import { KIND_KERNEL, KIND_USER } from './thread-table.ts';
import { beginIdleThread, endCall, setLastCpu, setState } from './thread-states.ts';
import { FRAME_HRTIMER, FRAME_SOFTIRQ, FRAME_VECTOR } from './transitions.ts';
import * as v from './values.ts';

/** Linux keeps them in the bits of one word. */
const MOST_SOFTIRQS = 32;

/** The row of a CPU; its first mention begins its life, with nothing known. */
export function cpuOf(kernel: KernelModel, number: number): Cpu {
  const { cpus, sink } = kernel;
  const known = findCpu(cpus, number);
  if (known >= 0) return cpus.rows[known];
  const state = sink.attribute(['cpus', cpuKey(number), 'state'], 'state');
  const thread = sink.attribute(['cpus', cpuKey(number), 'thread'], 'integer');
  sink.set(state, v.CPU_UNKNOWN);
  sink.set(thread, 0);
  return cpus.rows[addCpu(cpus, number, state, thread)];
}

/** Row of the CPU's idle thread. */
export function idleThreadOf(kernel: KernelModel, cpu: Cpu): number {
  if (cpu.idle < 0) cpu.idle = beginIdleThread(kernel, cpu.number);
  return cpu.idle;
}

/** Makes `thread` (-1: unknown) the CPU's current one. The states follow with `refreshCpu`. */
export function setCurrent(kernel: KernelModel, cpu: Cpu, thread: number): void {
  const { threads, sink, cpus } = kernel;
  if (cpu.current === thread) return;
  if (cpu.current >= 0) threads.onCpu[cpu.current] = -1;
  cpu.current = thread;
  sink.set(cpu.threadAttribute, thread + 1);
  if (thread < 0) return;
  threads.onCpu[thread] = findCpu(cpus, cpu.number);
  setLastCpu(kernel, thread, cpu.number);
}

/** State of a thread that is current on `cpu`. */
export function runningState(kernel: KernelModel, cpu: Cpu, thread: number): number {
  const { kind, tid, call } = kernel.threads;
  if (cpu.interrupting > 0) return v.STATE_INTERRUPTED;
  return kind[thread] === KIND_KERNEL || tid[thread] === 0 || call[thread] >= 0
    ? v.STATE_KERNEL
    : v.STATE_USER;
}

/** Derives the state of the CPU and of its current thread again. */
export function refreshCpu(kernel: KernelModel, cpu: Cpu): void {
  if (cpu.current >= 0) setState(kernel, cpu.current, runningState(kernel, cpu, cpu.current));
  const value = valueOf(kernel, cpu);
  if (value === cpu.value) return;
  cpu.value = value;
  kernel.sink.set(cpu.stateAttribute, value);
}

/** The innermost interrupt decides, also over an unknown thread (Q22). */
function valueOf(kernel: KernelModel, cpu: Cpu): number {
  if (cpu.depth > 0) {
    const frame = (cpu.depth - 1) * FRAME_WORDS;
    const kind = cpu.frames[frame];
    const name = cpu.frames[frame + 3];
    if (kind === FRAME_SOFTIRQ) return v.cpuValue(v.CPU_SOFTIRQ, softirqNumber(cpu.frames[frame + 1]));
    if (kind === FRAME_HRTIMER) return v.CPU_TIMER;
    const isTimer = kind === FRAME_VECTOR && kernel.texts.isTimerVector[name];
    return v.cpuValue(isTimer ? v.CPU_TIMER : v.CPU_HARDIRQ, name);
  }
  const thread = cpu.current;
  if (thread < 0) return v.CPU_UNKNOWN;
  const { tid, state, kind } = kernel.threads;
  if (tid[thread] === 0) return v.CPU_IDLE;
  if (state[thread] === v.STATE_KERNEL) return v.CPU_KERNEL;
  return kind[thread] === KIND_USER ? v.CPU_USER : v.cpuValue(v.CPU_USER_UNSURE, thread);
}

/** As events tell it, -1 for one that no kernel has. */
function softirqNumber(vec: number): number {
  return vec >= 0 && vec < MOST_SOFTIRQS ? vec : -1;
}

/** An interrupt begins. A softirq inside ksoftirqd is that thread's own work: it interrupts nobody. */
export function enterInterrupt(kernel: KernelModel, cpu: Cpu, frame: Frame): void {
  if (cpu.depth === MAX_FRAMES) {
    countProblem(kernel, 'interrupts nested too deep');
    return;
  }
  const name = cpu.current < 0 ? -1 : kernel.threads.name[cpu.current];
  const exempt =
    frame.kind === FRAME_SOFTIRQ && cpu.interrupting === 0 && name >= 0 && kernel.texts.isKsoftirqd[name];
  const at = cpu.depth * FRAME_WORDS;
  cpu.frames[at] = frame.kind;
  cpu.frames[at + 1] = frame.id;
  cpu.frames[at + 2] = frame.id2;
  cpu.frames[at + 3] = frame.name;
  cpu.serials[cpu.depth] = ++kernel.cpus.frames;
  cpu.exempt[cpu.depth++] = exempt ? 1 : 0;
  if (!exempt) cpu.interrupting++;
  refreshCpu(kernel, cpu);
}

/** An interrupt ends: pops to its entry; an exit without entry is only counted (Q21). */
export function leaveInterrupt(kernel: KernelModel, cpu: Cpu, frame: Frame): void {
  const { frames } = cpu;
  let depth = cpu.depth - 1;
  for (; depth >= 0; depth--) {
    const at = depth * FRAME_WORDS;
    if (frames[at] === frame.kind && frames[at + 1] === frame.id && frames[at + 2] === frame.id2) break;
  }
  if (depth < 0) {
    countProblem(kernel, 'interrupt exit without entry');
    return;
  }
  if (depth < cpu.depth - 1) countProblem(kernel, 'interrupt exit skips frames');
  for (let i = depth; i < cpu.depth; i++) if (cpu.exempt[i] === 0) cpu.interrupting--;
  cpu.depth = depth;
  refreshCpu(kernel, cpu);
}

/** An interrupt: FRAME_*, its number (hrtimers: the halves of an address; vectors: the name). */
export interface Frame {
  kind: number;
  id: number;
  id2: number;
  /** Index of the history's strings, -1 none. */
  name: number;
}

export function emptyInterruptStack(cpu: Cpu): void {
  cpu.depth = 0;
  cpu.interrupting = 0;
}

/** Nothing is known of the CPU any more: events were lost, or nobody traced. */
export function forgetCpu(kernel: KernelModel, cpu: Cpu): void {
  const thread = cpu.current;
  emptyInterruptStack(cpu);
  if (thread >= 0) {
    setCurrent(kernel, cpu, -1);
    loseThread(kernel, thread);
  }
  refreshCpu(kernel, cpu);
}

function loseThread(kernel: KernelModel, thread: number): void {
  kernel.threads.remembered[thread] = 0;
  endCall(kernel, thread);
  setState(kernel, thread, v.STATE_UNKNOWN);
}

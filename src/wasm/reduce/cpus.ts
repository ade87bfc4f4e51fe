/** CPUs: `engine/linux/states/reduce/cpu-table.ts` and `cpu-states.ts`. */
import { INDEX } from '../../engine/analysis/compiled/int-index';
import { SOFTIRQ_HRTIMER } from '../../engine/linux/events/interrupt-names';
import { CPU, FRAME_WORDS, MAX_FRAMES, MOST_SOFTIRQS, SEEN } from '../../engine/linux/states/reduce/cpu-table';
import { THREAD } from '../../engine/linux/states/reduce/thread-table';
import { MEANS_SOFTIRQ_THREAD, MEANS_TIMER } from '../../engine/linux/states/map/kernel-texts';
import {
  FRAME_HRTIMER,
  FRAME_IRQ,
  FRAME_SOFTIRQ,
  FRAME_VECTOR,
  WAKE_THREAD,
} from '../../engine/linux/states/map/transitions';
import * as values from '../../engine/linux/events/values';
import { I32Column } from '../columns';
import { findInt } from '../hash';
import { change, set, timeMovedTo } from './history';
import { takeRaise } from './softirqs';
import { means, NEW_TEXT, textOfChunk } from './texts';
import * as threads from './threads';

// Bytes of a frame: kind, id, second half of the id, name.
export const KIND: usize = 0;
export const ID: usize = 4;
const ID2: usize = 8;
export const NAME: usize = 12;
/** Only of the exit of a FRAME_IRQ. */
const RETURNED: usize = 16;

let numbers: I32Column = changetype<I32Column>(0);
let numberRows: I32Column = changetype<I32Column>(0);
let numberMask: i32 = 0;

/** Softirqs outside of interrupts are the current thread's own work. */
let realTime: bool = false;

export function setRealTime(isRealTime: bool): void {
  realTime = isRealTime;
}

/** Directory of the map from numbers to rows. */
export function placeCpuNumbers(index: INDEX): void {
  numbers = index.keys;
  numberRows = index.values;
  numberMask = index.capacity - 1;
}

/** Directories of the table of CPUs, and of what was seen on all of them. */
export function placeCpus(table: CPU, seen: SEEN): void {
  CPU.bind(table);
  SEEN.bind(seen);
}

/** Row of a CPU, -1 none. */
@inline
export function findCpu(id: i32): i32 {
  return findInt(numbers, numberRows, numberMask, id);
}

/** Address of frame `place` of the stack of a CPU. */
@inline
function frameAt(cpu: i32, place: i32): usize {
  return CPU.frames.at((cpu * MAX_FRAMES + place) * FRAME_WORDS);
}

/** Address of the innermost frame; the CPU is in an interrupt. */
@inline
export function innermostFrame(cpu: i32): usize {
  return frameAt(cpu, CPU.depth[cpu] - 1);
}

/** Serial number of the innermost frame, 0 outside of interrupts. */
@inline
export function innermostSerial(cpu: i32): i32 {
  const place = CPU.depth[cpu] - 1;
  return place >= 0 ? CPU.serials[cpu * MAX_FRAMES + place] : 0;
}

/** Something happens (HAS_* bits), in the innermost interrupt or outside of any. */
@inline
export function noteWork(cpu: i32, happened: i32): void {
  const place = CPU.depth[cpu] - 1;
  if (place < 0) return;
  const frame = cpu * MAX_FRAMES + place;
  CPU.work[frame] = CPU.work[frame] | happened;
}

/** Work that happened in the innermost interrupt so far; 0 outside of any. */
@inline
export function innermostWork(cpu: i32): i32 {
  const place = CPU.depth[cpu] - 1;
  return place >= 0 ? CPU.work[cpu * MAX_FRAMES + place] : 0;
}

/** `thread` is current, instead of another one that left; the states follow with `refreshCpu`. */
export function setCurrent(cpu: i32, thread: i32): void {
  CPU.current[cpu] = thread;
  set(CPU.threadAttribute[cpu], <f64>thread + 1);
  THREAD.onCpu[thread] = cpu;
  threads.setLastCpu(thread, CPU.number[cpu]);
}

/** Derives the state of the CPU and of its current thread again. */
@inline
export function refreshCpu(cpu: i32): void {
  if (CPU.depth[cpu] > 0) refreshInterrupted(cpu);
  else refreshRunning(cpu, CPU.current[cpu]);
}

/** The same outside of interrupts. */
@inline
export function refreshRunning(cpu: i32, thread: i32): void {
  let state = values.STATE_UNKNOWN;
  if (thread >= 0) {
    state = threads.ownState(thread);
    threads.setState(thread, state);
  }
  setValue(cpu, valueOfThread(thread, state));
}

/** The same within one. */
@inline
function refreshInterrupted(cpu: i32): void {
  const thread = CPU.current[cpu];
  if (thread >= 0) {
    // A softirq that interrupts nobody is the thread's own work.
    const state = CPU.interrupting[cpu] > 0 ? values.STATE_INTERRUPTED : values.STATE_KERNEL;
    threads.setState(thread, state);
  }
  setValue(cpu, valueOfFrame(innermostFrame(cpu)));
}

@inline
function setValue(cpu: i32, derived: f64): void {
  if (derived === CPU.value[cpu]) return;
  CPU.value[cpu] = derived;
  change(CPU.stateAttribute[cpu], derived);
}

@inline
function cpuOfMode(mode: i32): i32 {
  if (mode === values.STATE_USER) return values.CPU_USER;
  return mode === values.STATE_KERNEL ? values.CPU_KERNEL : values.CPU_RUNNING;
}

/** Value of a CPU outside of interrupts. */
@inline
function valueOfThread(thread: i32, state: i32): f64 {
  if (state === values.STATE_KERNEL) return THREAD.tid[thread] === 0 ? values.CPU_IDLE : values.CPU_KERNEL;
  if (thread < 0) return values.CPU_UNKNOWN;
  if (state === values.STATE_GUEST) return values.CPU_GUEST;
  if (state === values.STATE_RUNNING) return threads.lateValue(thread, values.CPU_LATE);
  return threads.isSurelyProgram(thread) ? values.CPU_USER : cpuValue(cpuOfMode(THREAD.mode[thread]), thread);
}

function valueOfFrame(frame: usize): f64 {
  const kind = load<i32>(frame, KIND);
  if (kind === FRAME_HRTIMER) return values.CPU_TIMER;
  if (kind === FRAME_SOFTIRQ) {
    const vec = load<i32>(frame, ID);
    return cpuValue(values.CPU_SOFTIRQ, <u32>vec < <u32>MOST_SOFTIRQS ? vec : -1);
  }
  const name = load<i32>(frame, NAME);
  const isTimer = kind === FRAME_VECTOR && means(name, MEANS_TIMER);
  return cpuValue(isTimer ? values.CPU_TIMER : values.CPU_HARDIRQ, name);
}

@inline
function cpuValue(state: i32, detail: i32): f64 {
  return <f64>state + (<f64>detail + 1) * 512;
}

/** @param args address of the transition's arguments: kind, id, second half of the id, name */
@inline
export function enterInterrupt(cpu: i32, args: usize): bool {
  const name = textOfChunk(load<i32>(args, NAME));
  const place = CPU.depth[cpu];
  if (name === NEW_TEXT || place === MAX_FRAMES) return false;
  const kind = load<i32>(args, KIND);
  const frame = frameAt(cpu, place);
  const caller = kind === FRAME_HRTIMER ? callerOfTimer(cpu) : 0;
  const isOwn = caller > 0 || (kind === FRAME_SOFTIRQ && runsSoftirqs(cpu));
  const isExempt = isOwn && CPU.interrupting[cpu] === 0;
  store<i32>(frame, kind, KIND);
  store<i32>(frame, kind === FRAME_VECTOR ? name : load<i32>(args, ID), ID);
  store<i32>(frame, load<i32>(args, ID2), ID2);
  store<i32>(frame, name, NAME);
  const serial = caller > 0 ? caller : SEEN.frames[0] + 1;
  if (caller === 0) SEEN.frames[0] = serial;
  CPU.serials[cpu * MAX_FRAMES + place] = serial;
  CPU.entered[cpu * MAX_FRAMES + place] = timeMovedTo();
  CPU.raised[cpu * MAX_FRAMES + place] = kind === FRAME_SOFTIRQ ? takeRaise(cpu, load<i32>(args, ID)) : NaN;
  CPU.exempt[cpu * MAX_FRAMES + place] = isExempt ? 1 : 0;
  CPU.work[cpu * MAX_FRAMES + place] = 0;
  if (kind === FRAME_IRQ) CPU.threadedIrq[cpu] = threads.NONE;
  if (!isExempt) CPU.interrupting[cpu] = CPU.interrupting[cpu] + 1;
  CPU.depth[cpu] = place + 1;
  refreshInterrupted(cpu);
  return true;
}

@inline
export function noteWakeUp(): void {
  SEEN.wakeUps[0] = 1;
}

@inline
function runsSoftirqs(cpu: i32): bool {
  const thread = CPU.current[cpu];
  if (thread < 0 || THREAD.tid[thread] === 0) return false;
  return realTime || means(THREAD.name[thread], MEANS_SOFTIRQ_THREAD);
}

/** Serial number of the softirq HRTIMER that a CPU is in, which calls timer functions; 0: it is in none. */
@inline
function callerOfTimer(cpu: i32): i32 {
  if (CPU.depth[cpu] === 0) return 0;
  const around = innermostFrame(cpu);
  const isCaller = load<i32>(around, KIND) === FRAME_SOFTIRQ && load<i32>(around, ID) === SOFTIRQ_HRTIMER;
  return isCaller ? innermostSerial(cpu) : 0;
}

/** The innermost interrupt ends. */
@inline
export function leaveInterrupt(cpu: i32, args: usize): bool {
  const place = CPU.depth[cpu] - 1;
  if (place < 0) return false;
  const frame = frameAt(cpu, place);
  const kind = load<i32>(args, KIND);
  const name = textOfChunk(load<i32>(args, NAME));
  if (name === NEW_TEXT) return false;
  const id = kind === FRAME_VECTOR ? name : load<i32>(args, ID);
  if (load<i32>(frame, KIND) !== kind || load<i32>(frame, ID) !== id) return false;
  if (load<i32>(frame, ID2) !== load<i32>(args, ID2)) return false;
  if (kind === FRAME_IRQ) endHandler(cpu, place, load<i32>(args, RETURNED));
  if (CPU.exempt[cpu * MAX_FRAMES + place] === 0) CPU.interrupting[cpu] = CPU.interrupting[cpu] - 1;
  CPU.depth[cpu] = place;
  refreshCpu(cpu);
  return true;
}

/** The thread of an interrupt is woken next, if its handler asked for it. */
@inline
function endHandler(cpu: i32, place: i32, returned: i32): void {
  if (returned < 0 || (returned & WAKE_THREAD) === 0) {
    CPU.threadedIrq[cpu] = threads.NONE;
    return;
  }
  const frame = frameAt(cpu, place);
  CPU.threadedIrq[cpu] = load<i32>(frame, ID);
  CPU.threadedName[cpu] = load<i32>(frame, NAME);
  CPU.threadedSerial[cpu] = CPU.serials[cpu * MAX_FRAMES + place];
  CPU.threadedWork[cpu] = CPU.work[cpu * MAX_FRAMES + place];
}

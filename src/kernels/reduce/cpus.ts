/** CPUs: `engine/kernel/reduce/cpu-table.ts` and `cpu-states.ts`. */
import { columnOf, f64At, i32At, setF64, setI32, setU8, u8At } from '../columns';
import { findInt } from '../int-index';
import { change, set } from './history';
import { means, MEANS_KSOFTIRQD, MEANS_TIMER, NEW_TEXT, textOfLeaf } from './texts';
import * as threads from './threads';

export const FRAME_IRQ: i32 = 0;
export const FRAME_SOFTIRQ: i32 = 1;
export const FRAME_HRTIMER: i32 = 2;
export const FRAME_VECTOR: i32 = 3;

const MAX_FRAMES: i32 = 32;
/** Bytes of a frame: kind, id, second half of the id, name. */
const FRAME_SHIFT: usize = 4;
export const KIND: usize = 0;
export const ID: usize = 4;
const ID2: usize = 8;
export const NAME: usize = 12;
/** Only of the exit of a FRAME_IRQ. */
const RETURNED: usize = 16;

/** What a handler returns that wants its thread woken. */
const WAKE_THREAD: i32 = 2;

/** Happened in a frame (`cpu-table.ts`). */
export const HAS_KNOWN_PACKET: i32 = 1;
export const HAS_PACKET: i32 = 2;
export const HAS_REQUEST: i32 = 4;

const CPU_UNKNOWN: i32 = 0;
const CPU_IDLE: i32 = 1;
const CPU_USER: i32 = 2;
const CPU_KERNEL: i32 = 3;
const CPU_HARDIRQ: i32 = 4;
const CPU_SOFTIRQ: i32 = 5;
const CPU_TIMER: i32 = 6;
const CPU_USER_UNSURE: i32 = 7;
const CPU_LATE: i32 = 8;

const MOST_SOFTIRQS: u32 = 32;

let numbers: usize = 0;
let numberRows: usize = 0;
let numberMask: i32 = 0;

export let number: usize = 0;
export let current: usize = 0;
export let idle: usize = 0;
export let depth: usize = 0;
export let switches: usize = 0;
export let firstSwitch: usize = 0;
let frames: usize = 0;
let serials: usize = 0;
let exempt: usize = 0;
let work: usize = 0;
let interrupting: usize = 0;
let value: usize = 0;
let stateAttribute: usize = 0;
let threadAttribute: usize = 0;
export let threadedIrq: usize = 0;
export let threadedName: usize = 0;
export let threadedSerial: usize = 0;
export let threadedWork: usize = 0;
/** i32: frames entered so far; u8: a sched_waking or sched_wakeup was seen. */
let entered: usize = 0;
let wakeUps: usize = 0;

/** Directory of the map from numbers to rows. */
export function placeCpuNumbers(index: usize): void {
  numbers = columnOf(index, 0);
  numberRows = columnOf(index, 1);
  numberMask = i32At(index, 2) - 1;
}

/** Directories of the table of CPUs, and of what was seen on all of them. */
export function placeCpus(table: usize, seen: usize): void {
  number = columnOf(table, 0);
  current = columnOf(table, 1);
  idle = columnOf(table, 2);
  depth = columnOf(table, 3);
  frames = columnOf(table, 4);
  serials = columnOf(table, 5);
  exempt = columnOf(table, 6);
  work = columnOf(table, 7);
  interrupting = columnOf(table, 8);
  value = columnOf(table, 9);
  // First and last event are no concern here.
  firstSwitch = columnOf(table, 12);
  switches = columnOf(table, 13);
  stateAttribute = columnOf(table, 14);
  threadAttribute = columnOf(table, 15);
  // Nor is the frequency.
  threadedIrq = columnOf(table, 17);
  threadedName = columnOf(table, 18);
  threadedSerial = columnOf(table, 19);
  threadedWork = columnOf(table, 20);
  entered = columnOf(seen, 0);
  wakeUps = columnOf(seen, 1);
}

/** Row of a CPU, -1 none. */
@inline
export function findCpu(id: i32): i32 {
  return findInt(numbers, numberRows, numberMask, id);
}

/** Address of frame `place` of the stack of a CPU. */
@inline
function frameAt(cpu: i32, place: i32): usize {
  return frames + (<usize>(cpu * MAX_FRAMES + place) << FRAME_SHIFT);
}

/** Address of the innermost frame; the CPU is in an interrupt. */
@inline
export function innermostFrame(cpu: i32): usize {
  return frameAt(cpu, i32At(depth, cpu) - 1);
}

/** Serial number of the innermost frame, 0 outside of interrupts. */
@inline
export function innermostSerial(cpu: i32): i32 {
  const place = i32At(depth, cpu) - 1;
  return place >= 0 ? i32At(serials, cpu * MAX_FRAMES + place) : 0;
}

/** Something happens (HAS_* bits), in the innermost interrupt or outside of any. */
@inline
export function noteWork(cpu: i32, happened: i32): void {
  const place = i32At(depth, cpu) - 1;
  if (place < 0) return;
  const frame = cpu * MAX_FRAMES + place;
  setU8(work, frame, u8At(work, frame) | happened);
}

/** What happened in the innermost interrupt so far; 0 outside of any. */
@inline
export function innermostWork(cpu: i32): i32 {
  const place = i32At(depth, cpu) - 1;
  return place >= 0 ? u8At(work, cpu * MAX_FRAMES + place) : 0;
}

/** `thread` is current, instead of another one that left; the states follow with `refreshCpu`. */
export function setCurrent(cpu: i32, thread: i32): void {
  setI32(current, cpu, thread);
  set(i32At(threadAttribute, cpu), <f64>thread + 1);
  setI32(threads.onCpu, thread, cpu);
  threads.setLastCpu(thread, i32At(number, cpu));
}

/** Derives the state of the CPU and of its current thread again. */
@inline
export function refreshCpu(cpu: i32): void {
  if (i32At(depth, cpu) > 0) refreshInterrupted(cpu);
  else refreshRunning(cpu, i32At(current, cpu));
}

/** The same outside of interrupts. */
@inline
export function refreshRunning(cpu: i32, thread: i32): void {
  let state = threads.STATE_UNKNOWN;
  if (thread >= 0) {
    state = threads.ownState(thread);
    threads.setState(thread, state);
  }
  setValue(cpu, valueOfThread(thread, state));
}

/** The same within one. */
@inline
function refreshInterrupted(cpu: i32): void {
  const thread = i32At(current, cpu);
  if (thread >= 0) {
    const state = i32At(interrupting, cpu) > 0 ? threads.STATE_INTERRUPTED : threads.ownState(thread);
    threads.setState(thread, state);
  }
  setValue(cpu, valueOfFrame(innermostFrame(cpu)));
}

@inline
function setValue(cpu: i32, derived: f64): void {
  if (derived === f64At(value, cpu)) return;
  setF64(value, cpu, derived);
  change(i32At(stateAttribute, cpu), derived);
}

/** Of a CPU outside of interrupts. */
@inline
function valueOfThread(thread: i32, state: i32): f64 {
  if (state === threads.STATE_KERNEL) return i32At(threads.tid, thread) === 0 ? CPU_IDLE : CPU_KERNEL;
  if (thread < 0) return CPU_UNKNOWN;
  if (state === threads.STATE_LATE) return threads.lateValue(thread, CPU_LATE);
  return u8At(threads.kind, thread) === threads.KIND_USER ? CPU_USER : cpuValue(CPU_USER_UNSURE, thread);
}

function valueOfFrame(frame: usize): f64 {
  const kind = load<i32>(frame, KIND);
  if (kind === FRAME_HRTIMER) return CPU_TIMER;
  if (kind === FRAME_SOFTIRQ) {
    const vec = load<i32>(frame, ID);
    return cpuValue(CPU_SOFTIRQ, <u32>vec < MOST_SOFTIRQS ? vec : -1);
  }
  const name = load<i32>(frame, NAME);
  const isTimer = kind === FRAME_VECTOR && means(name, MEANS_TIMER);
  return cpuValue(isTimer ? CPU_TIMER : CPU_HARDIRQ, name);
}

@inline
function cpuValue(state: i32, detail: i32): f64 {
  return <f64>state + (<f64>detail + 1) * 512;
}

/** @param args address of the transition's arguments: kind, id, second half of the id, name */
@inline
export function enterInterrupt(cpu: i32, args: usize): bool {
  const name = textOfLeaf(load<i32>(args, NAME));
  const place = i32At(depth, cpu);
  if (name === NEW_TEXT || place === MAX_FRAMES) return false;
  const kind = load<i32>(args, KIND);
  const frame = frameAt(cpu, place);
  const isExempt = kind === FRAME_SOFTIRQ && i32At(interrupting, cpu) === 0 && runsKsoftirqd(cpu);
  store<i32>(frame, kind, KIND);
  store<i32>(frame, kind === FRAME_VECTOR ? name : load<i32>(args, ID), ID);
  store<i32>(frame, load<i32>(args, ID2), ID2);
  store<i32>(frame, name, NAME);
  const serial = load<i32>(entered) + 1;
  store<i32>(entered, serial);
  setI32(serials, cpu * MAX_FRAMES + place, serial);
  setU8(exempt, cpu * MAX_FRAMES + place, isExempt ? 1 : 0);
  setU8(work, cpu * MAX_FRAMES + place, 0);
  if (kind === FRAME_IRQ) setI32(threadedIrq, cpu, threads.NONE);
  if (!isExempt) setI32(interrupting, cpu, i32At(interrupting, cpu) + 1);
  setI32(depth, cpu, place + 1);
  refreshInterrupted(cpu);
  return true;
}

@inline
export function noteWakeUp(): void {
  store<u8>(wakeUps, 1);
}

@inline
function runsKsoftirqd(cpu: i32): bool {
  const thread = i32At(current, cpu);
  return thread >= 0 && means(i32At(threads.name, thread), MEANS_KSOFTIRQD);
}

/** The innermost interrupt ends. */
@inline
export function leaveInterrupt(cpu: i32, args: usize): bool {
  const place = i32At(depth, cpu) - 1;
  if (place < 0) return false;
  const frame = frameAt(cpu, place);
  const kind = load<i32>(args, KIND);
  const name = textOfLeaf(load<i32>(args, NAME));
  if (name === NEW_TEXT) return false;
  const id = kind === FRAME_VECTOR ? name : load<i32>(args, ID);
  if (load<i32>(frame, KIND) !== kind || load<i32>(frame, ID) !== id) return false;
  if (load<i32>(frame, ID2) !== load<i32>(args, ID2)) return false;
  if (kind === FRAME_IRQ) endHandler(cpu, place, load<i32>(args, RETURNED));
  if (u8At(exempt, cpu * MAX_FRAMES + place) === 0) setI32(interrupting, cpu, i32At(interrupting, cpu) - 1);
  setI32(depth, cpu, place);
  refreshCpu(cpu);
  return true;
}

/** The thread of an interrupt is woken next, if its handler asked for it. */
@inline
function endHandler(cpu: i32, place: i32, returned: i32): void {
  if (returned < 0 || (returned & WAKE_THREAD) === 0) {
    setI32(threadedIrq, cpu, threads.NONE);
    return;
  }
  const frame = frameAt(cpu, place);
  setI32(threadedIrq, cpu, load<i32>(frame, ID));
  setI32(threadedName, cpu, load<i32>(frame, NAME));
  setI32(threadedSerial, cpu, i32At(serials, cpu * MAX_FRAMES + place));
  setU8(threadedWork, cpu, u8At(work, cpu * MAX_FRAMES + place));
}

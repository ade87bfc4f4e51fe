/** Wake-ups of known threads by known causes (`engine/linux/states/reduce/wake-ups.ts`). */
import { INDEX } from '../../engine/analysis/compiled/int-index';
import { LOG_LENGTH } from '../../engine/base/tables';
import { SOFTIRQ_HRTIMER } from '../../engine/linux/events/interrupt-names';
import { CPU, HAS_KNOWN_PACKET, HAS_PACKET, HAS_REQUEST } from '../../engine/linux/states/reduce/cpu-table';
import { SIGNAL } from '../../engine/linux/states/reduce/signal-rows';
import { THREAD } from '../../engine/linux/states/reduce/thread-table';
import { WORK_DISK, WORK_NETWORK, WORK_NONE } from '../../engine/linux/states/reduce/wake-ups';
import { CAUSE } from '../../engine/linux/states/map/kernel-texts';
import { FRAME_HRTIMER, FRAME_IRQ, FRAME_SOFTIRQ } from '../../engine/linux/states/map/transitions';
import { CAUSE_THREAD, STATE_NEW, STATE_UNKNOWN, STATE_WOKEN } from '../../engine/linux/events/values';
import { I32Column } from '../columns';
import { findInt } from '../hash';
import * as cpus from './cpus';
import { beganHere, timeMovedTo } from './history';
import { noteSoftirqWait, takesSoftirq } from './softirqs';
import { irqOfThread, NEW_TEXT, NO_TEXT, textOfChunk } from './texts';
import * as threads from './threads';

// Bytes of the arguments.
const TID: usize = 0;
const TARGET: usize = 4;
const NAME: usize = 8;

const SOFTIRQ_TIMER: i32 = 1;

/** A cause that only TypeScript knows. */
const NEW_CAUSE: f64 = -1;

let interrupts: I32Column = changetype<I32Column>(0);
let interruptRows: I32Column = changetype<I32Column>(0);
let interruptMask: i32 = 0;

let hasWaking: bool = false;
let tellsQueues: bool = true;
/** Cause of what an idle CPU wakes; 0: not known yet. */
let idleCause: f64 = 0;
/** No loss reaches further (HostNs). */
let lostUntil: f64 = -Infinity;

/** Directories of the table of causes, and of the map from interrupts to its rows. */
export function placeCauses(table: CAUSE, byInterrupt: INDEX): void {
  CAUSE.bind(table);
  interrupts = byInterrupt.keys;
  interruptRows = byInterrupt.values;
  interruptMask = byInterrupt.capacity - 1;
}

export function setRecorded(waking: bool, queues: bool): void {
  hasWaking = waking;
  tellsQueues = queues;
}

/** Sets what may have changed with every transition that TypeScript did. */
export function setCircumstances(causeOfIdle: f64, lossesEnd: f64): void {
  idleCause = causeOfIdle;
  lostUntil = lossesEnd;
}

export function onWakeUp(cpu: i32, args: usize, isWaking: bool): bool {
  if (!wake(cpu, args, isWaking)) return false;
  cpus.noteWakeUp();
  return true;
}

/** The first one of a thread. */
export function onWakeUpNew(cpu: i32, args: usize): bool {
  return wake(cpu, args, false);
}

@inline
function wake(cpu: i32, args: usize, isWaking: bool): bool {
  if (!wakeThread(cpu, args, isWaking)) return false;
  if (isWaking || !hasWaking) CPU.threadedIrq[cpu] = threads.NONE;
  return true;
}

@inline
function wakeThread(cpu: i32, args: usize, isWaking: bool): bool {
  const tid = load<i32>(args, TID);
  if (tid === 0) return textOfChunk(load<i32>(args, NAME)) !== NEW_TEXT;
  const thread = threads.findThread(tid);
  if (thread < 0) return false;
  const name = textOfChunk(load<i32>(args, NAME));
  const target = load<i32>(args, TARGET);
  const state = THREAD.state[thread];
  if (name === NEW_TEXT || threads.isGone(state) || !threads.canBeNamed(thread, name)) return false;
  const isOn = THREAD.onCpu[thread] >= 0;
  // Of a waking the target is where the thread was last.
  const isTold = tellsQueues || !isWaking;
  if (!isOn && !(isTold ? threads.canBeOn(thread, target) : threads.canBeQueued(thread))) return false;
  const isReady = threads.isBlocked(state) || state === STATE_UNKNOWN || state === STATE_NEW;
  if (threads.isBlocked(state)) {
    if (!wakeBlocked(cpu, thread, name, isWaking)) return false;
  } else if (isReady) {
    threads.setName(thread, name);
    threads.setState(thread, STATE_WOKEN);
    noteWakeUp(thread);
  } else if (isOn) {
    const isThreaded = isWokenByIts(cpu, thread, name);
    const cause = isWaking && (isThreaded || !isSelf(cpu, thread)) ? causeOfSignal(cpu, isThreaded) : 0;
    if (cause === NEW_CAUSE) return false;
    threads.setName(thread, name);
    THREAD.pendingCause[thread] = cause;
    THREAD.pendingCauseAt[thread] = timeMovedTo();
  } else {
    threads.setName(thread, name);
  }
  if (isOn) return true;
  if (isTold) threads.setLastCpu(thread, target);
  else if (isReady) threads.queueSomewhere(thread);
  return true;
}

function wakeBlocked(cpu: i32, thread: i32, name: i32, isWaking: bool): bool {
  const isThreaded = isWokenByIts(cpu, thread, name);
  if (!isThreaded && isSelf(cpu, thread)) return false;
  if (!beganHere(THREAD.stateAttribute[thread])) return false;
  if (THREAD.blockedSince[thread] < lostUntil || !takesSignal() || !takesSoftirq()) return false;
  const now = timeMovedTo();
  if (!isWaking && THREAD.pendingCause[thread] !== 0) {
    threads.setName(thread, name);
    addSignal(thread, now, THREAD.pendingCauseAt[thread], -1, 0, false);
    threads.endBlocking(thread, THREAD.pendingCause[thread], STATE_WOKEN);
  } else {
    if (!isWaking && hasWaking) return false;
    const cause = causeOfSignal(cpu, isThreaded);
    if (cause === NEW_CAUSE) return false;
    threads.setName(thread, name);
    const work = isThreaded ? CPU.threadedWork[cpu] : cpus.innermostWork(cpu);
    const serial = isThreaded ? CPU.threadedSerial[cpu] : cpus.innermostSerial(cpu);
    const hasPacket = (work & HAS_KNOWN_PACKET) !== 0;
    const isOfSoftirq = !isThreaded && noteSoftirqWait(cpu);
    if (hasPacket || isOfSoftirq) addSignal(thread, now, now, CPU.number[cpu], serial, hasPacket);
    threads.endBlocking(thread, cause, STATE_WOKEN);
  }
  noteWakeUp(thread);
  return true;
}

@inline
function noteWakeUp(thread: i32): void {
  THREAD.pendingCause[thread] = 0;
  threads.count(THREAD.wakeups, thread);
}

@inline
function isSelf(cpu: i32, thread: i32): bool {
  return CPU.depth[cpu] === 0 && CPU.current[cpu] === thread;
}

/** Whether a thread is that of the interrupt whose handler has just asked for it. */
@inline
function isWokenByIts(cpu: i32, thread: i32, givenName: i32): bool {
  const irq = CPU.threadedIrq[cpu];
  return irq >= 0 && irqOfThread(givenName === NO_TEXT ? THREAD.name[thread] : givenName) === irq;
}

/**
 * Cause of a wait that a signal on `cpu` ends now, of a thread that is not the current one there; or NEW_CAUSE.
 * @param isThreaded by the interrupt that asked for the thread
 */
function causeOfSignal(cpu: i32, isThreaded: bool): f64 {
  if (isThreaded) {
    const work = CPU.threadedWork[cpu];
    return causeOfInterrupt(FRAME_IRQ, CPU.threadedIrq[cpu], CPU.threadedName[cpu], work);
  }
  if (CPU.depth[cpu] > 0) return causeOfFrame(cpus.innermostFrame(cpu), cpus.innermostWork(cpu));
  const waker = CPU.current[cpu];
  if (waker < 0) return NEW_CAUSE;
  if (THREAD.tid[waker] === 0) return idleCause === 0 ? NEW_CAUSE : idleCause;
  return <f64>(CAUSE_THREAD * 16) + (<f64>waker + 1) * 512;
}

@inline
function causeOfFrame(frame: usize, happened: i32): f64 {
  const kind = load<i32>(frame, cpus.KIND);
  const id = kind === FRAME_HRTIMER ? 0 : load<i32>(frame, cpus.ID);
  return causeOfInterrupt(kind, id, load<i32>(frame, cpus.NAME), happened);
}

function causeOfInterrupt(kind: i32, id: i32, name: i32, happened: i32): f64 {
  const work = workIn(kind, id, happened);
  const row = findInt(interrupts, interruptRows, interruptMask, (id << 4) | (work << 2) | kind);
  if (row < 0 || CAUSE.kind[row] !== kind || CAUSE.id[row] !== id) return NEW_CAUSE;
  if (CAUSE.name[row] !== name || CAUSE.work[row] !== work) return NEW_CAUSE;
  return CAUSE.value[row];
}

/** Work of an interrupt that gives the cause of a wait better than a name; timers are what they are. */
@inline
function workIn(kind: i32, id: i32, happened: i32): i32 {
  if ((happened & (HAS_REQUEST | HAS_PACKET)) === 0) return WORK_NONE;
  const isTimer = kind === FRAME_SOFTIRQ && (id === SOFTIRQ_TIMER || id === SOFTIRQ_HRTIMER);
  if (isTimer || (kind !== FRAME_IRQ && kind !== FRAME_SOFTIRQ)) return WORK_NONE;
  return (happened & HAS_REQUEST) !== 0 ? WORK_DISK : WORK_NETWORK;
}

/** A thread is moved to the queue of another CPU. */
export function onMigrate(args: usize): bool {
  const tid = load<i32>(args, TID);
  if (tid === 0) return true;
  const thread = threads.findThread(tid);
  if (thread < 0) return false;
  const isOn = THREAD.onCpu[thread] >= 0;
  const target = load<i32>(args, TARGET);
  if (!isOn && !threads.canBeOn(thread, target)) return false;
  threads.count(THREAD.migrations, thread);
  if (!isOn) threads.setLastCpu(thread, target);
  return true;
}

/** Signals in use; packets and softirqs have columns of their own. */
let signalCount: I32Column = changetype<I32Column>(0);
let signalCapacity: i32 = 0;

/** Directories of the signals' rows, and of how many there are. */
export function placeSignals(rows: SIGNAL, length: LOG_LENGTH): void {
  SIGNAL.bind(rows);
  signalCapacity = rows.capacity;
  signalCount = length.length;
}

/** Whether there is room for another one. */
@inline
function takesSignal(): bool {
  return signalCount[0] < signalCapacity;
}

/** Adds a signal of which the history does not hold enough: `engine/linux/states/reduce/signal-rows.ts`. */
function addSignal(
  woken: i32,
  endTime: f64,
  signalTime: f64,
  cpuNumber: i32,
  serial: i32,
  hasPacket: bool,
): void {
  const row = signalCount[0];
  signalCount[0] = row + 1;
  SIGNAL.thread[row] = woken;
  SIGNAL.end[row] = endTime;
  SIGNAL.signal[row] = signalTime;
  SIGNAL.cpu[row] = cpuNumber;
  SIGNAL.frame[row] = serial;
  SIGNAL.hasPacket[row] = hasPacket ? 1 : 0;
}

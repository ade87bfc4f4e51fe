/** Wake-ups of known threads by known causes (`engine/kernel/reduce/wake-ups.ts`). */
import { columnOf, f64At, i32At, setF64, setI32, u8At } from '../columns';
import { findInt } from '../int-index';
import * as cpus from './cpus';
import { beganHere, timeMovedTo } from './history';
import { addSignal, takesSignal } from './signals';
import { irqOfThread, NEW_TEXT, NO_TEXT, textOfLeaf } from './texts';
import * as threads from './threads';

// Bytes of the arguments.
const TID: usize = 0;
const TARGET: usize = 4;
const NAME: usize = 8;

const CAUSE_THREAD: i32 = 1;

const WORK_NONE: i32 = 0;
const WORK_NETWORK: i32 = 1;
const WORK_DISK: i32 = 2;

const SOFTIRQ_TIMER: i32 = 1;
const SOFTIRQ_HRTIMER: i32 = 8;

/** A cause that only TypeScript knows. */
const NEW_CAUSE: f64 = -1;

let causeKind: usize = 0;
let causeId: usize = 0;
let causeName: usize = 0;
let causeWork: usize = 0;
let causeOf: usize = 0;
let interrupts: usize = 0;
let interruptRows: usize = 0;
let interruptMask: i32 = 0;

let hasWaking: bool = false;
let tellsQueues: bool = true;
/** Cause of what an idle CPU wakes; 0: not known yet. */
let idleCause: f64 = 0;
/** No loss reaches further (TimeNs). */
let lostUntil: f64 = -Infinity;

/** Directories of the table of causes, and of the map from interrupts to its rows. */
export function placeCauses(table: usize, byInterrupt: usize): void {
  causeKind = columnOf(table, 0);
  causeId = columnOf(table, 1);
  causeName = columnOf(table, 2);
  causeWork = columnOf(table, 3);
  causeOf = columnOf(table, 4);
  interrupts = columnOf(byInterrupt, 0);
  interruptRows = columnOf(byInterrupt, 1);
  interruptMask = i32At(byInterrupt, 2) - 1;
}

export function setRecorded(waking: bool, queues: bool): void {
  hasWaking = waking;
  tellsQueues = queues;
}

/** What may have changed with every transition that TypeScript did. */
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
  if (isWaking || !hasWaking) setI32(cpus.threadedIrq, cpu, threads.NONE);
  return true;
}

@inline
function wakeThread(cpu: i32, args: usize, isWaking: bool): bool {
  const tid = load<i32>(args, TID);
  if (tid === 0) return textOfLeaf(load<i32>(args, NAME)) !== NEW_TEXT;
  const thread = threads.findThread(tid);
  if (thread < 0) return false;
  const name = textOfLeaf(load<i32>(args, NAME));
  const target = load<i32>(args, TARGET);
  const state = u8At(threads.state, thread);
  if (name === NEW_TEXT || threads.isGone(state) || !threads.canBeNamed(thread, name)) return false;
  const isOn = i32At(threads.onCpu, thread) >= 0;
  // Of a waking the target is where the thread was last.
  const isTold = tellsQueues || !isWaking;
  if (!isOn && !(isTold ? threads.canBeOn(thread, target) : threads.canBeQueued(thread))) return false;
  const isReady = threads.isBlocked(state) || state === threads.STATE_UNKNOWN || state === threads.STATE_NEW;
  if (threads.isBlocked(state)) {
    if (!wakeBlocked(cpu, thread, name, isWaking)) return false;
  } else if (isReady) {
    threads.setName(thread, name);
    threads.setState(thread, threads.STATE_WOKEN);
    noteWakeUp(thread);
  } else if (isOn) {
    const isThreaded = isWokenByIts(cpu, thread, name);
    const cause = isWaking && (isThreaded || !isSelf(cpu, thread)) ? causeOfSignal(cpu, isThreaded) : 0;
    if (cause === NEW_CAUSE) return false;
    threads.setName(thread, name);
    setF64(threads.remembered, thread, cause);
    setF64(threads.rememberedAt, thread, timeMovedTo());
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
  if (!beganHere(i32At(threads.stateAttribute, thread))) return false;
  if (f64At(threads.blockedSince, thread) < lostUntil || !takesSignal()) return false;
  const now = timeMovedTo();
  if (!isWaking && f64At(threads.remembered, thread) !== 0) {
    threads.setName(thread, name);
    addSignal(thread, now, f64At(threads.rememberedAt, thread), -1, 0);
    threads.endBlocking(thread, f64At(threads.remembered, thread), threads.STATE_WOKEN);
  } else {
    if (!isWaking && hasWaking) return false;
    const cause = causeOfSignal(cpu, isThreaded);
    if (cause === NEW_CAUSE) return false;
    threads.setName(thread, name);
    const work = isThreaded ? u8At(cpus.threadedWork, cpu) : cpus.innermostWork(cpu);
    const serial = isThreaded ? i32At(cpus.threadedSerial, cpu) : cpus.innermostSerial(cpu);
    if ((work & cpus.HAS_KNOWN_PACKET) !== 0) addSignal(thread, now, now, i32At(cpus.number, cpu), serial);
    threads.endBlocking(thread, cause, threads.STATE_WOKEN);
  }
  noteWakeUp(thread);
  return true;
}

@inline
function noteWakeUp(thread: i32): void {
  setF64(threads.remembered, thread, 0);
  threads.count(threads.wakeups, thread);
}

@inline
function isSelf(cpu: i32, thread: i32): bool {
  return i32At(cpus.depth, cpu) === 0 && i32At(cpus.current, cpu) === thread;
}

/** Whether a thread is that of the interrupt whose handler has just asked for it. */
@inline
function isWokenByIts(cpu: i32, thread: i32, told: i32): bool {
  const irq = i32At(cpus.threadedIrq, cpu);
  return irq >= 0 && irqOfThread(told === NO_TEXT ? i32At(threads.name, thread) : told) === irq;
}

/**
 * Cause of a wait that a signal on `cpu` ends now, of a thread that is not the current one there; or NEW_CAUSE.
 * @param isThreaded by the interrupt that asked for the thread
 */
function causeOfSignal(cpu: i32, isThreaded: bool): f64 {
  if (isThreaded) {
    const work = u8At(cpus.threadedWork, cpu);
    return causeOfInterrupt(cpus.FRAME_IRQ, i32At(cpus.threadedIrq, cpu), i32At(cpus.threadedName, cpu), work);
  }
  if (i32At(cpus.depth, cpu) > 0) return causeOfFrame(cpus.innermostFrame(cpu), cpus.innermostWork(cpu));
  const waker = i32At(cpus.current, cpu);
  if (waker < 0) return NEW_CAUSE;
  if (i32At(threads.tid, waker) === 0) return idleCause === 0 ? NEW_CAUSE : idleCause;
  return <f64>(CAUSE_THREAD * 16) + (<f64>waker + 1) * 512;
}

@inline
function causeOfFrame(frame: usize, happened: i32): f64 {
  const kind = load<i32>(frame, cpus.KIND);
  const id = kind === cpus.FRAME_HRTIMER ? 0 : load<i32>(frame, cpus.ID);
  return causeOfInterrupt(kind, id, load<i32>(frame, cpus.NAME), happened);
}

function causeOfInterrupt(kind: i32, id: i32, name: i32, happened: i32): f64 {
  const work = workIn(kind, id, happened);
  const row = findInt(interrupts, interruptRows, interruptMask, (id << 4) | (work << 2) | kind);
  if (row < 0 || i32At(causeKind, row) !== kind || i32At(causeId, row) !== id) return NEW_CAUSE;
  if (i32At(causeName, row) !== name || i32At(causeWork, row) !== work) return NEW_CAUSE;
  return f64At(causeOf, row);
}

/** What an interrupt did that tells the cause of a wait better than a name; timers are what they are. */
@inline
function workIn(kind: i32, id: i32, happened: i32): i32 {
  if ((happened & (cpus.HAS_REQUEST | cpus.HAS_PACKET)) === 0) return WORK_NONE;
  const isTimer = kind === cpus.FRAME_SOFTIRQ && (id === SOFTIRQ_TIMER || id === SOFTIRQ_HRTIMER);
  if (isTimer || (kind !== cpus.FRAME_IRQ && kind !== cpus.FRAME_SOFTIRQ)) return WORK_NONE;
  return (happened & cpus.HAS_REQUEST) !== 0 ? WORK_DISK : WORK_NETWORK;
}

/** A thread is moved to the queue of another CPU. */
export function onMigrate(args: usize): bool {
  const tid = load<i32>(args, TID);
  if (tid === 0) return true;
  const thread = threads.findThread(tid);
  if (thread < 0) return false;
  const isOn = i32At(threads.onCpu, thread) >= 0;
  const target = load<i32>(args, TARGET);
  if (!isOn && !threads.canBeOn(thread, target)) return false;
  threads.count(threads.migrations, thread);
  if (!isOn) threads.setLastCpu(thread, target);
  return true;
}

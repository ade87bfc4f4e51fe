/** Threads: `engine/linux/states/reduce/thread-table.ts` and `thread-states.ts`, but for what is odd. */
import { GAP } from '../../engine/history/intervals';
import { INDEX, SIZE } from '../../engine/analysis/compiled/int-index';
import { CALL_UNTIL_SWITCH } from '../../engine/linux/states/reduce/late-log';
import {
  CALLED,
  CALLED_WHOLE,
  COUNT,
  EXECED,
  IN_CALL,
  NAMED_KERNEL,
  NAMED_WORKER,
  QUEUED_SOMEWHERE,
  THREAD,
  TOLD_KERNEL,
  TOLD_PROGRAM,
} from '../../engine/linux/states/reduce/thread-table';
import * as values from '../../engine/linux/events/values';
import { MEANS_KERNEL_THREAD, MEANS_WORKER } from '../../engine/linux/states/map/kernel-texts';
import { F64Column, I32Column } from '../columns';
import { findInt, putInt } from '../hash';
import { beganHere, change, newMember, set, settle, takesAttributes, timeMovedTo } from './history';
import { means, NO_TEXT } from './texts';

/** Stands for no pending call, no CPU, no pid and no attribute. */
export const NONE: i32 = -1;

let tids: I32Column = changetype<I32Column>(0);
let tidRows: I32Column = changetype<I32Column>(0);
let tidMask: i32 = 0;
let capacity: i32 = 0;

let stateFamily: i32 = 0;
let cpuFamily: i32 = 0;
let callFamily: i32 = 0;
let nameFamily: i32 = 0;

/** Directories of the map from thread ids to rows, and of its size. */
export function placeTids(index: INDEX, size: SIZE): void {
  tids = index.keys;
  tidRows = index.values;
  tidMask = index.capacity - 1;
  SIZE.bind(size);
}

/** Directory of the table of threads, and of how many there are. */
export function placeThreads(table: THREAD, counts: COUNT): void {
  THREAD.bind(table);
  COUNT.bind(counts);
  capacity = table.capacity;
}

/** Mode of a thread of which nothing is known. */
let firstMode: i32 = values.STATE_USER;

export function setFirstMode(mode: i32): void {
  firstMode = mode;
}

/** Numbers of the families of attributes. */
export function setFamilies(ofState: i32, ofCpu: i32, ofCall: i32, ofName: i32): void {
  stateFamily = ofState;
  cpuFamily = ofCpu;
  callFamily = ofCall;
  nameFamily = ofName;
}

/** Row of the present life of a tid, -1 none. */
@inline
export function findThread(id: i32): i32 {
  return findInt(tids, tidRows, tidMask, id);
}

@inline
export function count(column: F64Column, thread: i32): void {
  column[thread] = column[thread] + 1;
}

@inline
export function isBlocked(value: i32): bool {
  return value >= values.STATE_BLOCKED_S && value <= values.STATE_PARKED;
}

@inline
export function isGone(value: i32): bool {
  return value === values.STATE_ZOMBIE || value === values.STATE_DEAD;
}

@inline
export function setState(thread: i32, value: i32): void {
  if (THREAD.state[thread] === value) return;
  THREAD.state[thread] = value;
  THREAD.since[thread] = timeMovedTo();
  // What the history has is the state that it was, with a cause perhaps.
  const stored: f64 = value === values.STATE_RUNNING ? lateValue(thread, value) : value;
  change(THREAD.stateAttribute[thread], stored);
}

/** The stored value of a thread or of its CPU, whose state `value` is decided later. */
export function lateValue(thread: i32, value: i32): f64 {
  return <f64>value + (<f64>((-3 - THREAD.call[thread]) >> 1) + 1) * 512;
}

/** Whether what stands for the thread's call must be looked at where it returns, or begins another one. */
@inline
export function isOddlyInCall(thread: i32): bool {
  return THREAD.call[thread] < NONE;
}

/** Whether it must be where the thread leaves its CPU and goes on in `value`. */
@inline
export function endsWithSwitch(thread: i32, value: i32): bool {
  const pending = THREAD.call[thread];
  return pending < NONE && (pending === CALL_UNTIL_SWITCH || (pending & 1) !== 0 || isGone(value));
}

/** State of a thread that runs and is not interrupted. */
@inline
export function ownState(thread: i32): i32 {
  if (THREAD.guest[thread] === 1) return values.STATE_GUEST;
  const pending = THREAD.call[thread];
  if (pending >= 0 || THREAD.tid[thread] === 0) return values.STATE_KERNEL;
  if (pending === NONE) return values.STATE_USER;
  return pending === CALL_UNTIL_SWITCH ? values.STATE_KERNEL : values.STATE_RUNNING;
}

/** Whether another thread, with an attribute for its state, fits. */
export function takesThread(): bool {
  return COUNT.threads[0] < capacity && 2 * (SIZE.keys[0] + 1) <= tidMask && takesAttributes();
}

/** A new life of a tid that is not 0; `earlier`: the row of the one before, -1 none. */
export function beginThread(id: i32, earlier: i32): i32 {
  const thread = COUNT.threads[0];
  COUNT.threads[0] = thread + 1;
  THREAD.tid[thread] = id;
  THREAD.incarnation[thread] = earlier < 0 ? 1 : THREAD.incarnation[earlier] + 1;
  THREAD.first[thread] = timeMovedTo();
  THREAD.mode[thread] = firstMode;
  if (putInt(tids, tidRows, tidMask, id, thread)) SIZE.keys[0] = SIZE.keys[0] + 1;
  set(newAttribute(THREAD.stateAttribute, stateFamily, thread), values.STATE_UNKNOWN);
  return thread;
}

function newAttribute(column: I32Column, family: i32, thread: i32): i32 {
  const attribute = newMember(family);
  column[thread] = attribute;
  return attribute;
}

@inline
function attributeOf(column: I32Column, family: i32, thread: i32): i32 {
  const attribute = column[thread];
  return attribute >= 0 ? attribute : newAttribute(column, family, thread);
}

/** The row of an attribute ends, if there is one. */
export function endAttribute(column: I32Column, thread: i32): void {
  const attribute = column[thread];
  if (attribute >= 0) set(attribute, GAP);
}

/** Whether `setName` can make the attribute that it needs. */
@inline
export function canBeNamed(thread: i32, text: i32): bool {
  if (text === NO_TEXT || THREAD.name[thread] === text) return true;
  return !tellsKind(text, THREAD.evidence[thread]) && (THREAD.nameAttribute[thread] >= 0 || takesAttributes());
}

/** Whether a name says of a thread what was not known. */
@inline
export function tellsKind(text: i32, evidence: i32): bool {
  if (means(text, MEANS_KERNEL_THREAD) && (evidence & NAMED_KERNEL) === 0) return true;
  return means(text, MEANS_WORKER) && (evidence & NAMED_WORKER) === 0;
}

/** A call of a thread begins or returns, which tells that it is a program's. */
@inline
export function noteCall(thread: i32, begins: bool): void {
  const known: i32 = THREAD.evidence[thread];
  if ((known & CALLED_WHOLE) !== 0) return;
  const whole = (known & IN_CALL) !== 0 ? CALLED_WHOLE : 0;
  setEvidence(thread, (known & ~IN_CALL) | CALLED | (begins ? IN_CALL : whole));
}

/** Evidence of a call that counts against names. */
let callEvidence: i32 = CALLED;

export function setLosses(losesSwitches: bool): void {
  callEvidence = losesSwitches ? CALLED_WHOLE : CALLED;
}

/** Whether nothing more can show that a thread is the kernel's. */
@inline
export function isSurelyProgram(thread: i32): bool {
  const evidence: i32 = THREAD.evidence[thread];
  return (evidence & (EXECED | callEvidence)) !== 0 && (evidence & TOLD_KERNEL) === 0;
}

/** Sets what tells the mode of a thread that is no idle one. */
export function setEvidence(thread: i32, evidence: i32): void {
  THREAD.evidence[thread] = <u8>evidence;
  const mode = modeBy(evidence);
  if (THREAD.mode[thread] === mode) return;
  THREAD.mode[thread] = <u8>mode;
  THREAD.modeSince[thread] = timeMovedTo();
}

function modeBy(evidence: i32): i32 {
  const calls = (evidence & callEvidence) !== 0;
  if ((evidence & EXECED) !== 0) return values.STATE_USER;
  if ((evidence & TOLD_KERNEL) !== 0) return values.STATE_KERNEL;
  if ((evidence & NAMED_WORKER) !== 0 && !calls) return values.STATE_KERNEL;
  if ((evidence & TOLD_PROGRAM) !== 0) return values.STATE_USER;
  if ((evidence & NAMED_KERNEL) !== 0 && !calls) return values.STATE_KERNEL;
  return (evidence & CALLED) !== 0 ? values.STATE_USER : firstMode;
}

/** The thread leaves its CPU. */
@inline
export function leaveCall(thread: i32): void {
  const evidence = THREAD.evidence[thread];
  if ((evidence & IN_CALL) !== 0) THREAD.evidence[thread] = <u8>(evidence & ~IN_CALL);
}

@inline
export function setName(thread: i32, text: i32): void {
  if (text === NO_TEXT || THREAD.name[thread] === text) return;
  THREAD.name[thread] = text;
  set(attributeOf(THREAD.nameAttribute, nameFamily, thread), text);
}

/** Whether `setLastCpu` can make the attribute that it needs, or add an interval to the open segment. */
@inline
export function canBeOn(thread: i32, cpu: i32): bool {
  if (THREAD.lastCpu[thread] === QUEUED_SOMEWHERE) return beganHere(THREAD.cpuAttribute[thread]);
  return cpu < 0 || THREAD.cpuAttribute[thread] >= 0 || THREAD.lastCpu[thread] === cpu || takesAttributes();
}

/** @param cpu its number, -1 not known */
@inline
export function setLastCpu(thread: i32, cpu: i32): void {
  const before = THREAD.lastCpu[thread];
  if (cpu < 0 || before === cpu) return;
  THREAD.lastCpu[thread] = cpu;
  if (before === QUEUED_SOMEWHERE) settle(THREAD.cpuAttribute[thread], cpu, cpu);
  else set(attributeOf(THREAD.cpuAttribute, cpuFamily, thread), cpu);
}

/** Whether `queueSomewhere` can make the attribute that it needs. */
@inline
export function canBeQueued(thread: i32): bool {
  return THREAD.cpuAttribute[thread] >= 0 || takesAttributes();
}

/** It is queued, and the trace shows where when it runs. */
@inline
export function queueSomewhere(thread: i32): void {
  THREAD.lastCpu[thread] = QUEUED_SOMEWHERE;
  set(attributeOf(THREAD.cpuAttribute, cpuFamily, thread), values.CPU_NOT_KNOWN);
}

/** Whether `beginCall` can make the attribute that it needs. */
@inline
export function canCall(thread: i32): bool {
  return THREAD.callAttribute[thread] >= 0 || takesAttributes();
}

@inline
export function beginCall(thread: i32, text: i32): void {
  THREAD.call[thread] = text;
  set(attributeOf(THREAD.callAttribute, callFamily, thread), text);
}

/** No system call is pending any more. */
@inline
export function endCall(thread: i32): void {
  if (THREAD.call[thread] < 0) return;
  THREAD.call[thread] = NONE;
  set(THREAD.callAttribute[thread], GAP);
}

/** Nothing is left of the thread. */
export function closeThread(thread: i32): void {
  if (!isNaN(THREAD.closedAt[thread])) return;
  endCall(thread);
  THREAD.closedAt[thread] = timeMovedTo();
  set(THREAD.stateAttribute[thread], GAP);
  endAttribute(THREAD.nameAttribute, thread);
  endAttribute(THREAD.cpuAttribute, thread);
}

/** The blocking ends by `cause`, which nothing lost makes doubtful, and `next` begins. */
export function endBlocking(thread: i32, cause: f64, next: i32): void {
  settle(THREAD.stateAttribute[thread], <f64>THREAD.state[thread] + cause, next);
  THREAD.state[thread] = next;
  THREAD.since[thread] = timeMovedTo();
  THREAD.blockedSince[thread] = NaN;
}

export function beginBlocking(thread: i32, value: i32): void {
  setState(thread, value);
  THREAD.blockedSince[thread] = timeMovedTo();
}

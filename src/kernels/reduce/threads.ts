/** Threads: `engine/kernel/reduce/thread-table.ts` and `thread-states.ts`, but for what is odd. */
import { columnOf, f64At, i32At, setF64, setI32, setU8, u8At } from '../columns';
import { findInt, putInt } from '../int-index';
import { beganHere, change, GAP, newMember, set, settle, takesAttributes, timeMovedTo } from './history';
import { NO_TEXT } from './texts';

export const STATE_UNKNOWN: i32 = 0;
export const STATE_USER: i32 = 1;
export const STATE_KERNEL: i32 = 2;
export const STATE_INTERRUPTED: i32 = 3;
export const STATE_PREEMPTED: i32 = 4;
export const STATE_WOKEN: i32 = 5;
export const STATE_BLOCKED_S: i32 = 6;
export const STATE_BLOCKED_D: i32 = 7;
export const STATE_STOPPED: i32 = 8;
export const STATE_IDLE_KTHREAD: i32 = 9;
export const STATE_PARKED: i32 = 10;
export const STATE_NEW: i32 = 11;
export const STATE_ZOMBIE: i32 = 12;
export const STATE_DEAD: i32 = 13;
export const STATE_LATE: i32 = 14;

export const KIND_UNKNOWN: i32 = 0;
export const KIND_USER: i32 = 1;
export const KIND_KERNEL: i32 = 2;

/** What no call pending, no CPU, no pid and no attribute are. */
export const NONE: i32 = -1;

/** CPU of a thread that was woken, where wake-ups do not tell it; and what the history has then. */
const QUEUED_SOMEWHERE: i32 = -2;
const CPU_NOT_KNOWN: f64 = 2147483647;

/** In place of a pending call, as what is less (`engine/kernel/reduce/late-log.ts`). */
const CALL_UNTIL_SWITCH: i32 = -2;

let tids: usize = 0;
let tidRows: usize = 0;
let tidMask: i32 = 0;
/** i32: keys of the map, and threads. */
let tidCount: usize = 0;
let threadCount: usize = 0;
let room: i32 = 0;

export let tid: usize = 0;
export let incarnation: usize = 0;
export let pid: usize = 0;
export let ppid: usize = 0;
export let parent: usize = 0;
export let name: usize = 0;
export let kind: usize = 0;
export let kernelSince: usize = 0;
export let state: usize = 0;
export let exited: usize = 0;
export let freed: usize = 0;
export let ended: usize = 0;
export let replaced: usize = 0;
export let onCpu: usize = 0;
export let call: usize = 0;
export let ran: usize = 0;
export let remembered: usize = 0;
export let rememberedAt: usize = 0;
export let runs: usize = 0;
export let wakeups: usize = 0;
export let migrations: usize = 0;
export let voluntary: usize = 0;
export let preemptions: usize = 0;
export let vcpu: usize = 0;
export let suspended: usize = 0;
export let stateAttribute: usize = 0;
export let callAttribute: usize = 0;
export let blockedSince: usize = 0;
export let cpuAttribute: usize = 0;
export let nameAttribute: usize = 0;
let lastCpu: usize = 0;
export let firstMention: usize = 0;
let buried: usize = 0;

let stateFamily: i32 = 0;
let cpuFamily: i32 = 0;
let callFamily: i32 = 0;
let nameFamily: i32 = 0;

/** Directories of the map from thread ids to rows, and of its size. */
export function placeTids(index: usize, size: usize): void {
  tids = columnOf(index, 0);
  tidRows = columnOf(index, 1);
  tidMask = i32At(index, 2) - 1;
  tidCount = columnOf(size, 0);
}

/** Directory of the table of threads, and of how many there are. */
export function placeThreads(table: usize, counts: usize): void {
  tid = columnOf(table, 0);
  incarnation = columnOf(table, 1);
  pid = columnOf(table, 3);
  ppid = columnOf(table, 4);
  parent = columnOf(table, 5);
  name = columnOf(table, 6);
  // What the state dump called it is no concern here.
  kind = columnOf(table, 8);
  kernelSince = columnOf(table, 9);
  state = columnOf(table, 10);
  onCpu = columnOf(table, 11);
  lastCpu = columnOf(table, 12);
  call = columnOf(table, 13);
  exited = columnOf(table, 14);
  freed = columnOf(table, 15);
  ran = columnOf(table, 16);
  blockedSince = columnOf(table, 17);
  remembered = columnOf(table, 18);
  rememberedAt = columnOf(table, 19);
  firstMention = columnOf(table, 20);
  replaced = columnOf(table, 21);
  ended = columnOf(table, 22);
  buried = columnOf(table, 23);
  runs = columnOf(table, 24);
  wakeups = columnOf(table, 25);
  migrations = columnOf(table, 26);
  voluntary = columnOf(table, 27);
  preemptions = columnOf(table, 28);
  vcpu = columnOf(table, 29);
  suspended = columnOf(table, 30);
  stateAttribute = columnOf(table, 31);
  cpuAttribute = columnOf(table, 32);
  callAttribute = columnOf(table, 33);
  nameAttribute = columnOf(table, 34);
  // Signals are no concern here.
  room = i32At(table, 36);
  threadCount = columnOf(counts, 0);
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
export function count(column: usize, thread: i32): void {
  setF64(column, thread, f64At(column, thread) + 1);
}

@inline
export function isBlocked(value: i32): bool {
  return value >= STATE_BLOCKED_S && value <= STATE_PARKED;
}

@inline
export function isGone(value: i32): bool {
  return value === STATE_ZOMBIE || value === STATE_DEAD;
}

@inline
export function setState(thread: i32, value: i32): void {
  if (u8At(state, thread) === value) return;
  setU8(state, thread, value);
  // What the history has is the state that it was, with a cause perhaps.
  change(i32At(stateAttribute, thread), value === STATE_LATE ? lateValue(thread, STATE_LATE) : value);
}

/** The stored value of a thread or of its CPU, whose state `value` is decided later. */
export function lateValue(thread: i32, value: i32): f64 {
  return <f64>value + (<f64>((-3 - i32At(call, thread)) >> 1) + 1) * 512;
}

/** Whether what stands for the thread's call must be looked at where it returns, or begins another one. */
@inline
export function isOddlyInCall(thread: i32): bool {
  return i32At(call, thread) < NONE;
}

/** Whether it must be where the thread leaves its CPU and goes on in `value`. */
@inline
export function endsWithSwitch(thread: i32, value: i32): bool {
  const pending = i32At(call, thread);
  return pending < NONE && (pending === CALL_UNTIL_SWITCH || (pending & 1) !== 0 || isGone(value));
}

/** State of a thread that runs and is not interrupted. */
@inline
export function ownState(thread: i32): i32 {
  const pending = i32At(call, thread);
  if (pending >= 0 || u8At(kind, thread) === KIND_KERNEL || i32At(tid, thread) === 0) return STATE_KERNEL;
  if (pending === NONE) return STATE_USER;
  return pending === CALL_UNTIL_SWITCH ? STATE_KERNEL : STATE_LATE;
}

/** Whether another thread, with an attribute for its state, fits. */
export function takesThread(): bool {
  return load<i32>(threadCount) < room && 2 * (load<i32>(tidCount) + 1) <= tidMask && takesAttributes();
}

/** A new life of a tid that is not 0; `earlier`: the row of the one before, -1 none. */
export function beginThread(id: i32, earlier: i32): i32 {
  const thread = load<i32>(threadCount);
  store<i32>(threadCount, thread + 1);
  setI32(tid, thread, id);
  setI32(incarnation, thread, earlier < 0 ? 1 : i32At(incarnation, earlier) + 1);
  setF64(firstMention, thread, timeMovedTo());
  if (putInt(tids, tidRows, tidMask, id, thread)) store<i32>(tidCount, load<i32>(tidCount) + 1);
  set(newAttribute(stateAttribute, stateFamily, thread), STATE_UNKNOWN);
  return thread;
}

function newAttribute(column: usize, family: i32, thread: i32): i32 {
  const attribute = newMember(family);
  setI32(column, thread, attribute);
  return attribute;
}

@inline
function attributeOf(column: usize, family: i32, thread: i32): i32 {
  const attribute = i32At(column, thread);
  return attribute >= 0 ? attribute : newAttribute(column, family, thread);
}

/** The row of an attribute ends, if there is one. */
export function endAttribute(column: usize, thread: i32): void {
  const attribute = i32At(column, thread);
  if (attribute >= 0) set(attribute, GAP);
}

/** Whether `setName` can make the attribute that it needs. */
@inline
export function canBeNamed(thread: i32, text: i32): bool {
  return text === NO_TEXT || i32At(nameAttribute, thread) >= 0 || i32At(name, thread) === text || takesAttributes();
}

@inline
export function setName(thread: i32, text: i32): void {
  if (text === NO_TEXT || i32At(name, thread) === text) return;
  setI32(name, thread, text);
  set(attributeOf(nameAttribute, nameFamily, thread), text);
}

/** Whether `setLastCpu` can make the attribute that it needs, or tell of an interval in the open segment. */
@inline
export function canBeOn(thread: i32, cpu: i32): bool {
  if (i32At(lastCpu, thread) === QUEUED_SOMEWHERE) return beganHere(i32At(cpuAttribute, thread));
  return cpu < 0 || i32At(cpuAttribute, thread) >= 0 || i32At(lastCpu, thread) === cpu || takesAttributes();
}

/** @param cpu its number, -1 not told */
@inline
export function setLastCpu(thread: i32, cpu: i32): void {
  const before = i32At(lastCpu, thread);
  if (cpu < 0 || before === cpu) return;
  setI32(lastCpu, thread, cpu);
  if (before === QUEUED_SOMEWHERE) settle(i32At(cpuAttribute, thread), cpu, cpu);
  else set(attributeOf(cpuAttribute, cpuFamily, thread), cpu);
}

/** Whether `queueSomewhere` can make the attribute that it needs. */
@inline
export function canBeQueued(thread: i32): bool {
  return i32At(cpuAttribute, thread) >= 0 || takesAttributes();
}

/** It is queued, and the trace tells where when it runs. */
@inline
export function queueSomewhere(thread: i32): void {
  setI32(lastCpu, thread, QUEUED_SOMEWHERE);
  set(attributeOf(cpuAttribute, cpuFamily, thread), CPU_NOT_KNOWN);
}

/** Whether `beginCall` can make the attribute that it needs. */
@inline
export function canCall(thread: i32): bool {
  return i32At(callAttribute, thread) >= 0 || takesAttributes();
}

@inline
export function beginCall(thread: i32, text: i32): void {
  setI32(call, thread, text);
  set(attributeOf(callAttribute, callFamily, thread), text);
}

/** No system call is pending any more. */
@inline
export function endCall(thread: i32): void {
  if (i32At(call, thread) < 0) return;
  setI32(call, thread, NONE);
  set(i32At(callAttribute, thread), GAP);
}

/** Nothing is left of the thread. */
export function bury(thread: i32): void {
  if (!isNaN(f64At(buried, thread))) return;
  endCall(thread);
  setF64(buried, thread, timeMovedTo());
  set(i32At(stateAttribute, thread), GAP);
  endAttribute(nameAttribute, thread);
  endAttribute(cpuAttribute, thread);
}

/** The blocking ends by `cause`, which nothing lost makes doubtful, and `next` begins. */
export function endBlocking(thread: i32, cause: f64, next: i32): void {
  settle(i32At(stateAttribute, thread), <f64>u8At(state, thread) + cause, next);
  setU8(state, thread, next);
  setF64(blockedSince, thread, NaN);
}

export function beginBlocking(thread: i32, value: i32): void {
  setState(thread, value);
  setF64(blockedSince, thread, timeMovedTo());
}

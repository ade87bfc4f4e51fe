/** Threads: `engine/kernel/thread-table.ts`, and of `thread-states.ts` what happens often. */
import { f64At, i32At, setF64, setI32, setU8, u8At } from '../columns';
import { set, settle, timeMovedTo } from './history';
import { findInt } from '../int-index';
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

export const KIND_USER: i32 = 1;
export const KIND_KERNEL: i32 = 2;

/** What no call pending, no CPU, no pid and no attribute are. */
export const NONE: i32 = -1;

let tids: usize = 0;
let tidRows: usize = 0;
let tidMask: i32 = 0;

export let tid: usize = 0;
export let pid: usize = 0;
export let name: usize = 0;
export let kind: usize = 0;
export let state: usize = 0;
export let exited: usize = 0;
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
export let stateAttribute: usize = 0;
export let callAttribute: usize = 0;
export let blockedSince: usize = 0;
let lastCpu: usize = 0;
let wasBlocked: usize = 0;
let cpuAttribute: usize = 0;
let nameAttribute: usize = 0;

/** Addresses of the map from thread ids to rows. */
export function placeTids(keys: usize, values: usize, mask: i32): void {
  tids = keys;
  tidRows = values;
  tidMask = mask;
}

/** Addresses of what threads are and do. */
export function placeThreads(
  tidColumn: usize,
  pidColumn: usize,
  nameColumn: usize,
  kindColumn: usize,
  stateColumn: usize,
  exitedColumn: usize,
  onCpuColumn: usize,
  lastCpuColumn: usize,
  callColumn: usize,
  ranColumn: usize,
  wasBlockedColumn: usize,
  blockedSinceColumn: usize,
  rememberedColumn: usize,
  rememberedAtColumn: usize,
): void {
  tid = tidColumn;
  pid = pidColumn;
  name = nameColumn;
  kind = kindColumn;
  state = stateColumn;
  exited = exitedColumn;
  onCpu = onCpuColumn;
  lastCpu = lastCpuColumn;
  call = callColumn;
  ran = ranColumn;
  wasBlocked = wasBlockedColumn;
  blockedSince = blockedSinceColumn;
  remembered = rememberedColumn;
  rememberedAt = rememberedAtColumn;
}

/** Addresses of what is counted of threads, of the virtual CPUs that they are, and of their attributes. */
export function placeThreadCounts(
  runsColumn: usize,
  wakeupsColumn: usize,
  migrationsColumn: usize,
  voluntaryColumn: usize,
  preemptionsColumn: usize,
  vcpuColumn: usize,
  stateAttributeColumn: usize,
  cpuAttributeColumn: usize,
  callAttributeColumn: usize,
  nameAttributeColumn: usize,
): void {
  runs = runsColumn;
  wakeups = wakeupsColumn;
  migrations = migrationsColumn;
  voluntary = voluntaryColumn;
  preemptions = preemptionsColumn;
  vcpu = vcpuColumn;
  stateAttribute = stateAttributeColumn;
  cpuAttribute = cpuAttributeColumn;
  callAttribute = callAttributeColumn;
  nameAttribute = nameAttributeColumn;
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

export function setState(thread: i32, value: i32): void {
  if (u8At(state, thread) === value) return;
  setU8(state, thread, value);
  set(i32At(stateAttribute, thread), value);
}

/** Whether `setName` needs no new attribute. */
@inline
export function canBeNamed(thread: i32, text: i32): bool {
  return text === NO_TEXT || i32At(nameAttribute, thread) >= 0 || i32At(name, thread) === text;
}

@inline
export function setName(thread: i32, text: i32): void {
  if (text === NO_TEXT || i32At(name, thread) === text) return;
  setI32(name, thread, text);
  set(i32At(nameAttribute, thread), text);
}

/** Whether `setLastCpu` needs no new attribute. */
@inline
export function canBeOn(thread: i32, cpu: i32): bool {
  return cpu < 0 || i32At(cpuAttribute, thread) >= 0 || i32At(lastCpu, thread) === cpu;
}

/** @param cpu its number, -1 not told */
@inline
export function setLastCpu(thread: i32, cpu: i32): void {
  if (cpu < 0 || i32At(lastCpu, thread) === cpu) return;
  setI32(lastCpu, thread, cpu);
  set(i32At(cpuAttribute, thread), cpu);
}

/** The blocking ends by `cause`, which nothing lost makes doubtful, and `next` begins. */
export function endBlocking(thread: i32, cause: f64, next: i32): void {
  settle(i32At(stateAttribute, thread), <f64>u8At(state, thread) + cause, next);
  setU8(state, thread, next);
  setF64(blockedSince, thread, NaN);
  setU8(wasBlocked, thread, 1);
}

export function beginBlocking(thread: i32, value: i32): void {
  setState(thread, value);
  setF64(blockedSince, thread, timeMovedTo());
}

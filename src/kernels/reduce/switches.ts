/** `sched_switch` where both threads are known and what happens fits what is known (`engine/kernel/reduce/switches.ts`). */
import { f64At, i32At, setF64, setI32, setU8, u8At } from '../columns';
import * as cpus from './cpus';
import { timeMovedTo } from './history';
import { NEW_TEXT, NO_TEXT, textOfLeaf } from './texts';
import * as threads from './threads';

// Bytes of the arguments.
const PREV_TID: usize = 0;
const NEXT_TID: usize = 4;
const PREV_STATE: usize = 8;
const PREV_NAME: usize = 12;
const NEXT_NAME: usize = 16;
const PREV_PID: usize = 20;

/** Before 4.14: another meaning of prev_state. */
let oldKernel: bool = false;

export function setGeneration(isOld: bool): void {
  oldKernel = isOld;
}

@inline
export function onSwitch(cpu: i32, args: usize): bool {
  if (i32At(cpus.depth, cpu) > 0) return false;
  const prevTid = load<i32>(args, PREV_TID);
  const nextTid = load<i32>(args, NEXT_TID);
  const prev = threadOf(cpu, prevTid);
  const next = threadOf(cpu, nextTid);
  if (prev < 0 || next < 0 || prev === next) return false;
  let prevName = textOfLeaf(load<i32>(args, PREV_NAME));
  let nextName = textOfLeaf(load<i32>(args, NEXT_NAME));
  if (prevName === NEW_TEXT || nextName === NEW_TEXT) return false;
  // Idle threads have names of their own.
  if (prevTid === 0) prevName = NO_TEXT;
  if (nextTid === 0) nextName = NO_TEXT;
  const state = prevTid === 0 ? threads.STATE_PREEMPTED : stateAfter(prev, load<i32>(args, PREV_STATE));
  if (!canLeave(cpu, prev, prevName, state) || !canEnter(cpu, next, nextName)) return false;
  setF64(cpus.switches, cpu, f64At(cpus.switches, cpu) + 1);
  setI32(cpus.threadedIrq, cpu, threads.NONE);
  if (isNaN(f64At(cpus.firstSwitch, cpu))) setF64(cpus.firstSwitch, cpu, timeMovedTo());
  leave(prev, prevName, load<i32>(args, PREV_PID), state);
  enter(cpu, next, nextName);
  return true;
}

@inline
function threadOf(cpu: i32, tid: i32): i32 {
  return tid === 0 ? i32At(cpus.idle, cpu) : threads.findThread(tid);
}

/** It is the current thread or may well have been, and it is not seen as waiting or dead; `state`: it goes on in it. */
@inline
function canLeave(cpu: i32, prev: i32, name: i32, state: i32): bool {
  const current = i32At(cpus.current, cpu);
  if (current >= 0 && current !== prev) return false;
  const on = i32At(threads.onCpu, prev);
  if ((on >= 0 && on !== cpu) || u8At(threads.suspended, prev) === 1) return false;
  const earlier = u8At(threads.state, prev);
  if (earlier === threads.STATE_WOKEN || threads.isBlocked(earlier) || threads.isGone(earlier)) return false;
  return !threads.endsWithSwitch(prev, state) && threads.canBeNamed(prev, name);
}

/** It is on no CPU, it lives, its waiting has ended, and it left in no interrupt. */
@inline
function canEnter(cpu: i32, next: i32, name: i32): bool {
  if (i32At(threads.onCpu, next) >= 0 || u8At(threads.suspended, next) === 1) return false;
  const earlier = u8At(threads.state, next);
  if (threads.isBlocked(earlier) || threads.isGone(earlier)) return false;
  return threads.canBeNamed(next, name) && threads.canBeOn(next, i32At(cpus.number, cpu));
}

@inline
function leave(prev: i32, name: i32, pid: i32, state: i32): void {
  setI32(threads.onCpu, prev, threads.NONE);
  setU8(threads.ran, prev, 1);
  threads.setName(prev, name);
  if (pid !== threads.NONE && i32At(threads.pid, prev) < 0) setI32(threads.pid, prev, pid);
  if (threads.isBlocked(state)) {
    threads.beginBlocking(prev, state);
    threads.count(threads.voluntary, prev);
    return;
  }
  threads.setState(prev, state);
  setF64(threads.remembered, prev, 0);
  if (state === threads.STATE_PREEMPTED) {
    threads.count(threads.preemptions, prev);
  } else {
    setF64(threads.ended, prev, timeMovedTo());
    if (state === threads.STATE_DEAD) threads.bury(prev);
    else threads.endCall(prev);
  }
}

@inline
function enter(cpu: i32, next: i32, name: i32): void {
  threads.setName(next, name);
  setF64(threads.remembered, next, 0);
  setU8(threads.ran, next, 1);
  threads.count(threads.runs, next);
  cpus.setCurrent(cpu, next);
  cpus.refreshRunning(cpu, next);
}

/** State of a thread that leaves its CPU: preempted, one of waiting, or gone. */
function stateAfter(thread: i32, prevState: i32): i32 {
  const low = prevState & 0xff;
  if (low === 0) return oldKernel && (prevState & 0x200) !== 0 ? threads.STATE_PARKED : threads.STATE_PREEMPTED;
  if ((low & 1) !== 0) return threads.STATE_BLOCKED_S;
  if ((low & 2) !== 0) return threads.STATE_BLOCKED_D;
  if ((low & 12) !== 0) return threads.STATE_STOPPED;
  if (u8At(threads.exited, thread) === 1 || (low & 0x30) !== 0) return goneState(thread);
  if (oldKernel) return (low & 0x40) !== 0 ? goneState(thread) : threads.STATE_BLOCKED_D;
  return (low & 0x40) !== 0 ? threads.STATE_PARKED : threads.STATE_IDLE_KTHREAD;
}

@inline
function goneState(thread: i32): i32 {
  return u8At(threads.freed, thread) === 1 ? threads.STATE_DEAD : threads.STATE_ZOMBIE;
}

/** `sched_switch` where both threads are known and what happens fits what is known (`engine/linux/states/reduce/switches.ts`). */
import { CPU } from '../../engine/linux/states/reduce/cpu-table';
import { THREAD } from '../../engine/linux/states/reduce/thread-table';
import * as values from '../../engine/linux/events/values';
import { ABSENT } from '../../engine/linux/states/map/transitions';
import * as cpus from './cpus';
import { timeMovedTo } from './history';
import { NEW_TEXT, NO_TEXT, textOfChunk } from './texts';
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
  if (CPU.depth[cpu] > 0) return false;
  const prevTid = load<i32>(args, PREV_TID);
  const nextTid = load<i32>(args, NEXT_TID);
  if (prevTid === ABSENT || nextTid === ABSENT) return false;
  const prev = threadOf(cpu, prevTid);
  const next = threadOf(cpu, nextTid);
  if (prev < 0 || next < 0 || prev === next) return false;
  let prevName = textOfChunk(load<i32>(args, PREV_NAME));
  let nextName = textOfChunk(load<i32>(args, NEXT_NAME));
  if (prevName === NEW_TEXT || nextName === NEW_TEXT) return false;
  // Idle threads have names of their own.
  if (prevTid === 0) prevName = NO_TEXT;
  if (nextTid === 0) nextName = NO_TEXT;
  const state = prevTid === 0 ? values.STATE_PREEMPTED : stateAfter(prev, load<i32>(args, PREV_STATE));
  if (!canLeave(cpu, prev, prevName, state) || !canEnter(cpu, next, nextName)) return false;
  CPU.switches[cpu] = CPU.switches[cpu] + 1;
  CPU.threadedIrq[cpu] = threads.NONE;
  if (isNaN(CPU.firstSwitch[cpu])) CPU.firstSwitch[cpu] = timeMovedTo();
  leave(prev, prevName, load<i32>(args, PREV_PID), state);
  enter(cpu, next, nextName);
  return true;
}

@inline
function threadOf(cpu: i32, tid: i32): i32 {
  return tid === 0 ? CPU.idle[cpu] : threads.findThread(tid);
}

/** It is the current thread or may well have been, and it is not seen as waiting or dead; `state`: it goes on in it. */
@inline
function canLeave(cpu: i32, prev: i32, name: i32, state: i32): bool {
  const current = CPU.current[cpu];
  if (current >= 0 && current !== prev) return false;
  const on = THREAD.onCpu[prev];
  if ((on >= 0 && on !== cpu) || THREAD.suspended[prev] === 1) return false;
  const earlier = THREAD.state[prev];
  if (earlier === values.STATE_WOKEN || threads.isBlocked(earlier) || threads.isGone(earlier)) return false;
  return !threads.endsWithSwitch(prev, state) && threads.canBeNamed(prev, name);
}

/** It is on no CPU, it lives, its waiting has ended, and it left in no interrupt. */
@inline
function canEnter(cpu: i32, next: i32, name: i32): bool {
  if (THREAD.onCpu[next] >= 0 || THREAD.suspended[next] === 1) return false;
  const earlier = THREAD.state[next];
  if (threads.isBlocked(earlier) || threads.isGone(earlier)) return false;
  if (earlier === values.STATE_UNKNOWN && THREAD.hole[next] !== 0) return false;
  return threads.canBeNamed(next, name) && threads.canBeOn(next, CPU.number[cpu]);
}

@inline
function leave(prev: i32, name: i32, pid: i32, state: i32): void {
  THREAD.onCpu[prev] = threads.NONE;
  THREAD.guest[prev] = 0;
  THREAD.ran[prev] = 1;
  threads.leaveCall(prev);
  threads.setName(prev, name);
  if (pid !== threads.NONE && THREAD.pid[prev] < 0) THREAD.pid[prev] = pid;
  if (threads.isBlocked(state)) {
    threads.beginBlocking(prev, state);
    threads.count(THREAD.voluntary, prev);
    return;
  }
  threads.setState(prev, state);
  THREAD.pendingCause[prev] = 0;
  if (state === values.STATE_PREEMPTED) {
    threads.count(THREAD.preemptions, prev);
  } else {
    THREAD.ended[prev] = timeMovedTo();
    if (state === values.STATE_DEAD) threads.closeThread(prev);
    else threads.endCall(prev);
  }
}

@inline
function enter(cpu: i32, next: i32, name: i32): void {
  threads.setName(next, name);
  THREAD.pendingCause[next] = 0;
  THREAD.ran[next] = 1;
  threads.count(THREAD.runs, next);
  cpus.setCurrent(cpu, next);
  cpus.refreshRunning(cpu, next);
}

/** State of a thread that leaves its CPU: preempted, one of waiting, or gone. */
function stateAfter(thread: i32, prevState: i32): i32 {
  const low = prevState & 0xff;
  if (low === 0) return oldKernel && (prevState & 0x200) !== 0 ? values.STATE_PARKED : values.STATE_PREEMPTED;
  if ((low & 1) !== 0) return values.STATE_BLOCKED_S;
  if ((low & 2) !== 0) return values.STATE_BLOCKED_D;
  if ((low & 12) !== 0) return values.STATE_STOPPED;
  if (THREAD.exited[thread] === 1 || (low & 0x30) !== 0) return goneState(thread);
  if (oldKernel) return (low & 0x40) !== 0 ? goneState(thread) : values.STATE_BLOCKED_D;
  return (low & 0x40) !== 0 ? values.STATE_PARKED : values.STATE_IDLE_KTHREAD;
}

@inline
function goneState(thread: i32): i32 {
  return THREAD.freed[thread] === 1 ? values.STATE_DEAD : values.STATE_ZOMBIE;
}

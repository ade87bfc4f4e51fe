/** `sched_switch`: one thread leaves a CPU, another enters (engine/linux/states/RULES.md). */
import { ABSENT, START_CALL, START_KERNEL, START_LATE } from '../map/transitions.ts';
import * as values from '../../events/values.ts';
import { emptyInterruptStack, idleThreadOf, refreshCpu, runningState, setCurrent } from './cpu-states.ts';
import { countProblem, NOT_RECORDED, type KernelModel } from './kernel-model.ts';
import { leaveLate, overrule, beginLate, CALL_UNTIL_SWITCH } from './late-log.ts';
import { nextLifeOf } from './lives.ts';
import { endHole, endUnexplained, loseSwitchIn } from './lost-runs.ts';
import { canBeSuspended, forgetFrames, resumeFrames, suspendFrames } from './suspended-softirqs.ts';
import {
  beginBlocking,
  closeThread,
  endBlockingByPending,
  endStay,
  endCall,
  isBlocked,
  isGone,
  isGoneState,
  setName,
  setState,
  stayedRunnable,
  threadOf,
  beginCall,
} from './thread-states.ts';
import { findThread, IN_CALL } from './thread-table.ts';
import { textOf } from '../map/kernel-texts.ts';

/** Passed in one object that is reused for each switch. */
export interface Switch {
  /** ABSENT if not recorded, as in Perfetto's compact form or records of perf. */
  prevTid: number;
  nextTid: number;
  prevState: number;
  /** Indices of the history's strings, -1 not known. */
  prevName: number;
  nextName: number;
  /** pid of the thread that leaves, ABSENT if not known. */
  prevPid: number;
}

export function onSwitch(kernel: KernelModel, cpu: number, event: Switch): void {
  const { switches, firstSwitch, depth, threadedIrq, current } = kernel.cpus;
  // The record of the leaving thread tells which one comes.
  if (event.prevTid === ABSENT && current[cpu] >= 0 && kernel.threads.tid[current[cpu]] === event.nextTid)
    return;
  switches[cpu]++;
  threadedIrq[cpu] = -1;
  if (Number.isNaN(firstSwitch[cpu])) firstSwitch[cpu] = kernel.now;
  const isSuspended = canBeSuspended(kernel.cpus, cpu);
  if (depth[cpu] > 0 && !isSuspended) countProblem(kernel, 'switch inside an interrupt (stack emptied)');
  if (event.prevTid === ABSENT) leaveUnknown(kernel, cpu);
  else {
    const prev = event.prevTid === 0 ? idleThreadOf(kernel, cpu) : leavingThread(kernel, event);
    if (isSuspended) suspendFrames(kernel, cpu, prev);
    else if (kernel.threads.suspended[prev] === 1) forgetFrames(kernel, prev);
    emptyInterruptStack(kernel, cpu);
    leave(kernel, cpu, prev, event);
  }
  enter(kernel, cpu, event);
  refreshCpu(kernel, cpu);
}

/** Handles a switch without the leaving thread, whose state is then unknown. */
function leaveUnknown(kernel: KernelModel, cpu: number): void {
  const thread = kernel.cpus.current[cpu];
  emptyInterruptStack(kernel, cpu);
  setCurrent(kernel, cpu, -1);
  if (thread >= 0) setState(kernel, thread, values.STATE_UNKNOWN);
}

function leave(kernel: KernelModel, cpu: number, prev: number, event: Switch): void {
  const { threads, cpus } = kernel;
  const idle = event.prevTid === 0;
  const expected = cpus.current[cpu];
  if (expected >= 0 && expected !== prev) {
    countProblem(kernel, 'switch: prev is not the current thread');
    setCurrent(kernel, cpu, -1);
    setState(kernel, expected, values.STATE_UNKNOWN);
  }
  const other = threads.onCpu[prev];
  if (other >= 0) {
    setCurrent(kernel, other, -1);
    if (other !== cpu) {
      countProblem(kernel, 'thread leaves a CPU it was not on');
      refreshCpu(kernel, other);
    }
  }
  if (kernel.program !== undefined && expected !== prev) loseUnrecorded(kernel, prev);
  if (threads.state[prev] === values.STATE_WOKEN) {
    countProblem(kernel, 'runnable thread leaves a CPU it was not seen on');
  }
  threads.ran[prev] = 1;
  threads.evidence[prev] &= ~IN_CALL;
  if (!idle) setName(kernel, prev, event.prevName);
  if (event.prevPid !== ABSENT && threads.pid[prev] < 0) threads.pid[prev] = event.prevPid;
  takeOff(kernel, prev, idle ? values.STATE_PREEMPTED : stateAfter(kernel, prev, event.prevState));
}

/** Thread that leaves; if alive it is not the dead one of its tid, but one whose fork and switch-in were lost. */
function leavingThread(kernel: KernelModel, { prevTid, prevState }: Switch): number {
  const thread = threadOf(kernel, prevTid);
  if (!isGone(kernel, thread) || isGoneState(stateAfter(kernel, thread, prevState))) return thread;
  return nextLifeOf(kernel, thread, 'dead thread leaves a CPU alive: new incarnation');
}

/** Takes `prev` off its CPU, into `state`. */
function takeOff(kernel: KernelModel, prev: number, state: number): void {
  const { threads } = kernel;
  leaveLate(kernel, prev);
  if (isBlocked(kernel, prev)) {
    countProblem(kernel, 'blocked thread leaves a CPU');
    endUnexplained(kernel, prev, state, 'no wake-up recorded');
  }
  if (values.isAsleep(state)) {
    beginBlocking(kernel, prev, state);
    threads.voluntary[prev]++;
    return;
  }
  setState(kernel, prev, state);
  threads.pendingCause[prev] = 0;
  if (state === values.STATE_PREEMPTED) {
    threads.preemptions[prev]++;
  } else {
    threads.ended[prev] = kernel.now;
    if (state === values.STATE_DEAD) closeThread(kernel, prev);
    else endCall(kernel, prev);
  }
}

function enter(kernel: KernelModel, cpu: number, event: Switch): void {
  const { threads } = kernel;
  if (event.nextTid === ABSENT || isUnrecorded(kernel, event)) {
    setCurrent(kernel, cpu, -1);
    return;
  }
  let next: number;
  if (event.nextTid === 0) {
    next = idleThreadOf(kernel, cpu);
  } else {
    next = threadOf(kernel, event.nextTid);
    next = nextLifeOf(kernel, next, 'dead thread runs: new incarnation');
    setName(kernel, next, event.nextName);
  }
  if (threads.onCpu[next] >= 0) {
    countProblem(kernel, 'thread enters a CPU while on another');
    const other = threads.onCpu[next];
    setCurrent(kernel, other, -1);
    refreshCpu(kernel, other);
  }
  resumeFrames(kernel, cpu, next);
  if (isBlocked(kernel, next)) {
    const running = runningState(kernel, cpu, next);
    const stayed = stayedRunnable(kernel, next);
    if (!stayed) countProblem(kernel, 'blocked thread runs without wake-up');
    if (stayed) endStay(kernel, next, running);
    else if (threads.pendingCause[next] !== 0) endBlockingByPending(kernel, next, running);
    else
      endUnexplained(
        kernel,
        next,
        running,
        kernel.program !== undefined ? NOT_RECORDED : 'no wake-up recorded',
        true,
      );
  }
  endHole(kernel, next);
  threads.pendingCause[next] = 0;
  threads.ran[next] = 1;
  threads.runs[next]++;
  setCurrent(kernel, cpu, next);
}

/**
 * Whether only one program was recorded and a switch to a thread of another one only tells that its own thread left:
 * when that other thread leaves, and for which one, is not recorded.
 */
function isUnrecorded(kernel: KernelModel, { prevTid, nextTid }: Switch): boolean {
  if (kernel.program === undefined || prevTid === ABSENT) return false;
  const next = nextTid === 0 ? -1 : findThread(kernel.threads, nextTid);
  return next < 0 || (kernel.threads.ran[next] === 0 && kernel.threads.state[next] !== values.STATE_NEW);
}

/**
 * Handles a thread that came to its CPU unseen, so that its waiting, ready and running time since it was seen last is
 * unknown.
 */
function loseUnrecorded(kernel: KernelModel, thread: number): void {
  const { threads, now } = kernel;
  overrule(kernel, thread, threads.since[thread], now, values.STATE_UNKNOWN);
  setState(kernel, thread, values.STATE_UNKNOWN);
  threads.blockedSince[thread] = NaN;
}

function stateAfter(kernel: KernelModel, thread: number, prevState: number): number {
  const { exited, freed } = kernel.threads;
  const state = switchOutState(prevState, exited[thread] === 1, kernel.oldKernel);
  return state === values.STATE_ZOMBIE && freed[thread] === 1 ? values.STATE_DEAD : state;
}

/**
 * State of a thread that leaves its CPU with `prevState`. The meaning of bits changed with Linux 4.14: 0x10 X and
 * 0x20 Z were swapped, 0x40 was "dead" and became parked, 0x80 was wakekill and became idle.
 * @internal
 */
export function switchOutState(prevState: number, exited: boolean, oldKernel: boolean): number {
  const low = prevState & 0xff;
  // 0x200 is TASK_PARKED from 3.9 to 4.13; other higher bits only mark a preemption.
  if (low === 0) return oldKernel && (prevState & 0x200) !== 0 ? values.STATE_PARKED : values.STATE_PREEMPTED;
  if ((low & 1) !== 0) return values.STATE_BLOCKED_S;
  if ((low & 2) !== 0) return values.STATE_BLOCKED_D;
  if ((low & 12) !== 0) return values.STATE_STOPPED;
  if (exited || (low & 0x30) !== 0) return values.STATE_ZOMBIE;
  if (oldKernel) return (low & 0x40) !== 0 ? values.STATE_ZOMBIE : values.STATE_BLOCKED_D;
  return (low & 0x40) !== 0 ? values.STATE_PARKED : values.STATE_IDLE_KTHREAD;
}

/** Contents of a `T_START`. */
export interface KnownStart {
  readonly tid: number;
  /** START_*. */
  readonly mode: number;
  /** Index of the history's strings, -1 not known. */
  readonly name: number;
}

export function onKnownStart(kernel: KernelModel, cpu: number, start: KnownStart): void {
  const { threads, cpus } = kernel;
  // If only one program was recorded, the begin is not known.
  if (cpus.current[cpu] >= 0 || kernel.program !== undefined) return;
  const thread = start.tid === 0 ? idleThreadOf(kernel, cpu) : threadOf(kernel, start.tid);
  if (threads.onCpu[thread] >= 0 || isGone(kernel, thread)) {
    countProblem(kernel, 'who ran before the first switch was elsewhere');
    return;
  }
  // A ksoftirqd is recognised by its name.
  if (start.tid !== 0 && threads.name[thread] < 0) setName(kernel, thread, start.name);
  endCall(kernel, thread);
  if (start.tid !== 0 && threads.mode[thread] !== values.STATE_KERNEL) beginMode(kernel, thread, start.mode);
  // It was woken while nothing was recorded here.
  if (isBlocked(kernel, thread))
    endUnexplained(kernel, thread, runningState(kernel, cpu, thread), 'no wake-up recorded');
  loseSwitchIn(kernel, thread, cpu);
  threads.pendingCause[thread] = 0;
  forgetFrames(kernel, thread);
  threads.ran[thread] = 1;
  setCurrent(kernel, cpu, thread);
  refreshCpu(kernel, cpu);
}

function beginMode(kernel: KernelModel, thread: number, mode: number): void {
  if (mode === START_CALL) beginCall(kernel, thread, textOf(kernel.texts, 'unknown'));
  else if (mode === START_LATE) beginLate(kernel, thread);
  else if (mode === START_KERNEL) kernel.threads.call[thread] = CALL_UNTIL_SWITCH;
}

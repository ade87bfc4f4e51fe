/** Lives of tids: a tid that is used again is another thread; and what forks and dumps show. */
import { textOf } from '../map/kernel-texts.ts';
import { ABSENT, SAVED } from '../map/transitions.ts';
import { STATE_DEAD, STATE_NEW, STATE_UNKNOWN } from '../../events/values.ts';
import { forgetThread, refreshCpu, setCurrent } from './cpu-states.ts';
import { countProblem, type KernelModel, type Problem } from './kernel-model.ts';
import { decideLate, isLate, LATE_KERNEL } from './late-log.ts';
import {
  beginCall,
  beginThread,
  closeThread,
  isBlocked,
  isGone,
  setName,
  setState,
  threadOf,
} from './thread-states.ts';
import { endUnexplained } from './lost-runs.ts';
import { ATTRIBUTES, EXECED, findThread, learn, TOLD_KERNEL, TOLD_PROGRAM } from './thread-table.ts';

/** The process id of the kernel's thread factory, parent of all kernel threads. */
export const KTHREADD = 2;

/** The tid begins another life; an earlier one ends here. */
function beginNextLife(kernel: KernelModel, tid: number): number {
  const { threads, sink, lateFrees } = kernel;
  const earlier = findThread(threads, tid);
  const isFreedLater = earlier >= 0 && hasExited(kernel, earlier) && threads.freed[earlier] === 0;
  if (earlier >= 0) {
    if (isBlocked(kernel, earlier)) endUnexplained(kernel, earlier, STATE_UNKNOWN, 'new incarnation');
    if (threads.onCpu[earlier] >= 0) {
      const cpu = threads.onCpu[earlier];
      setCurrent(kernel, cpu, -1);
      refreshCpu(kernel, cpu);
    }
    for (const column of Object.values(ATTRIBUTES))
      if (threads[column][earlier] >= 0) sink.end(threads[column][earlier]);
    // Its life may have ended with a recording.
    if (Number.isNaN(threads.replaced[earlier])) threads.replaced[earlier] = kernel.now;
  }
  const thread = beginThread(kernel, tid, -1);
  if (isFreedLater) lateFrees.add(thread);
  return thread;
}

function hasExited(kernel: KernelModel, thread: number): boolean {
  return kernel.threads.exited[thread] === 1 || isGone(kernel, thread);
}

/** A tid that exited or died begins a new life when it is forked, woken as new, run again or leaves a CPU alive. */
export function nextLifeOf(
  kernel: KernelModel,
  thread: number,
  problem: Extract<Problem, `${string}dead thread${string}: new incarnation`>,
): number {
  if (!isGone(kernel, thread)) return thread;
  countProblem(kernel, problem);
  return beginNextLife(kernel, kernel.threads.tid[thread]);
}

/** A thread is created: state new, until its first wake-up. */
export function onFork(kernel: KernelModel, fork: Fork): void {
  const { threads } = kernel;
  // The idle thread forks only while the kernel boots.
  const parent = fork.parentTid === 0 ? -1 : threadOf(kernel, fork.parentTid);
  if (parent >= 0 && threads.pid[parent] < 0) threads.pid[parent] = fork.parentPid;
  const child = childOf(kernel, fork.childTid);
  threads.parent[child] = parent;
  if (fork.childPid !== ABSENT) threads.pid[child] = fork.childPid;
  threads.ppid[child] = fork.parentPid;
  setName(kernel, child, fork.name);
  const isTold = (threads.evidence[child] & (TOLD_KERNEL | TOLD_PROGRAM)) !== 0;
  if (!isTold && (fork.parentPid !== ABSENT || fork.parentTid > 0)) {
    const kthread = fork.parentPid === KTHREADD || fork.parentTid === KTHREADD;
    learn(threads, child, kthread ? TOLD_KERNEL : TOLD_PROGRAM, kernel.now);
  }
  setState(kernel, child, STATE_NEW);
}

export interface Fork {
  readonly parentTid: number;
  readonly childTid: number;
  /** ABSENT where not known. */
  readonly parentPid: number;
  readonly childPid: number;
  readonly name: number;
}

/** The life that a fork begins: what was only mentioned before (by the state dump) is the same one. */
function childOf(kernel: KernelModel, tid: number): number {
  const { threads } = kernel;
  const known = findThread(threads, tid);
  if (known < 0) return threadOf(kernel, tid);
  if (hasExited(kernel, known)) return beginNextLife(kernel, tid);
  // The fork is in this recording, the thread was in one before.
  if (threads.first[known] < (kernel.recordings.gaps.at(-1)?.to ?? -Infinity))
    return beginNextLife(kernel, tid);
  const onlyMentioned = threads.state[known] === STATE_UNKNOWN && threads.ran[known] === 0;
  if (onlyMentioned) return known;
  countProblem(kernel, 'fork of a thread that never exited: new incarnation');
  return beginNextLife(kernel, tid);
}

/**
 * A thread executes a program. When it is not the first of its process it has waited for that one to end, and has its
 * tid from here on: another life of that tid.
 * @param oldTid the thread's tid until now, ABSENT where not known
 */
export function onExec(kernel: KernelModel, cpu: number, tid: number, oldTid: number, name: number): void {
  const caller = oldTid === ABSENT ? unnamedCaller(kernel, cpu, tid) : callerOf(kernel, tid, oldTid);
  const thread = caller >= 0 ? takeOver(kernel, caller, tid) : threadOf(kernel, tid);
  learn(kernel.threads, thread, EXECED, kernel.now);
  setName(kernel, thread, name);
  kernel.threads.guest[thread] = 0;
  if (kernel.threads.onCpu[thread] >= 0) refreshCpu(kernel, kernel.threads.onCpu[thread]);
}

/** The thread that goes on as `tid`, -1: it has that tid already. */
function callerOf(kernel: KernelModel, tid: number, oldTid: number): number {
  if (oldTid === tid || oldTid === 0 || tid === 0) return -1;
  countProblem(kernel, 'exec by a thread that is not the leader');
  return threadOf(kernel, oldTid);
}

/** The same where the trace does not say: the current thread, if it is of that process, whose first one is gone. */
function unnamedCaller(kernel: KernelModel, cpu: number, tid: number): number {
  const caller = kernel.cpus.current[cpu];
  const first = threadOf(kernel, tid);
  const isOfProcess = caller >= 0 && caller !== first && kernel.threads.pid[caller] === tid;
  return isOfProcess && isGone(kernel, first) ? caller : -1;
}

/** The thread ends, and goes on as another life of `tid`, on the CPU where it is. */
function takeOver(kernel: KernelModel, caller: number, tid: number): number {
  const { threads } = kernel;
  const cpu = threads.onCpu[caller];
  const heir = findThread(threads, tid) < 0 ? threadOf(kernel, tid) : beginNextLife(kernel, tid);
  threads.parent[heir] = caller;
  threads.pid[heir] = tid;
  learn(threads, heir, TOLD_PROGRAM, kernel.now);
  passCall(kernel, caller, heir);
  if (cpu >= 0) {
    threads.ran[heir] = 1;
    setCurrent(kernel, cpu, heir);
    refreshCpu(kernel, cpu);
  }
  threads.exited[caller] = 1;
  threads.freed[caller] = 1;
  threads.ended[caller] = kernel.now;
  if (isBlocked(kernel, caller)) endUnexplained(kernel, caller, STATE_DEAD, 'exec under another tid');
  setState(kernel, caller, STATE_DEAD);
  closeThread(kernel, caller);
  return heir;
}

/** The call that a thread is in, which executes a program, goes on as the heir's. */
function passCall(kernel: KernelModel, caller: number, heir: number): void {
  const { threads, texts } = kernel;
  const call = threads.call[caller];
  if (isLate(call)) {
    decideLate(kernel, caller, LATE_KERNEL);
    beginCall(kernel, heir, textOf(texts, 'unknown'));
  } else if (call >= 0) {
    beginCall(kernel, heir, call);
  } else {
    threads.call[heir] = call;
    threads.call[caller] = -1;
  }
}

/** Logged early in the thread's exit: it still runs, may be preempted and may block. */
export function onExit(kernel: KernelModel, tid: number): void {
  const thread = threadOf(kernel, tid);
  kernel.threads.exited[thread] = 1;
  // Of one program perf records no more of a thread that exits: not how it leaves its CPU.
  const cpu = kernel.threads.onCpu[thread];
  if (kernel.program === undefined || cpu < 0) return;
  forgetThread(kernel, cpu);
  refreshCpu(kernel, cpu);
}

/**
 * Nothing is left of the thread; still on a CPU, it dies with its switch-out. Linux reports it when nobody can look at the
 * thread any more, some ms after its tid may be used again: until 5.7 an exec by another thread than the first does so.
 */
export function onFree(kernel: KernelModel, tid: number): void {
  const { threads, lateFrees } = kernel;
  const thread = threadOf(kernel, tid);
  if (!hasExited(kernel, thread) && lateFrees.delete(thread)) return;
  threads.exited[thread] = 1;
  threads.freed[thread] = 1;
  if (threads.onCpu[thread] >= 0) return;
  if (isBlocked(kernel, thread)) {
    countProblem(kernel, 'blocked thread freed');
    endUnexplained(kernel, thread, STATE_DEAD, 'freed while blocked');
  }
  if (Number.isNaN(threads.ended[thread])) threads.ended[thread] = kernel.now;
  setState(kernel, thread, STATE_DEAD);
  closeThread(kernel, thread);
}

/** The state dump gives names, pid and kind; its `status` gives no way of waiting, so no state. */
export function onProcessDump(kernel: KernelModel, dump: ProcessDump): void {
  if (dump.tid === 0) return;
  const { threads } = kernel;
  const thread = threadOf(kernel, dump.tid);
  if (dump.pid !== ABSENT) threads.pid[thread] = dump.pid;
  if (dump.ppid !== ABSENT) threads.ppid[thread] = dump.ppid;
  if (dump.name !== ABSENT) threads.dumpName[thread] = dump.name;
  if (dump.type !== SAVED || threads.name[thread] < 0) setName(kernel, thread, dump.name);
  const kthread = dump.type === 1 || dump.tid === KTHREADD || dump.ppid === KTHREADD;
  if (kthread || (dump.type !== ABSENT && dump.type !== SAVED))
    learn(threads, thread, kthread ? TOLD_KERNEL : TOLD_PROGRAM, kernel.now);
  if (threads.onCpu[thread] >= 0) refreshCpu(kernel, threads.onCpu[thread]);
}

export interface ProcessDump {
  readonly tid: number;
  /** ABSENT where not known. */
  readonly pid: number;
  readonly ppid: number;
  readonly type: number;
  readonly name: number;
}

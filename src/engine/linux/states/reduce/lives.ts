/** Lives of tids: a reused tid is another thread. Also facts from forks and dumps. */
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

/** Process id of kthreadd, parent of all kernel threads. */
export const KTHREADD = 2;

/** Begins another life of the tid, which ends an earlier one. */
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

/** Begins a new life for a tid that exited or died if it is forked, woken as new, run again, or leaves a CPU alive. */
export function nextLifeOf(
  kernel: KernelModel,
  thread: number,
  problem: Extract<Problem, `${string}dead thread${string}: new incarnation`>,
): number {
  if (!isGone(kernel, thread)) return thread;
  countProblem(kernel, problem);
  return beginNextLife(kernel, kernel.threads.tid[thread]);
}

/** Creates a thread: state new, until its first wake-up. */
export function onFork(kernel: KernelModel, fork: Fork): void {
  const { threads } = kernel;
  // The idle thread only forks while the kernel boots.
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
  /** ABSENT if not known. */
  readonly parentPid: number;
  readonly childPid: number;
  readonly name: number;
}

/** Life that a fork begins; a thread that was only mentioned before (by the state dump) is the same life. */
function childOf(kernel: KernelModel, tid: number): number {
  const { threads } = kernel;
  const known = findThread(threads, tid);
  if (known < 0) return threadOf(kernel, tid);
  if (hasExited(kernel, known)) return beginNextLife(kernel, tid);
  // The fork is in this recording, the thread was in an earlier one.
  if (threads.first[known] < (kernel.recordings.gaps.at(-1)?.to ?? -Infinity))
    return beginNextLife(kernel, tid);
  const onlyMentioned = threads.state[known] === STATE_UNKNOWN && threads.ran[known] === 0;
  if (onlyMentioned) return known;
  countProblem(kernel, 'fork of a thread that never exited: new incarnation');
  return beginNextLife(kernel, tid);
}

/**
 * Handles a thread that executes a program. If it is not the first of its process, it has waited for that one to end
 * and takes over its tid: another life of that tid.
 * @param oldTid the thread's tid until now, ABSENT if not known
 */
export function onExec(kernel: KernelModel, cpu: number, tid: number, oldTid: number, name: number): void {
  const caller = oldTid === ABSENT ? unnamedCaller(kernel, cpu, tid) : callerOf(kernel, tid, oldTid);
  const thread = caller >= 0 ? takeOver(kernel, caller, tid) : threadOf(kernel, tid);
  learn(kernel.threads, thread, EXECED, kernel.now);
  setName(kernel, thread, name);
  kernel.threads.guest[thread] = 0;
  if (kernel.threads.onCpu[thread] >= 0) refreshCpu(kernel, kernel.threads.onCpu[thread]);
}

/** Thread that goes on as `tid`, -1: it has that tid already. */
function callerOf(kernel: KernelModel, tid: number, oldTid: number): number {
  if (oldTid === tid || oldTid === 0 || tid === 0) return -1;
  countProblem(kernel, 'exec by a thread that is not the leader');
  return threadOf(kernel, oldTid);
}

/**
 * Thread that goes on as `tid` if the trace does not tell: the current thread, if it is of that process, whose first
 * thread is gone.
 */
function unnamedCaller(kernel: KernelModel, cpu: number, tid: number): number {
  const caller = kernel.cpus.current[cpu];
  const first = threadOf(kernel, tid);
  const isOfProcess = caller >= 0 && caller !== first && kernel.threads.pid[caller] === tid;
  return isOfProcess && isGone(kernel, first) ? caller : -1;
}

/** Ends the thread, which goes on as another life of `tid` on its CPU. */
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

/** Passes on the call with which a thread executes a program. */
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

/** Handles the exit of a thread, logged early in it: it still runs, and may be preempted or block. */
export function onExit(kernel: KernelModel, tid: number): void {
  const thread = threadOf(kernel, tid);
  kernel.threads.exited[thread] = 1;
  // If only one program is recorded, perf records no more of an exiting thread, not even how it leaves its CPU.
  const cpu = kernel.threads.onCpu[thread];
  if (kernel.program === undefined || cpu < 0) return;
  forgetThread(kernel, cpu);
  refreshCpu(kernel, cpu);
}

/**
 * Handles that nothing is left of the thread; on a CPU it dies with its switch-out. Linux reports it once nobody can
 * look at the thread any more, some ms after its tid may be reused, which until 5.7 an exec by another thread than
 * the first does.
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

/** Takes names, pid and kind from the state dump; its `status` does not tell the kind of wait, so no state. */
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
  /** ABSENT if not known. */
  readonly pid: number;
  readonly ppid: number;
  readonly type: number;
  readonly name: number;
}

/**
 * All threads of a host that a trace mentioned, a row each, in order of their first mention: identity, what was last
 * known, and counts. A tid that is used again is a new row. Columns grow by doubling.
 */
import { createIntIndex, findInt, putInt } from './int-index.ts';
import type { IntIndex } from './int-index.ts';

export const KIND_UNKNOWN = 0;
export const KIND_USER = 1;
export const KIND_KERNEL = 2;

function columns(capacity: number) {
  return {
    tid: new Int32Array(capacity),
    /** 1, 2 … for lives of the same tid. */
    incarnation: new Int32Array(capacity),
    /** Number of the CPU whose idle thread it is, -1 none. */
    idleCpu: new Int32Array(capacity).fill(-1),
    /** -1 unknown. */
    pid: new Int32Array(capacity).fill(-1),
    ppid: new Int32Array(capacity).fill(-1),
    /** Row of the thread that forked it, -1 not seen. */
    parent: new Int32Array(capacity).fill(-1),
    /** Index in the history's strings, -1 none. */
    name: new Int32Array(capacity).fill(-1),
    /** What the state dump called it, likewise. */
    dumpName: new Int32Array(capacity).fill(-1),
    /** KIND_*. */
    kind: new Uint8Array(capacity),
    /** TimeNs when it became known that it is a kernel thread; NaN of others. */
    kernelSince: new Float64Array(capacity).fill(NaN),
    /** State number (`values.ts`). */
    state: new Uint8Array(capacity),
    /** Row of the CPU whose current thread it is, -1 none. */
    onCpu: new Int32Array(capacity).fill(-1),
    /** Number of the CPU it is, or was last, on or queued on; -1 unknown. */
    lastCpu: new Int32Array(capacity).fill(-1),
    /** Pending system call: index in the history's strings, -1 none. */
    call: new Int32Array(capacity).fill(-1),
    exited: new Uint8Array(capacity),
    freed: new Uint8Array(capacity),
    ran: new Uint8Array(capacity),
    /** A blocking of it has ended. */
    wasBlocked: new Uint8Array(capacity),
    /** Begin of the blocking that goes on, NaN none. */
    blockedSince: new Float64Array(capacity).fill(NaN),
    /** Cause given by a waking that found the thread still running (packed, `causeValue`), 0 none. */
    remembered: new Float64Array(capacity),
    /** TimeNs of that waking. */
    rememberedAt: new Float64Array(capacity),
    /** TimeNs of the first mention. */
    first: new Float64Array(capacity),
    /** TimeNs when the next life of the tid began, NaN: lives to the end of the trace. */
    replaced: new Float64Array(capacity).fill(NaN),
    /** TimeNs of the switch-out as zombie, or of free; NaN alive. */
    ended: new Float64Array(capacity).fill(NaN),
    /** TimeNs from which on nothing is left of it (`sched_process_free`), NaN: there is. Its rows end there. */
    buried: new Float64Array(capacity).fill(NaN),
    runs: new Float64Array(capacity),
    wakeups: new Float64Array(capacity),
    migrations: new Float64Array(capacity),
    voluntary: new Float64Array(capacity),
    preemptions: new Float64Array(capacity),
    /** Number of the virtual CPU that it is, -1 none. */
    vcpu: new Int32Array(capacity).fill(-1),
    /** Attributes of the history, -1 until first used. */
    stateAttribute: new Int32Array(capacity).fill(-1),
    cpuAttribute: new Int32Array(capacity).fill(-1),
    callAttribute: new Int32Array(capacity).fill(-1),
    nameAttribute: new Int32Array(capacity).fill(-1),
  };
}

export type ThreadColumns = ReturnType<typeof columns>;

export interface ThreadTable extends ThreadColumns {
  length: number;
  /** tid → row of its present life. */
  readonly byTid: IntIndex;
}

export function createThreadTable(): ThreadTable {
  return { ...columns(256), length: 0, byTid: createIntIndex() };
}

/** Row of the present life of `tid`, -1 when it was never mentioned. */
export function findThread(threads: ThreadTable, tid: number): number {
  return findInt(threads.byTid, tid);
}

/** A new row. `tid` 0 is the idle thread of CPU `idleCpu`, which no tid leads to. */
export function addThread(threads: ThreadTable, tid: number, idleCpu: number, time: number): number {
  if (threads.length === threads.tid.length) widen(threads);
  const thread = threads.length++;
  const earlier = tid === 0 ? -1 : findThread(threads, tid);
  threads.tid[thread] = tid;
  threads.incarnation[thread] = earlier < 0 ? 1 : threads.incarnation[earlier] + 1;
  threads.idleCpu[thread] = tid === 0 ? idleCpu : -1;
  threads.first[thread] = time;
  if (tid !== 0) putInt(threads.byTid, tid, thread);
  return thread;
}

function widen(threads: ThreadTable): void {
  const wider = columns(threads.tid.length * 2);
  for (const name of Object.keys(wider) as (keyof ThreadColumns)[]) wider[name].set(threads[name]);
  Object.assign(threads, wider);
}

/** Something tells whether it is a kernel thread. */
export function learnKind(threads: ThreadTable, thread: number, isKernelThread: boolean, time: number): void {
  threads.kind[thread] = isKernelThread ? KIND_KERNEL : KIND_USER;
  if (!isKernelThread) threads.kernelSince[thread] = NaN;
  else if (Number.isNaN(threads.kernelSince[thread])) threads.kernelSince[thread] = time;
}

export interface ThreadIdentity {
  readonly tid: Int32Array;
  readonly incarnation: Int32Array;
  readonly idleCpu: Int32Array;
}

/** Name of a thread in paths and output: `1234`, `1234#2`, `0/cpu3`. */
export function threadKey(threads: ThreadIdentity, thread: number): string {
  const tid = threads.tid[thread];
  if (tid === 0) return `0/cpu${threads.idleCpu[thread]}`;
  const incarnation = threads.incarnation[thread];
  return incarnation === 1 ? String(tid) : `${tid}#${incarnation}`;
}

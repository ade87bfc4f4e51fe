/**
 * All threads of a host that a trace mentioned, a row each, in order of their first mention: identity, what was last
 * known, and counts. A tid that is used again is a new row. Columns grow by doubling.
 */
import { f64, i32, type Table, type TableMemory, u8 } from '../../../base/tables.ts';
import type { AttributeKind, HistorySink } from '../../../history/types.ts';
import { createIntIndex, findInt, putInt } from '../../../analysis/compiled/int-index.ts';
import type { IntIndex } from '../../../analysis/compiled/int-index.ts';

export const KIND_UNKNOWN = 0;
export const KIND_USER = 1;
export const KIND_KERNEL = 2;

/** CPU of a thread that was woken, where wake-ups do not say on which one it waits. */
export const QUEUED_SOMEWHERE = -2;

export const THREAD = {
  tid: i32(),
  /** 1, 2 … for lives of the same tid. */
  incarnation: i32(),
  /** Number of the CPU whose idle thread it is, -1 none. */
  idleCpu: i32(-1),
  /** -1 unknown. */
  pid: i32(-1),
  ppid: i32(-1),
  /** Row of the thread that forked it, -1 not seen. */
  parent: i32(-1),
  /** Index in the history's strings, -1 none. */
  name: i32(-1),
  /** Name in the state dump, likewise. */
  dumpName: i32(-1),
  /** KIND_*. */
  kind: u8(),
  /** HostNs when it became known that it is a kernel thread; NaN of others. */
  kernelSince: f64(NaN),
  /** State number (`values.ts`). */
  state: u8(),
  /** Row of the CPU whose current thread it is, -1 none. */
  onCpu: i32(-1),
  /** Number of the CPU it is, or was last, on or queued on; -1 unknown, QUEUED_SOMEWHERE. */
  lastCpu: i32(-1),
  /** Pending system call: index in the history's strings, -1 none; what is less stands for one (`late-log.ts`). */
  call: i32(-1),
  exited: u8(),
  freed: u8(),
  ran: u8(),
  /** Begin of the blocking that goes on, NaN none. */
  blockedSince: f64(NaN),
  /** Cause given by a waking that found the thread still running (packed, `causeValue`), 0 none. */
  pendingCause: f64(),
  /** HostNs of that waking. */
  pendingCauseAt: f64(),
  /** HostNs of the first mention. */
  first: f64(),
  /** HostNs when the next life of the tid began, NaN: lives to the end of the trace. */
  replaced: f64(NaN),
  /** HostNs of the switch-out as zombie, or of free; NaN alive. */
  ended: f64(NaN),
  /** HostNs from which on nothing is left of it (`sched_process_free`), NaN: there is. Its rows end there. */
  closedAt: f64(NaN),
  runs: f64(),
  wakeups: f64(),
  migrations: f64(),
  voluntary: f64(),
  preemptions: f64(),
  /** Number of the virtual CPU that it is, -1 none. */
  vcpu: i32(-1),
  /** 1: it is current and runs a guest. */
  guest: u8(),
  /** 1: it left its CPU within softirqs (`suspended-softirqs.ts`). */
  suspended: u8(),
  /** Attributes of the history, -1 until first used. */
  stateAttribute: i32(-1),
  cpuAttribute: i32(-1),
  callAttribute: i32(-1),
  nameAttribute: i32(-1),
  /** 1: a signal was generated for it and not delivered yet. */
  signalled: u8(),
};

/** How many there are, in one row. */
export const COUNT = { threads: i32() };

/** Numbers of the families of their attributes. */
interface ThreadFamilies {
  readonly state: number;
  readonly cpu: number;
  readonly call: number;
  readonly name: number;
}

export interface ThreadTable extends Table<typeof THREAD> {
  readonly memory: TableMemory;
  readonly count: Table<typeof COUNT>;
  /** tid → row of its present life. */
  readonly byTid: IntIndex;
  readonly families: ThreadFamilies;
}

export function createThreadTable(sink: HistorySink, memory: TableMemory): ThreadTable {
  const count = memory.table(COUNT, 1);
  const byTid = createIntIndex(1024, memory);
  const familyOf = (leaf: string, kind: AttributeKind) =>
    sink.family({ kind, pathOf: (tid, life) => ['threads', keyOf(tid, life), leaf] });
  const families = {
    state: familyOf('state', 'state'),
    cpu: familyOf('cpu', 'integer'),
    call: familyOf('syscall', 'string'),
    name: familyOf('name', 'string'),
  };
  return memory.table(THREAD, 256, { memory, count, byTid, families });
}

export function threadCount({ count }: ThreadTable): number {
  return count.threads[0];
}

/** Row of the present life of `tid`, -1 when it was never mentioned. */
export function findThread(threads: ThreadTable, tid: number): number {
  return findInt(threads.byTid, tid);
}

/** A new row. `tid` 0 is the idle thread of CPU `idleCpu`, which no tid leads to. */
export function addThread(threads: ThreadTable, tid: number, idleCpu: number, time: number): number {
  const thread = threadCount(threads);
  if (thread === threads.tid.length) threads.memory.widen(threads, 2 * thread);
  threads.count.threads[0]++;
  const earlier = tid === 0 ? -1 : findThread(threads, tid);
  threads.tid[thread] = tid;
  threads.incarnation[thread] = earlier < 0 ? 1 : threads.incarnation[earlier] + 1;
  threads.idleCpu[thread] = tid === 0 ? idleCpu : -1;
  threads.first[thread] = time;
  if (tid !== 0) putInt(threads.byTid, tid, thread);
  return thread;
}

/** Something says whether it is a kernel thread. */
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

/** Rows of the table in the order in which threads are listed: by tid, then by life; idle threads by CPU. */
export function inThreadOrder({ tid, incarnation, idleCpu }: ThreadIdentity, length: number): number[] {
  return Array.from({ length }, (_, i) => i).sort(
    (a, b) => tid[a] - tid[b] || incarnation[a] - incarnation[b] || idleCpu[a] - idleCpu[b],
  );
}

/** Name of a thread in paths and output: `1234`, `1234#2`, `0/cpu3`. */
export function threadKey(threads: ThreadIdentity, thread: number): string {
  return keyOf(threads.tid[thread], lifeOf(threads, thread));
}

/** Number that distinguishes threads of one tid: the CPU of idle threads, the incarnation of others. */
function lifeOf({ tid, idleCpu, incarnation }: ThreadIdentity, thread: number): number {
  return tid[thread] === 0 ? idleCpu[thread] : incarnation[thread];
}

function keyOf(tid: number, life: number): string {
  if (tid === 0) return `0/cpu${life}`;
  return life === 1 ? String(tid) : `${tid}#${life}`;
}

/** A new attribute of a thread, of one of `ThreadFamilies`. All columns may be others then. */
export function threadAttribute(
  sink: HistorySink,
  threads: ThreadTable,
  thread: number,
  family: number,
): number {
  return sink.member(family, threads.tid[thread], lifeOf(threads, thread));
}

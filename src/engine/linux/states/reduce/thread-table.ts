/**
 * All threads of a host that a trace mentions, a row each, in order of first mention: identity, last known values,
 * and counts. A reused tid is a new row. Columns double.
 */
import { f64, i32, type Table, type TableMemory, u8 } from '../../../base/tables.ts';
import type { AttributeKind, HistorySink } from '../../../history/types.ts';
import { createIntIndex, findInt, putInt, type IntIndex } from '../../../analysis/compiled/int-index.ts';
import { type OwnMode, STATE_KERNEL, STATE_RUNNING, STATE_USER } from '../../events/values.ts';

// Bits of evidence whether a thread is the kernel's: it executes a program; a state dump or its parent tells that it
// is the kernel's, or a program's; such names; a system call event, a whole call between switches.
export const EXECED = 1;
export const TOLD_KERNEL = 2;
export const TOLD_PROGRAM = 4;
/** It has or had a name of kernel threads. */
export const NAMED_KERNEL = 8;
/** It has or had a name of kernel threads that work for a program, whose code they never run. */
export const NAMED_WORKER = 16;
export const CALLED = 32;
export const CALLED_WHOLE = 64;
/** A call began, and the thread has not left its CPU since. */
export const IN_CALL = 128;

/** CPU of a woken thread if wake-ups do not tell where it waits. */
export const QUEUED_SOMEWHERE = -2;

/** Columns of threads that a trace's tables keep as at its end (`ThreadRows`). */
export const THREAD_ROWS = {
  /** Part of its name in output, with the next two: '1234', '1234#2', '0/cpu3'. */
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
  /** Its mode outside of system calls, as known so far (`OwnMode`). */
  mode: u8(),
  /** HostNs since when that is known; NaN: no other mode was assumed before. */
  modeSince: f64(NaN),
  /** State number (`values.ts`). */
  state: u8(),
  /** 1: it was seen on a CPU. */
  ran: u8(),
  /** HostNs of the first mention. */
  first: f64(),
  /** HostNs of the switch-out as zombie, or of free; NaN: alive. */
  ended: f64(NaN),
  /** HostNs from which on nothing is left of it (`sched_process_free`), where its rows end; NaN: it exists. */
  closedAt: f64(NaN),
  /** Number of switch-ins; of entries into state 5; of sched_migrate_task; of switch-outs into states 6-10; into state 4. */
  runs: f64(),
  wakeups: f64(),
  migrations: f64(),
  voluntary: f64(),
  preemptions: f64(),
  /** Number of the virtual CPU that it is, -1 none. */
  vcpu: i32(-1),
  /** Attributes of the history, -1 until first used. */
  stateAttribute: i32(-1),
  cpuAttribute: i32(-1),
  callAttribute: i32(-1),
  nameAttribute: i32(-1),
};

export const THREAD = {
  ...THREAD_ROWS,
  /** Index in the history's strings, -1 none. */
  name: i32(-1),
  /** Name in the state dump, likewise. */
  dumpName: i32(-1),
  /** Bits of evidence for its mode. */
  evidence: u8(),
  /** HostNs when its state began. */
  since: f64(),
  /** Row of the CPU whose current thread it is, -1 none. */
  onCpu: i32(-1),
  /** Number of the CPU that it is or was last on or queued on; -1 unknown, QUEUED_SOMEWHERE. */
  lastCpu: i32(-1),
  /** Pending system call: index in the history's strings, -1 none; lower numbers stand for calls (`late-log.ts`). */
  call: i32(-1),
  exited: u8(),
  freed: u8(),
  /** State of a thread that is unknown since a loss if it is next seen going on a CPU, else 0. */
  hole: u8(),
  /** Begin of the present blocking, NaN none. */
  blockedSince: f64(NaN),
  /** Cause given by a waking that found the thread still running (packed, `causeValue`), 0 none. */
  pendingCause: f64(),
  /** HostNs of that waking. */
  pendingCauseAt: f64(),
  /** HostNs when the next life of the tid began; NaN: it lives to the end of the trace. */
  replaced: f64(NaN),
  /** 1: it is current and runs a guest. */
  guest: u8(),
  /** 1: it left its CPU within softirqs (`suspended-softirqs.ts`). */
  suspended: u8(),
  /** 1: a signal was generated for it and not delivered yet. */
  signalled: u8(),
};

/** Number of threads, in one row. */
export const COUNT = { threads: i32() };

/** Columns of the attributes, by family. */
export const ATTRIBUTES = {
  state: 'stateAttribute',
  cpu: 'cpuAttribute',
  call: 'callAttribute',
  name: 'nameAttribute',
} as const;

/** Numbers of the families of their attributes. */
type ThreadFamilies = Readonly<Record<keyof typeof ATTRIBUTES, number>>;

/** Circumstances that affect the evidence of threads. */
export interface ModeRules {
  /** Whether both halves of system calls are recorded, so that a thread without any may be the kernel's. */
  readonly recordsCalls: boolean;
  /** Whether switches were lost, so that an event may be of another thread unless a whole call is seen. */
  readonly losesSwitches: boolean;
}

export interface ThreadTable extends Table<typeof THREAD> {
  readonly rules: ModeRules;
  readonly memory: TableMemory;
  readonly count: Table<typeof COUNT>;
  /** Row of the present life by tid. */
  readonly byTid: IntIndex;
  readonly families: ThreadFamilies;
}

export function createThreadTable(sink: HistorySink, memory: TableMemory, rules: ModeRules): ThreadTable {
  const count = memory.table(COUNT, 1);
  const byTid = createIntIndex(1024, memory);
  const familyOf = (chunkResult: string, kind: AttributeKind) =>
    sink.family({ kind, pathOf: (tid, life) => ['threads', keyOf(tid, life), chunkResult] });
  const families = {
    state: familyOf('state', 'state'),
    cpu: familyOf('cpu', 'integer'),
    call: familyOf('syscall', 'string'),
    name: familyOf('name', 'string'),
  };
  return memory.table(THREAD, 256, { rules, memory, count, byTid, families });
}

export function threadCount({ count }: ThreadTable): number {
  return count.threads[0];
}

/** Row of the present life of `tid`, -1 if it was never mentioned. */
export function findThread(threads: ThreadTable, tid: number): number {
  return findInt(threads.byTid, tid);
}

/** Adds a row. `tid` 0 is the idle thread of CPU `idleCpu`, which is not found by tid. */
export function addThread(threads: ThreadTable, tid: number, idleCpu: number, time: number): number {
  const thread = threadCount(threads);
  if (thread === threads.tid.length) threads.memory.widen(threads, 2 * thread);
  threads.count.threads[0]++;
  const earlier = tid === 0 ? -1 : findThread(threads, tid);
  threads.tid[thread] = tid;
  threads.incarnation[thread] = earlier < 0 ? 1 : threads.incarnation[earlier] + 1;
  threads.idleCpu[thread] = tid === 0 ? idleCpu : -1;
  threads.first[thread] = time;
  threads.mode[thread] = tid === 0 ? STATE_KERNEL : modeBy(0, threads.rules);
  if (tid !== 0) putInt(threads.byTid, tid, thread);
  return thread;
}

/** Evidence from a call that overrides the names of threads. */
function callEvidence({ losesSwitches }: ModeRules): number {
  return losesSwitches ? CALLED_WHOLE : CALLED;
}

/** Mode of a thread outside of system calls: by evidence first, by names last. */
function modeBy(evidence: number, rules: ModeRules): OwnMode {
  const calls = (evidence & callEvidence(rules)) !== 0;
  if ((evidence & EXECED) !== 0) return STATE_USER;
  if ((evidence & TOLD_KERNEL) !== 0) return STATE_KERNEL;
  if ((evidence & NAMED_WORKER) !== 0 && !calls) return STATE_KERNEL;
  if ((evidence & TOLD_PROGRAM) !== 0) return STATE_USER;
  if ((evidence & NAMED_KERNEL) !== 0 && !calls) return STATE_KERNEL;
  return (evidence & CALLED) !== 0 || !rules.recordsCalls ? STATE_USER : STATE_RUNNING;
}

/** Whether nothing more can show that a thread is the kernel's. */
export function isSurelyProgram({ evidence, rules }: ThreadTable, thread: number): boolean {
  return (evidence[thread] & (EXECED | callEvidence(rules))) !== 0 && (evidence[thread] & TOLD_KERNEL) === 0;
}

/**
 * Adds evidence for the mode of a thread.
 * @returns whether the mode changed, so that the values stored of its CPU must be derived again
 */
export function learn(threads: ThreadTable, thread: number, bits: number, time: number): boolean {
  const more = isSurelyProgram(threads, thread) ? bits & ~TOLD_KERNEL : bits;
  const evidence = threads.evidence[thread] | more;
  threads.evidence[thread] = evidence;
  const mode = threads.tid[thread] === 0 ? STATE_KERNEL : modeBy(evidence, threads.rules);
  if (mode === threads.mode[thread]) return false;
  threads.mode[thread] = mode;
  threads.modeSince[thread] = time;
  return true;
}

export type ThreadIdentity = Readonly<Pick<Table<typeof THREAD>, 'tid' | 'incarnation' | 'idleCpu'>>;

/** Rows of the table in the order of thread lists: by tid, then life; idle threads by CPU. */
export function inThreadOrder({ tid, incarnation, idleCpu }: ThreadIdentity, length: number): number[] {
  return Array.from({ length }, (_, i) => i).sort(
    (a, b) => tid[a] - tid[b] || incarnation[a] - incarnation[b] || idleCpu[a] - idleCpu[b],
  );
}

/** Name of a thread in paths and output: `1234`, `1234#2`, `0/cpu3`. */
export function threadKey(threads: ThreadIdentity, thread: number): string {
  return keyOf(threads.tid[thread], lifeOf(threads, thread));
}

/** Number that distinguishes threads of one tid: for idle threads the CPU, for others the incarnation. */
function lifeOf({ tid, idleCpu, incarnation }: ThreadIdentity, thread: number): number {
  return tid[thread] === 0 ? idleCpu[thread] : incarnation[thread];
}

function keyOf(tid: number, life: number): string {
  if (tid === 0) return `0/cpu${life}`;
  return life === 1 ? String(tid) : `${tid}#${life}`;
}

/** Attribute of a thread, made on first use, which may replace all columns. */
export function attributeOf(
  sink: HistorySink,
  threads: ThreadTable,
  thread: number,
  family: keyof ThreadFamilies,
): number {
  const column = ATTRIBUTES[family];
  const known = threads[column][thread];
  if (known >= 0) return known;
  const attribute = sink.member(threads.families[family], threads.tid[thread], lifeOf(threads, thread));
  threads[column][thread] = attribute;
  return attribute;
}

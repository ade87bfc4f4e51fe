/** The CPUs of a host, a row each: current thread, interrupt stack, and values reported at the end. */
import { f64, i32, type Table, type TableMemory, u8 } from '../../../base/tables.ts';
import { createIntIndex, findInt, putInt, type IntIndex } from '../../../analysis/compiled/int-index.ts';

/** Interrupts nest a few levels deep; deeper entries are counted and not kept. */
export const MAX_FRAMES = 32;
/** Greatest number of softirqs: Linux keeps raised ones in the bits of one word. */
export const MOST_SOFTIRQS = 32;
/** Words of a frame: kind, id, second half of the id, name. */
export const FRAME_WORDS = 4;

export const CPU = {
  number: i32(),
  /** Row of the current thread, -1 unknown. */
  current: i32(-1),
  /** Row of its idle thread, -1 not mentioned yet. */
  idle: i32(-1),
  /** Frames on the interrupt stack; `frames` has room for MAX_FRAMES of them, FRAME_WORDS each. */
  depth: i32(),
  frames: i32(0, MAX_FRAMES * FRAME_WORDS),
  /** Serial number of each frame, from 1 on, over all CPUs; a timer function has that of its calling softirq. */
  serials: i32(0, MAX_FRAMES),
  /** HostNs of each frame's entry and, for a softirq, of its first raise before that; NaN: not seen. */
  entered: f64(0, MAX_FRAMES),
  raised: f64(NaN, MAX_FRAMES),
  /** HostNs of the first raise of each softirq since its last entry; NaN none. */
  pending: f64(NaN, MOST_SOFTIRQS),
  /** 1 for softirqs that are their thread's own work, which interrupt nobody. */
  exempt: u8(0, MAX_FRAMES),
  /** Work done in each frame: HAS_* bits. */
  work: u8(0, MAX_FRAMES),
  /** Frames that are not exempt. */
  interrupting: i32(),
  /** The stored value of its state. */
  value: f64(),
  /** First and last event in its streams, HostNs. */
  first: f64(NaN),
  last: f64(NaN),
  firstSwitch: f64(NaN),
  switches: f64(),
  stateAttribute: i32(-1),
  threadAttribute: i32(-1),
  /** -1 until first used. */
  frequencyAttribute: i32(-1),
  /** Number of the interrupt whose handler has just asked for its thread, which is woken next; -1 none. */
  threadedIrq: i32(-1),
  /** The rest of its frame. */
  threadedName: i32(-1),
  threadedSerial: i32(),
  threadedWork: u8(),
};

/** Events in a frame: a packet was received that can be distinguished from others; any packet was; a request completed. */
export const HAS_KNOWN_PACKET = 1;
export const HAS_PACKET = 2;
export const HAS_REQUEST = 4;
/** The wait of a softirq was recorded. */
export const HAS_WAIT = 8;

export interface CpuTable extends Table<typeof CPU> {
  readonly memory: TableMemory;
  length: number;
  readonly byNumber: IntIndex;
  /** Kinds of events seen so far on any CPU, in one row. */
  readonly seen: Table<typeof SEEN>;
}

export const SEEN = {
  /** Number of frames entered. */
  frames: i32(),
  /** 1: a sched_waking or sched_wakeup was seen. */
  wakeUps: u8(),
};

export function createCpuTable(memory: TableMemory): CpuTable {
  const byNumber = createIntIndex(64, memory);
  return memory.table(CPU, 8, { memory, length: 0, byNumber, seen: memory.table(SEEN, 1) });
}

/** Row of a CPU, -1 when it has none. */
export function findCpu(cpus: CpuTable, number: number): number {
  return findInt(cpus.byNumber, number);
}

export function addCpu(
  cpus: CpuTable,
  number: number,
  stateAttribute: number,
  threadAttribute: number,
): number {
  if (cpus.length === cpus.number.length) cpus.memory.widen(cpus, 2 * cpus.length);
  const cpu = cpus.length++;
  cpus.number[cpu] = number;
  cpus.stateAttribute[cpu] = stateAttribute;
  cpus.threadAttribute[cpu] = threadAttribute;
  putInt(cpus.byNumber, number, cpu);
  return cpu;
}

/** Place in `frames` of the innermost frame's words; the CPU is in an interrupt. */
export function innermostFrame(cpus: CpuTable, cpu: number): number {
  return (cpu * MAX_FRAMES + cpus.depth[cpu] - 1) * FRAME_WORDS;
}

/** Serial number of the innermost frame, 0 outside of interrupts. */
export function innermostSerial(cpus: CpuTable, cpu: number): number {
  const depth = cpus.depth[cpu];
  return depth > 0 ? cpus.serials[cpu * MAX_FRAMES + depth - 1] : 0;
}

/** Notes work (HAS_* bits) in the innermost interrupt, if any. */
export function noteWork(cpus: CpuTable, cpu: number, work: number): void {
  const depth = cpus.depth[cpu];
  if (depth > 0) cpus.work[cpu * MAX_FRAMES + depth - 1] |= work;
}

/** Work done so far in the innermost interrupt; 0 outside of any. */
export function innermostWork(cpus: CpuTable, cpu: number): number {
  const depth = cpus.depth[cpu];
  return depth > 0 ? cpus.work[cpu * MAX_FRAMES + depth - 1] : 0;
}

/** Name of a CPU in paths. */
export function cpuKey(number: number): string {
  return number < 0 ? 'unknown' : String(number);
}

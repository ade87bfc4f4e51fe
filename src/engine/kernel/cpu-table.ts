/** The CPUs of a host, a row each: current thread, interrupt stack, what is to be told at the end. */
import { createIntIndex, findInt, putInt } from './int-index.ts';
import type { IntIndex } from './int-index.ts';

/** Interrupts nest a few levels deep; deeper entries are counted and not kept. */
export const MAX_FRAMES = 32;
/** Words of a frame: kind, id, second half of the id, name. */
export const FRAME_WORDS = 4;

export interface Cpu {
  readonly number: number;
  /** Row of the current thread, -1 unknown. */
  current: number;
  /** Row of its idle thread, -1 not mentioned yet. */
  idle: number;
  /** Frames on the interrupt stack; `frames` holds FRAME_WORDS for each. */
  depth: number;
  readonly frames: Int32Array;
  /** Serial number of each frame, from 1 on, over all CPUs. */
  readonly serials: Int32Array;
  /** 1 for softirqs that ksoftirqd runs: they interrupt nobody. */
  readonly exempt: Uint8Array;
  /** Frames that are not exempt. */
  interrupting: number;
  /** The stored value of its state. */
  value: number;
  /** First and last event in its streams, TimeNs. */
  first: number;
  last: number;
  firstSwitch: number;
  switches: number;
  readonly stateAttribute: number;
  readonly threadAttribute: number;
  frequencyAttribute: number;
}

export interface CpuTable {
  readonly rows: Cpu[];
  readonly byNumber: IntIndex;
  /** Frames entered so far. */
  frames: number;
}

export function createCpuTable(): CpuTable {
  return { rows: [], byNumber: createIntIndex(64), frames: 0 };
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
  const row = cpus.rows.push({
    number,
    current: -1,
    idle: -1,
    depth: 0,
    frames: new Int32Array(MAX_FRAMES * FRAME_WORDS),
    serials: new Int32Array(MAX_FRAMES),
    exempt: new Uint8Array(MAX_FRAMES),
    interrupting: 0,
    value: 0,
    first: NaN,
    last: NaN,
    firstSwitch: NaN,
    switches: 0,
    stateAttribute,
    threadAttribute,
    frequencyAttribute: -1,
  });
  putInt(cpus.byNumber, number, row - 1);
  return row - 1;
}

/** Name of a CPU in paths. */
export function cpuKey(number: number): string {
  return number < 0 ? 'unknown' : String(number);
}

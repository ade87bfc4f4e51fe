/**
 * Softirqs that waited: from the first raise to the entry, and while they were switched out with their thread. Rows
 * for those that ended a wait or received a packet, and for all that were switched out, in any order.
 */
import { f64, i32, noRows, type ReadRows, type TableLog, u8 } from '../../../base/tables.ts';
import { FRAME_HRTIMER, FRAME_SOFTIRQ } from '../map/transitions.ts';
import { type CpuTable, FRAME_WORDS, HAS_WAIT, MAX_FRAMES } from './cpu-table.ts';

/** Kinds of rows: it was raised and not entered yet; it was switched out with its thread. */
export const SOFTIRQ_RAISED = 0;
export const SOFTIRQ_AWAY = 1;

export const SOFTIRQ = {
  /** SOFTIRQ_*. */
  kind: u8(),
  /** Serial number of its frame, like `SIGNAL.frame` and `PACKET.frame`. */
  frame: i32(),
  /** Its number. */
  vec: i32(),
  /** It waited from `from` to `to` (HostNs). */
  from: f64(),
  to: f64(),
};

export type SoftirqRows = ReadRows<typeof SOFTIRQ>;

export const NO_SOFTIRQS: SoftirqRows = { length: 0, ...noRows(SOFTIRQ) };

/** Rows while they are written. */
export type SoftirqLog = TableLog<typeof SOFTIRQ>;

/**
 * Records how long a CPU's present softirq waited, or the one that called its present timer function.
 * @returns whether its raise was seen
 */
export function noteSoftirqWait(log: SoftirqLog, cpus: CpuTable, cpu: number): boolean {
  const { depth, frames, raised, entered, serials, work } = cpus;
  if (depth[cpu] === 0) return false;
  let place = cpu * MAX_FRAMES + depth[cpu] - 1;
  const serial = serials[place];
  if (frames[place * FRAME_WORDS] === FRAME_HRTIMER && depth[cpu] > 1 && serials[place - 1] === serial)
    place--;
  if (frames[place * FRAME_WORDS] !== FRAME_SOFTIRQ || Number.isNaN(raised[place])) return false;
  const vec = frames[place * FRAME_WORDS + 1];
  if ((work[place] & HAS_WAIT) === 0)
    log.append({ kind: SOFTIRQ_RAISED, frame: serial, vec, from: raised[place], to: entered[place] });
  work[place] |= HAS_WAIT;
  return true;
}

/**
 * The pieces of time in which events were lost on some CPU, what they hide, and what they overlap (engine/linux/states/RULES.md).
 */
import { HIDES_SWITCHES, HIDES_WAKE_UPS, HIDES_WAKERS } from '../../../trace/loss-subjects.ts';

export interface LossPiece {
  readonly cpu: number;
  /** HostNs. */
  readonly from: number;
  readonly to: number;
  /** HIDES_* bits: what may have been lost. */
  readonly hidden: number;
}

export interface LossLog {
  /** Pieces in order of `from`. */
  readonly pieces: LossPiece[];
  /** Greatest end of the pieces that may hide wakers: of those that begin before the last one does, and of those that begin with it. */
  earlierEnd: number;
  lastFrom: number;
  lastEnd: number;
}

export function createLossLog(): LossLog {
  return { pieces: [], earlierEnd: -Infinity, lastFrom: -Infinity, lastEnd: -Infinity };
}

/** Pieces come in order of `from`. */
export function addLoss(log: LossLog, cpu: number, from: number, to: number, hidden: number): void {
  log.pieces.push({ cpu, from, to, hidden });
  if ((hidden & HIDES_WAKERS) === 0) return;
  if (from > log.lastFrom) {
    log.earlierEnd = Math.max(log.earlierEnd, log.lastEnd);
    log.lastFrom = from;
    log.lastEnd = to;
  } else {
    log.lastEnd = Math.max(log.lastEnd, to);
  }
}

/** Whether a piece that may hide wakers overlaps [from, to); `to` is not before the begin of any piece so far. */
export function overlapsLoss(log: LossLog, from: number, to: number): boolean {
  return log.earlierEnd > from || (log.lastFrom < to && log.lastEnd > from);
}

/** Whether a piece that ends behind `from` may hide a wake-up, or that a thread ran. */
export function hidesWakeUp({ pieces }: LossLog, from: number): boolean {
  return pieces.some(({ to, hidden }) => to > from && (hidden & (HIDES_SWITCHES | HIDES_WAKE_UPS)) !== 0);
}

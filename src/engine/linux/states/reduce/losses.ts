/** Times in which events were lost on some CPU, what they hide, and what they overlap (engine/linux/states/RULES.md). */
import { firstWhere } from '../../../base/lower-bound.ts';
import { HIDES_SWITCHES, HIDES_WAKE_UPS, HIDES_WAKERS } from '../../../trace/loss-subjects.ts';

export interface LossPiece {
  readonly cpu: number;
  /** HostNs. */
  readonly from: number;
  readonly to: number;
  /** HIDES_* bits of what may have been lost. */
  readonly hidden: number;
}

export interface LossLog {
  readonly pieces: LossPiece[];
  /** Pieces that may hide switches, and the greatest end up to each. */
  readonly switches: LossPiece[];
  readonly reach: number[];
  /**
   * Greatest end of the pieces that may hide wakers: of those that begin before the last one, and of those that begin
   * with it.
   */
  earlierEnd: number;
  lastFrom: number;
  lastEnd: number;
}

export function createLossLog(): LossLog {
  return {
    pieces: [],
    switches: [],
    reach: [],
    earlierEnd: -Infinity,
    lastFrom: -Infinity,
    lastEnd: -Infinity,
  };
}

/** Adds a loss. Losses come in order of `from`. */
export function addLoss(log: LossLog, cpu: number, from: number, to: number, hidden: number): void {
  const piece = { cpu, from, to, hidden };
  log.pieces.push(piece);
  if ((hidden & HIDES_SWITCHES) !== 0) {
    log.switches.push(piece);
    log.reach.push(Math.max(to, log.reach.at(-1) ?? -Infinity));
  }
  if ((hidden & HIDES_WAKERS) === 0) return;
  if (from > log.lastFrom) {
    log.earlierEnd = Math.max(log.earlierEnd, log.lastEnd);
    log.lastFrom = from;
    log.lastEnd = to;
  } else {
    log.lastEnd = Math.max(log.lastEnd, to);
  }
}

/** Whether a loss that may hide wakers overlaps [from, to); `to` is not before the begin of any loss so far. */
export function overlapsLoss(log: LossLog, from: number, to: number): boolean {
  return log.earlierEnd > from || (log.lastFrom < to && log.lastEnd > from);
}

/** The first time in [from, now) at which a switch may have been lost on any CPU, NaN: none. */
export function firstLost({ switches, reach }: LossLog, from: number, now: number): number {
  let i = firstWhere(0, reach.length, (index) => reach[index] >= from);
  for (; i < reach.length && switches[i].from < now; i++) {
    const piece = switches[i];
    if (piece.to > from || piece.from === from) return Math.max(from, piece.from);
  }
  return NaN;
}

/** Whether `time` is in a loss that may hide switches and began before `now`. */
export function isInLoss({ switches, reach }: LossLog, time: number, now: number): boolean {
  const i = firstWhere(0, reach.length, (index) => reach[index] > time);
  return i < reach.length && switches[i].from <= time && switches[i].from < now;
}

/** End of the last loss that may hide switches and began before `now`. */
export function lostUntil({ switches, reach }: LossLog, now: number): number {
  const after = firstWhere(0, reach.length, (index) => switches[index].from >= now);
  return reach[after - 1] ?? -Infinity;
}

/** Whether a loss that ends after `from` may hide a wake-up, or that a thread ran. */
export function hidesWakeUp({ pieces }: LossLog, from: number): boolean {
  return pieces.some(({ to, hidden }) => to > from && (hidden & (HIDES_SWITCHES | HIDES_WAKE_UPS)) !== 0);
}

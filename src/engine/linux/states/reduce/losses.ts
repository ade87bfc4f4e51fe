/**
 * The pieces of time in which events were lost on some CPU, and what they overlap (engine/linux/states/RULES.md).
 */
export interface LossPiece {
  readonly cpu: number;
  /** HostNs. */
  readonly from: number;
  readonly to: number;
}

export interface LossLog {
  /** Pieces in order of `from`. */
  readonly pieces: LossPiece[];
  /** Greatest end of the pieces that begin before the last one does; and of those that begin with it. */
  earlierEnd: number;
  lastFrom: number;
  lastEnd: number;
}

export function createLossLog(): LossLog {
  return { pieces: [], earlierEnd: -Infinity, lastFrom: -Infinity, lastEnd: -Infinity };
}

/** Pieces come in order of `from`. */
export function addLoss(log: LossLog, cpu: number, from: number, to: number): void {
  log.pieces.push({ cpu, from, to });
  if (from > log.lastFrom) {
    log.earlierEnd = Math.max(log.earlierEnd, log.lastEnd);
    log.lastFrom = from;
    log.lastEnd = to;
  } else {
    log.lastEnd = Math.max(log.lastEnd, to);
  }
}

/** Whether a piece overlaps [from, to); `to` is not before the begin of any piece so far. */
export function overlapsLoss(log: LossLog, from: number, to: number): boolean {
  return log.earlierEnd > from || (log.lastFrom < to && log.lastEnd > from);
}

/** Waits for locks of an execution graph, told one by one with their pieces. */
import type { BoundedTimes, GraphLockWaits } from '../../src/engine/graph/lock-waits.ts';

export interface ToldLockWait {
  readonly worker: number;
  readonly begin: number;
  readonly end: number;
  readonly until: number;
  readonly outcome: number;
  readonly by: number;
  readonly cause: number;
  readonly pieces: readonly {
    readonly to: number;
    readonly holder: number;
    readonly isHeld: boolean;
    readonly asked: number;
  }[];
}

interface ToldTime {
  readonly worker: number;
  readonly begin: number;
  readonly end: number;
}

export function toldLockWaits(
  waits: readonly ToldLockWait[],
  maybe: readonly ToldTime[] = [],
): GraphLockWaits {
  return {
    ...timesOf(waits),
    until: Float64Array.from(waits, ({ until }) => until),
    outcome: Uint8Array.from(waits, ({ outcome }) => outcome),
    by: Int32Array.from(waits, ({ by }) => by),
    cause: Float64Array.from(waits, ({ cause }) => cause),
    piecesOf: (row) => {
      const { pieces } = waits[row];
      return {
        length: pieces.length,
        to: Float64Array.from(pieces, ({ to }) => to),
        holder: Int32Array.from(pieces, ({ holder }) => holder),
        isHeld: Uint8Array.from(pieces, ({ isHeld }) => (isHeld ? 1 : 0)),
        asked: Float64Array.from(pieces, ({ asked }) => asked),
      };
    },
    bounded: timesOf(maybe),
  };
}

function timesOf(times: readonly ToldTime[]): BoundedTimes {
  return {
    length: times.length,
    worker: Int32Array.from(times, ({ worker }) => worker),
    begin: Float64Array.from(times, ({ begin }) => begin),
    end: Float64Array.from(times, ({ end }) => end),
  };
}

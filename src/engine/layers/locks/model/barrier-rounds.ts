/** Rounds of a barrier: which waits met, and which came last. Threads may begin the next round before all have left. */
import { firstWhere } from '../../../base/lower-bound.ts';
import { ACQUIRED, type LockWaits, UNFINISHED } from './lock-model.ts';
import { firstWakeBehind, type WakeUps } from './thread-waits.ts';

/** Waits at one barrier; rows of the waits. */
export interface BarrierWaits {
  /** Waits with a recorded begin. */
  readonly rows: readonly number[];
  /** Whether a wait ended as the serial one of its round (PTHREAD_BARRIER_SERIAL_THREAD). */
  readonly isSerial: (row: number) => boolean;
}

/**
 * Finds rounds: the first wait to end that is in no round completes one. Its last wait woke another one of those
 * present: all that began by then belong to the round. Without a wake-up the last is the first that ended as the
 * serial thread, else the last that began.
 * @param looks at waits of other rounds and at wake-ups; no round is found once they are used up
 * @param visit gets the last wait of each round, and all of them, in order of their ends
 * @returns waits whose rounds were not searched
 */
export function barrierRounds(
  waits: Omit<LockWaits, 'length'>,
  { rows, isSerial }: BarrierWaits,
  wakes: WakeUps,
  looks: { left: number },
  visit: (last: number, round: readonly number[]) => void,
): number {
  const { thread, request, end, outcome } = waits;
  const byEnd = (a: number, b: number) =>
    outcome[a] === outcome[b] && outcome[a] !== UNFINISHED
      ? end[a] - end[b] || a - b
      : outcome[a] - outcome[b] || a - b;
  const leaving = rows.filter((row) => outcome[row] === ACQUIRED).sort(byEnd);
  const coming = [...rows].sort((a, b) => request[a] - request[b] || a - b);
  const serials = coming.filter(isSerial);
  const isDone = new Set<number>();
  let waiting: number[] = [];
  let [come, missed] = [0, 0];
  for (const first of leaving) {
    if (isDone.has(first)) continue;
    if (looks.left < 0) {
      missed++;
      continue;
    }
    for (; come < coming.length && request[coming[come]] <= end[first]; come++) waiting.push(coming[come]);
    // A thread that comes again at the same time has come to the next round.
    const here = waiting.filter((row) => row <= first || thread[row] !== thread[first]).sort(byEnd);
    const ofThread = new Map(here.map((row) => [thread[row], row]));
    const [waker, at] = firstWaker(waits, here, ofThread, wakes, looks);
    if (looks.left < 0) {
      missed++;
      continue;
    }
    const serial = here.find(isSerial);
    let last: number;
    let isOfRound: (row: number) => boolean;
    if (waker >= 0) {
      last = waker;
      isOfRound = (row) => row === first || request[row] <= at;
    } else if (serial !== undefined) {
      last = serial;
      let next = firstWhere(0, serials.length, (i) => request[serials[i]] > request[last]);
      while (next < serials.length && isDone.has(serials[next])) next++;
      const nextBegin = next < serials.length ? request[serials[next]] : Infinity;
      isOfRound = (row) => row === first || request[row] <= request[last] || end[row] < nextBegin;
    } else {
      last = here.reduce((a, b) => (request[b] > request[a] || (request[b] === request[a] && b > a) ? b : a));
      isOfRound = () => true;
    }
    const round = here.filter(isOfRound);
    for (const row of round) isDone.add(row);
    looks.left -= waiting.length - round.length;
    waiting = waiting.filter((row) => !isDone.has(row));
    visit(last, round);
  }
  return missed;
}

/** The wait whose thread first woke another one of these, within both, and when; -1 and NaN: none did. */
function firstWaker(
  { thread, request, end }: Omit<LockWaits, 'length'>,
  rows: readonly number[],
  ofThread: ReadonlyMap<number, number>,
  wakes: WakeUps,
  looks: { left: number },
): [wait: number, time: number] {
  let [wait, time] = [-1, Infinity];
  for (const row of rows) {
    const stop = wakes.start[thread[row] + 1];
    for (let wake = firstWakeBehind(wakes, thread[row], request[row]); wake < stop; wake++) {
      const at = wakes.time[wake];
      if (at > end[row] || at > time || looks.left-- < 0) break;
      const by = ofThread.get(wakes.by[wake]);
      if (by === undefined || by === row || request[by] > at || end[by] < at) continue;
      if (at < time || by < wait) [wait, time] = [by, at];
    }
  }
  return [wait, wait < 0 ? NaN : time];
}

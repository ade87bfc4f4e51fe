/** Begins and ends of waits and holds, in order of time, from which rows and critical sections are made. */
import { stableOrder } from '../../../base/stable-order.ts';
import { CONTENDED, type LockModel, UNFINISHED } from '../model/lock-model.ts';

/** Changes of a thread and a lock, in their order at equal times. */
const HOLD_ENDS = 0;
const WAIT_ENDS = 1;
const WAIT_BEGINS = 2;
const HOLD_BEGINS = 3;
const CHANGES = 4;

export interface LockChanges {
  /** Rows of the columns, in order of time. */
  readonly order: Uint32Array;
  /** HostNs. */
  readonly time: Float64Array;
  /** Row of the model's waits. */
  readonly wait: Int32Array;
  readonly change: Uint8Array;
}

/** Changes of waits that were for another thread or never ended, and of holds, if they take time. */
export function lockChanges({ waits }: LockModel): LockChanges {
  const { request, end, to, flags, outcome } = waits;
  const most = CHANGES * waits.length;
  const time = new Float64Array(most);
  const wait = new Int32Array(most);
  const change = new Uint8Array(most);
  let length = 0;
  const add = (row: number, at: number, what: number) => {
    time[length] = at;
    wait[length] = row;
    change[length++] = what;
  };
  const isWait = (row: number) =>
    end[row] > request[row] && ((flags[row] & CONTENDED) !== 0 || outcome[row] === UNFINISHED);
  // One kind after the other, which is their order at equal times.
  for (let row = 0; row < waits.length; row++) if (to[row] > end[row]) add(row, to[row], HOLD_ENDS);
  for (let row = 0; row < waits.length; row++) if (isWait(row)) add(row, end[row], WAIT_ENDS);
  for (let row = 0; row < waits.length; row++) if (isWait(row)) add(row, request[row], WAIT_BEGINS);
  for (let row = 0; row < waits.length; row++) if (to[row] > end[row]) add(row, end[row], HOLD_BEGINS);
  return { order: stableOrder(time.subarray(0, length)), time, wait, change };
}

/** Waits and holds of a thread or a lock that have begun and not ended: rows of the model's waits, in order of begin. */
export interface Open {
  readonly waits: number[];
  readonly holds: number[];
}

/** Open waits and holds of a thread or a lock after a change. @param opens open ones before, by thread or lock; changed */
export function openAfter(opens: Map<number, Open>, of: number, row: number, change: number): Open {
  const open = opens.get(of) ?? { waits: [], holds: [] };
  opens.set(of, open);
  const list = change === WAIT_BEGINS || change === WAIT_ENDS ? open.waits : open.holds;
  if (change === WAIT_BEGINS || change === HOLD_BEGINS) list.push(row);
  else list.splice(list.lastIndexOf(row), 1);
  return open;
}

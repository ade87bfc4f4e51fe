/** Parts of holds: what holders of locks did while they held them, by the kernel's states of their threads. */
import { rowsBy } from '../../../base/rows-by.ts';
import { stableOrder } from '../../../base/stable-order.ts';
import { waitsForEvents } from '../../../graph/folding.ts';
import type { LayerKernel } from '../../contract/layer.ts';
import * as v from '../../../linux/events/values.ts';
import type { LockLog } from '../lock-log.ts';
import {
  ACQUIRED,
  CONTENDED,
  HOLD_PARTS,
  type HoldPart,
  type LockWaits,
  NO_MODE,
  TAKEN,
} from './lock-model.ts';
import { PartSums, type StateParts } from './part-sums.ts';
import { IntervalRows, ThreadTimes } from './thread-times.ts';
import { isBlocked } from './thread-waits.ts';

/** Calls that wait for connections. */
const ACCEPTS = ['accept', 'accept4'];

const PART_OF_CAUSE: Readonly<Record<number, HoldPart>> = {
  [v.CAUSE_THREAD]: 'thread',
  [v.CAUSE_TIMER]: 'timer',
  [v.CAUSE_DISK]: 'disk',
  [v.CAUSE_NETWORK]: 'network',
  [v.CAUSE_INPUT]: 'other',
  [v.CAUSE_OTHER]: 'other',
};

/** @returns ns by lock and HOLD_PARTS: lock · parts + part. Those of a lock add up to its holds. */
export async function holdParts(
  waits: LockWaits,
  { threads, locks }: Pick<LockLog, 'threads' | 'locks'>,
  kernel: LayerKernel,
): Promise<Float64Array> {
  const states = await readStates(waits, threads, kernel);
  const gotten = lockWaits(waits, (row) => waits.outcome[row] === ACQUIRED).byThread(threads.length);
  const others = lockWaits(waits, (row) => waits.outcome[row] !== ACQUIRED).byThread(threads.length);
  const holds = Int32Array.from(waits.thread.keys()).filter((row) => isHold(waits, row));
  // A hold is what its thread did until its end less what it did until its begin.
  const times = new Float64Array(2 * holds.length);
  holds.forEach((row, i) => times.set([waits.end[row], waits.to[row]], 2 * i));
  const inTime = stableOrder(times);
  const points = rowsBy(
    Int32Array.from(inTime, (point) => waits.thread[holds[point >> 1]]),
    threads.length,
  );
  const ns = new Float64Array(locks.length * HOLD_PARTS.length);
  for (let thread = 0; thread < threads.length; thread++) {
    const sums = new PartSums(thread, states, gotten, others);
    for (let at = points.start[thread]; at < points.start[thread + 1]; at++) {
      const point = inTime[points.order[at]];
      const first = waits.lock[holds[point >> 1]] * HOLD_PARTS.length;
      sums.advance(times[point]);
      const sign = point % 2 === 0 ? -1 : 1;
      for (let part = 0; part < HOLD_PARTS.length; part++) ns[first + part] += sign * sums.ns[part];
    }
  }
  return ns;
}

function isHold({ end, to }: LockWaits, row: number): boolean {
  return to[row] > end[row];
}

/** Times in which threads waited for locks, until these were handed over, as the execution graph has them. */
function lockWaits(waits: LockWaits, isWanted: (row: number) => boolean): ThreadTimes {
  const { thread, request, until, mode, flags } = waits;
  const times = new ThreadTimes();
  for (let row = 0; row < waits.length; row++) {
    const isOfLock = mode[row] !== NO_MODE || (flags[row] & TAKEN) !== 0;
    if ((flags[row] & CONTENDED) !== 0 && isOfLock && isWanted(row))
      times.add(thread[row], request[row], until[row]);
  }
  return times;
}

/** Reads what threads did while they held any lock. */
async function readStates(
  waits: LockWaits,
  threads: LockLog['threads'],
  { tables, query }: LayerKernel,
): Promise<StateParts> {
  const times = new ThreadTimes();
  for (let row = 0; row < waits.length; row++)
    if (isHold(waits, row)) times.add(waits.thread[row], waits.end[row], waits.to[row]);
  const byThread = times.byThread(threads.length);
  const { start } = byThread.groups;
  const { stateAttribute, callAttribute } = tables.threads;
  const wanted = [...threads.keys()].filter(
    (thread) => start[thread] < start[thread + 1] && (stateAttribute[threads[thread].row] ?? -1) >= 0,
  );
  const pieces = new IntervalRows(wanted, byThread, (state) => state !== v.STATE_UNKNOWN);
  const attributes = wanted.map((thread) => stateAttribute[threads[thread].row]);
  await query.scan(attributes, -Infinity, Infinity, (place, piece) => pieces.take(place, piece));
  const groups = rowsBy(pieces.rows.thread, threads.length, pieces.length);
  const { rows } = pieces;
  const states = {
    start: groups.start,
    begin: Float64Array.from(groups.order, (row) => rows.begin[row]),
    end: Float64Array.from(groups.order, (row) => rows.end[row]),
    part: Uint8Array.from(groups.order, (row) => partOf(rows.value[row])),
    isBlocked: Uint8Array.from(groups.order, (row) => (isBlocked(v.stateOf(rows.value[row])) ? 1 : 0)),
  };
  const callers = wanted.filter((thread) => callAttribute[threads[thread].row] >= 0);
  await markAccepts(states, callers, threads, { tables, query });
  return states;
}

/** A blocked thread stays in its call: the one in which it blocked counts. */
async function markAccepts(
  { start, begin, part, isBlocked: blocked }: StateParts,
  callers: readonly number[],
  threads: LockLog['threads'],
  { tables, query }: Pick<LayerKernel, 'tables' | 'query'>,
): Promise<void> {
  const accept = HOLD_PARTS.indexOf('accept');
  const accepts = new Map<number, boolean>();
  const isAccept = (call: number) => {
    const known = accepts.get(call);
    if (known !== undefined) return known;
    const name = query.text(call);
    const is = ACCEPTS.includes(name) || waitsForEvents(name);
    accepts.set(call, is);
    return is;
  };
  const next = Int32Array.from(callers, (thread) => start[thread]);
  const attributes = callers.map((thread) => tables.threads.callAttribute[threads[thread].row]);
  await query.scan(attributes, -Infinity, Infinity, (place, call) => {
    const stop = start[callers[place] + 1];
    let row = next[place];
    while (row < stop && begin[row] < call.begin) row++;
    for (; row < stop && begin[row] < call.end; row++)
      if (blocked[row] === 1 && isAccept(call.value)) part[row] = accept;
    next[place] = row;
  });
}

/** Index in HOLD_PARTS of a thread's state, where nothing else is known. */
function partOf(value: number): number {
  return HOLD_PARTS.indexOf(partName(value));
}

function partName(value: number): HoldPart {
  const state = v.stateOf(value);
  if (v.isRunning(state)) return 'running';
  if (state === v.STATE_PREEMPTED || state === v.STATE_WOKEN || state === v.STATE_NEW) return 'runnable';
  if (state === v.STATE_BLOCKED_S || state === v.STATE_BLOCKED_D)
    return PART_OF_CAUSE[v.causeOf(value)] ?? 'unknown';
  return state === v.STATE_UNKNOWN ? 'unknown' : 'other';
}

/** Parts of holds: what lock holders did meanwhile, by the kernel's states of their threads. */
import { rowsBy, sortGroups } from '../../../base/rows-by.ts';
import { waitsForEvents } from '../../../graph/folding.ts';
import type { LayerKernel } from '../../contract/layer.ts';
import * as values from '../../../linux/events/values.ts';
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
import { readIntervals, type TimesByThread, ThreadTimes } from './thread-waits.ts';

/** Calls that wait for connections. */
const ACCEPTS = ['accept', 'accept4'];

const PART_OF_CAUSE: Readonly<Record<number, HoldPart>> = {
  [values.CAUSE_THREAD]: 'thread',
  [values.CAUSE_TIMER]: 'timer',
  [values.CAUSE_DISK]: 'disk',
  [values.CAUSE_NETWORK]: 'network',
  [values.CAUSE_INPUT]: 'other',
  [values.CAUSE_OTHER]: 'other',
};

/** @returns ns by lock and HOLD_PARTS: lock · parts + part. Those of a lock sum to its holds. */
export async function holdParts(
  waits: LockWaits,
  { threads, locks }: Pick<LockLog, 'threads' | 'locks'>,
  kernel: LayerKernel,
): Promise<Float64Array> {
  const states = await readStates(waits, threads, kernel);
  const gotten = lockWaits(waits, (row) => waits.outcome[row] === ACQUIRED).byThread(threads.length);
  const others = lockWaits(waits, (row) => waits.outcome[row] !== ACQUIRED).byThread(threads.length);
  // A hold is the thread's activity until its end minus that until its begin.
  const times = new Float64Array(2 * waits.length);
  const threadOf = new Int32Array(2 * waits.length).fill(-1);
  for (let row = 0; row < waits.length; row++) {
    if (!isHold(waits, row)) continue;
    times[2 * row] = waits.end[row];
    times[2 * row + 1] = waits.to[row];
    threadOf[2 * row] = threadOf[2 * row + 1] = waits.thread[row];
  }
  const points = rowsBy(threadOf, threads.length);
  sortGroups(points, times);
  const ns = new Float64Array(locks.length * HOLD_PARTS.length);
  for (let thread = 0; thread < threads.length; thread++) {
    const sums = new PartSums(thread, states, gotten, others);
    for (let at = points.start[thread]; at < points.start[thread + 1]; at++) {
      const point = points.order[at];
      const first = waits.lock[point >> 1] * HOLD_PARTS.length;
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

/** Times in which threads waited for locks, up to the hand-over, like in the execution graph. */
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

/** Reads the states of threads while they held any lock. */
async function readStates(
  waits: LockWaits,
  threads: LockLog['threads'],
  kernel: LayerKernel,
): Promise<StateParts> {
  const times = new ThreadTimes();
  for (let row = 0; row < waits.length; row++)
    if (isHold(waits, row)) times.add(waits.thread[row], waits.end[row], waits.to[row]);
  const rows = threads.map(({ row }) => row);
  const { start, begin, end, value } = await readIntervals(times, rows, kernel);
  const states = {
    ...{ start, begin, end },
    part: new Uint8Array(value.length),
    isBlocked: new Uint8Array(value.length),
  };
  for (let i = 0; i < value.length; i++) {
    states.part[i] = partOf(value[i]);
    states.isBlocked[i] = values.isAsleep(value[i]) ? 1 : 0;
  }
  await markAccepts(states, rows, kernel);
  return states;
}

/** Marks accepting calls. A blocked thread stays in its call: the one in which it blocked counts. */
async function markAccepts(
  { start, begin, part, isBlocked: blocked }: StateParts,
  rows: readonly number[],
  { tables, query }: LayerKernel,
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
  const attributes = rows.map((row) => tables.threads.callAttribute[row] ?? -1);
  const callers = [...rows.keys()].filter(
    (thread) => start[thread] < start[thread + 1] && attributes[thread] >= 0,
  );
  const next = Int32Array.from(callers, (thread) => start[thread]);
  const ofCallers = callers.map((thread) => attributes[thread]);
  await query.scan(ofCallers, -Infinity, Infinity, (place, call) => {
    const stop = start[callers[place] + 1];
    let row = next[place];
    while (row < stop && begin[row] < call.begin) row++;
    for (; row < stop && begin[row] < call.end; row++)
      if (blocked[row] === 1 && isAccept(call.value)) part[row] = accept;
    next[place] = row;
  });
}

/** Index in HOLD_PARTS of a thread's state, if nothing else is known. */
function partOf(value: number): number {
  return HOLD_PARTS.indexOf(partName(value));
}

function partName(value: number): HoldPart {
  const state = values.stateOf(value);
  if (values.isRunning(state)) return 'running';
  if (state === values.STATE_PREEMPTED || state === values.STATE_WOKEN || state === values.STATE_NEW)
    return 'runnable';
  if (state === values.STATE_BLOCKED_S || state === values.STATE_BLOCKED_D)
    return PART_OF_CAUSE[values.causeOf(value)] ?? 'unknown';
  return state === values.STATE_UNKNOWN ? 'unknown' : 'other';
}

/** Intervals of threads' activity; those of thread t are rows start[t] … start[t + 1], in order of time. */
interface StateParts {
  readonly start: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Index in HOLD_PARTS. */
  readonly part: Uint8Array;
  /** 1: the thread was blocked. */
  readonly isBlocked: Uint8Array;
}

const LOCK = HOLD_PARTS.indexOf('lock');
const UNKNOWN = HOLD_PARTS.indexOf('unknown');

/** Sums of a thread's activity up to a time that goes forward. */
class PartSums {
  /** ns by HOLD_PARTS since the first time. */
  readonly ns = new Float64Array(HOLD_PARTS.length);
  #now = NaN;
  readonly #states: StateParts;
  #row: number;
  readonly #stop: number;
  readonly #gotten: TimesCursor;
  readonly #others: TimesCursor;

  /**
   * @param gotten waits for locks that were acquired @param others waits that count only while the thread was blocked
   */
  constructor(thread: number, states: StateParts, gotten: TimesByThread, others: TimesByThread) {
    this.#states = states;
    this.#row = states.start[thread];
    this.#stop = states.start[thread + 1];
    this.#gotten = new TimesCursor(gotten, thread);
    this.#others = new TimesCursor(others, thread);
  }

  /** @param time HostNs, not before the last one; the first call begins */
  advance(time: number): void {
    if (Number.isNaN(this.#now)) this.#now = time;
    const { begin, end, part, isBlocked } = this.#states;
    while (this.#now < time) {
      const now = this.#now;
      while (this.#row < this.#stop && end[this.#row] <= now) this.#row++;
      const row = this.#row;
      const isKnown = row < this.#stop && begin[row] <= now;
      const ofState = row === this.#stop ? Infinity : isKnown ? end[row] : begin[row];
      const next = Math.min(time, ofState, this.#gotten.borderBehind(now), this.#others.borderBehind(now));
      const waits = this.#gotten.isInside || (this.#others.isInside && isKnown && isBlocked[row] === 1);
      this.ns[waits ? LOCK : isKnown ? part[row] : UNKNOWN] += next - now;
      this.#now = next;
    }
  }
}

/** Cursor through times of a thread, which may overlap. */
class TimesCursor {
  isInside = false;
  readonly #times: TimesByThread;
  #at: number;
  readonly #stop: number;

  constructor(times: TimesByThread, thread: number) {
    this.#times = times;
    this.#at = times.groups.start[thread];
    this.#stop = times.groups.start[thread + 1];
  }

  /** Time at which the next time begins or the present one ends; Infinity: none. Sets `isInside`. */
  borderBehind(now: number): number {
    const { from, to } = this.#times;
    while (this.#at < this.#stop && to[this.#at] <= now) this.#at++;
    this.isInside = this.#at < this.#stop && from[this.#at] <= now;
    if (this.#at === this.#stop) return Infinity;
    return this.isInside ? to[this.#at] : from[this.#at];
  }
}

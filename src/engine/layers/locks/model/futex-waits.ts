/** Waits within the futex system call, and the calls or thread ends that woke them. */
import { GrowingTable } from '../../../base/columns.ts';
import { addTo } from '../../../base/group-by.ts';
import { type RowGroups, rowsBy } from '../../../base/rows-by.ts';
import { firstWhere } from '../../../base/lower-bound.ts';
import { tableOf } from '../../../base/tables.ts';
import * as values from '../../../linux/events/values.ts';
import type { LayerKernel } from '../../contract/layer.ts';
import { FUTEX_PRIVATE } from '../kernel-calls.ts';
import { FUTEX_ENTER, FUTEX_EXIT, THREAD_END, type LockLog } from '../lock-log.ts';
import { FUTEX_WAITS, type FutexWaits } from './lock-model.ts';
import { type ModelThreads, processOf } from './model-threads.ts';
import { firstIntervalBehind, type ThreadWaits, type ThreadTimes } from './thread-waits.ts';

/** Operations without their flags. */
const OPERATION = 127;
/** FUTEX_WAIT, _LOCK_PI, _WAIT_BITSET, _WAIT_REQUEUE_PI, _LOCK_PI2. */
const WAITS = new Set([0, 6, 9, 11, 13]);
/** FUTEX_REQUEUE, _CMP_REQUEUE, _CMP_REQUEUE_PI, which also move waiters to their second address. */
const REQUEUES = new Set([3, 4, 12]);
/** Requeues, FUTEX_WAKE, _WAKE_OP, _UNLOCK_PI, _WAKE_BITSET. */
const WAKES = new Set([...REQUEUES, 1, 5, 7, 10]);

/** Requeueing calls that are examined: only a trace made for it has more. */
const MOST_MOVES = 10_000_000;

/** Calls in order of their entries, with their first and last row of the log. */
export class FutexCalls {
  /** Number of waits for which not all requeueing calls were examined. */
  missedMoves = 0;
  #movesLeft = MOST_MOVES;
  readonly #table = new GrowingTable({
    enter: new Int32Array(0),
    exit: new Int32Array(0),
    thread: new Int32Array(0),
  });
  readonly #rows = this.#table.rows;
  readonly #log: LockLog;
  readonly #endOf: (thread: number) => number;
  readonly #byThread: RowGroups;
  /** Calls that requeue by process. */
  readonly #requeues = new Map<number, number[]>();

  /** @param endOf HostNs until which a thread may go on */
  constructor(log: LockLog, endOf: (thread: number) => number) {
    this.#log = log;
    this.#endOf = endOf;
    const { op, thread } = log;
    const open = new Int32Array(log.threads.length).fill(-1);
    for (let row = 0; row < log.length; row++) {
      if (op[row] === FUTEX_ENTER) open[thread[row]] = this.#add(row, thread[row]);
      if (op[row] !== FUTEX_EXIT || open[thread[row]] < 0) continue;
      this.#rows.exit[open[thread[row]]] = row;
      open[thread[row]] = -1;
    }
    this.#byThread = rowsBy(this.#rows.thread, log.threads.length, this.#table.length);
  }

  addTimes(times: ThreadTimes, isWanted: (call: number) => boolean = () => true): void {
    for (let call = 0; call < this.#table.length; call++)
      if (this.isWait(call) && isWanted(call))
        times.add(this.#rows.thread[call], this.#from(call), this.#to(call));
  }

  /** Waits with their wakers: the thread that ended their last blocking by a call, or by its own end. */
  async waits(
    threadWaits: ThreadWaits,
    threads: ModelThreads,
    kernel: LayerKernel | undefined,
  ): Promise<FutexWaits> {
    const { value, lock } = this.#log;
    const waits = this.#waits();
    const columns = tableOf(FUTEX_WAITS, waits.length);
    columns.waker.fill(-1);
    columns.at.fill(NaN);
    /** Rows of waits that no call ended, and the threads that ended them. */
    const uncalled: number[] = [];
    const enders: number[] = [];
    waits.forEach((call, row) => {
      const exit = this.#rows.exit[call];
      columns.thread[row] = this.#rows.thread[call];
      columns.futex[row] = lock[this.#rows.enter[call]];
      columns.from[row] = this.#from(call);
      const to = (columns.to[row] = this.#to(call));
      columns.result[row] = exit < 0 ? NaN : value[exit];
      const { begin, end } = threadWaits;
      const last = this.#lastBlocking(call, threadWaits, (at) => {
        columns.blocked[row] += Math.min(to, end[at]) - begin[at];
      });
      if (last < 0) return;
      const by = this.#wakerOf(last, threadWaits, threads);
      if (by < 0) return;
      columns.at[row] = threadWaits.signal[last];
      if (this.#wakingCall(call, by, columns.at[row]) >= 0) columns.waker[row] = by;
      else if (columns.result[row] === 0 && (this.isShared(call) || this.#ofOneProcess(call, by))) {
        uncalled.push(row);
        enders.push(by);
      } else columns.at[row] = NaN;
    });
    const isEnding = await this.#areEnding(
      enders,
      uncalled.map((row) => columns.at[row]),
      kernel,
    );
    uncalled.forEach((row, i) => {
      if (isEnding[i]) columns.waker[row] = enders[i];
      else columns.at[row] = NaN;
      columns.byEnd[row] = isEnding[i] ? 1 : 0;
    });
    return { length: waits.length, ...columns };
  }

  /** Wake-ups across processes: waits in shared memory, and calls of other processes that ended them. */
  acrossProcesses(threadWaits: ThreadWaits, threads: ModelThreads): [wait: number, wake: number][] {
    const found: [wait: number, wake: number][] = [];
    for (const call of this.#waits()) {
      if (!this.isShared(call)) continue;
      this.#lastBlocking(call, threadWaits, (at) => {
        const by = this.#wakerOf(at, threadWaits, threads);
        if (by < 0 || this.#ofOneProcess(call, by)) return;
        const wake = this.#wakingCall(call, by, threadWaits.signal[at]);
        if (wake >= 0) found.push([call, wake]);
      });
    }
    return found;
  }

  /** HostNs, at `since` or later, at which a thread entered the wait that it was in at `time`, for another futex; NaN: none. */
  waitAround(thread: number, time: number, since: number, isElsewhere: (futex: number) => boolean): number {
    const { start, order } = this.#byThread;
    const behind = firstWhere(start[thread], start[thread + 1], (at) => this.#from(order[at]) > time);
    if (behind === start[thread]) return NaN;
    const call = order[behind - 1];
    const isInside = this.#rows.exit[call] < 0 || this.#to(call) >= time;
    const from = this.#from(call);
    return isInside && this.isWait(call) && from >= since && isElsewhere(this.futexOf(call)) ? from : NaN;
  }

  isWait(call: number): boolean {
    return WAITS.has(this.#operation(call));
  }

  /** Whether a call is about memory that processes may share. */
  isShared(call: number): boolean {
    return (this.#log.value[this.#rows.enter[call]] & FUTEX_PRIVATE) === 0;
  }

  /** Row of the log's futexes, -1 none. */
  futexOf(call: number): number {
    return this.#log.lock[this.#rows.enter[call]];
  }

  #waits(): number[] {
    return Array.from({ length: this.#table.length }, (_, call) => call).filter((call) => this.isWait(call));
  }

  /** The last interval in which a thread was blocked in its call, -1 none. @param visit gets all of them */
  #lastBlocking(call: number, threadWaits: ThreadWaits, visit: (interval: number) => void): number {
    const { start, begin, state } = threadWaits;
    const thread = this.#rows.thread[call];
    const [from, to] = [this.#from(call), this.#to(call)];
    let last = -1;
    let at = firstIntervalBehind(threadWaits, thread, from);
    for (; at < start[thread + 1] && begin[at] < to; at++) {
      if (!values.isAsleep(state[at]) || begin[at] < from) continue;
      visit(at);
      last = at;
    }
    return last;
  }

  /** Thread of the log that ended a blocking, -1 none. */
  #wakerOf(interval: number, { waker }: ThreadWaits, threads: ModelThreads): number {
    const by = waker[interval] < 0 ? -1 : threads.placeOf(waker[interval]);
    return by < this.#log.threads.length ? by : -1;
  }

  /** A thread's call in progress at `time` that may have woken a wait; -1: none. */
  #wakingCall(wait: number, thread: number, time: number): number {
    const { start, order } = this.#byThread;
    const behind = firstWhere(start[thread], start[thread + 1], (at) => this.#from(order[at]) > time);
    if (behind === start[thread]) return -1;
    // A thread is in one call at a time, so its earlier calls have ended.
    const call = order[behind - 1];
    const isOver = this.#rows.exit[call] >= 0 && this.#to(call) < time;
    return !isOver && WAKES.has(this.#operation(call)) && this.#reaches(call, wait, time) ? call : -1;
  }

  /** Whether a waking call may wake a wait: any wait in shared memory, else one at one of its addresses. */
  #reaches(call: number, wait: number, time: number): boolean {
    if (this.isShared(call) && this.isShared(wait)) return true;
    if (!this.#ofOneProcess(wait, this.#rows.thread[call])) return false;
    const places = this.#placesOf(wait, time);
    return this.#futexesOf(call).some((futex) => places.has(futex));
  }

  /** Futexes at which a wait may be woken until `time`: its own, and those to which it may have been moved. */
  #placesOf(wait: number, time: number): ReadonlySet<number> {
    const places = new Set([this.futexOf(wait)]);
    const requeues = this.#requeues.get(processOf(this.#log.threads[this.#rows.thread[wait]])) ?? [];
    const from = this.#from(wait);
    let at = firstWhere(0, requeues.length, (i) => this.#from(requeues[i]) > from);
    for (; at < requeues.length && this.#from(requeues[at]) <= time; at++) {
      if (this.#movesLeft-- < 0) {
        this.missedMoves++;
        break;
      }
      const [own, other] = this.#futexesOf(requeues[at]);
      if (places.has(own) && other !== undefined) places.add(other);
    }
    return places;
  }

  #futexesOf(call: number): number[] {
    const { lock, other } = this.#log;
    const enter = this.#rows.enter[call];
    return other[enter] < 0 ? [lock[enter]] : [lock[enter], other[enter]];
  }

  #ofOneProcess(call: number, thread: number): boolean {
    const { threads } = this.#log;
    return processOf(threads[this.#rows.thread[call]]) === processOf(threads[thread]);
  }

  /** Whether threads end after a time without another system call before. */
  async #areEnding(
    threads: readonly number[],
    times: readonly number[],
    kernel: LayerKernel | undefined,
  ): Promise<boolean[]> {
    const { op, thread, time, length, threads: known } = this.#log;
    const ends = new Float64Array(known.length).fill(NaN);
    for (let row = 0; row < length; row++) if (op[row] === THREAD_END) ends[thread[row]] = time[row];
    const lastCall = new Float64Array(known.length).fill(-Infinity);
    const attributeOf = (each: number) => kernel?.tables.threads.callAttribute[known[each].row] ?? -1;
    const callers = [...new Set(threads)].filter((each) => ends[each] >= 0 && attributeOf(each) >= 0);
    const parts = callers.map(() => ({ end: NaN, value: NaN }));
    // Calls that began earlier are delivered from the range's begin on.
    const from = times.reduce((least, each) => Math.min(least, each), Infinity) - 1;
    if (callers.length > 0)
      await kernel?.query.scan(callers.map(attributeOf), from, Infinity, (place, { begin, end, value }) => {
        const part = parts[place];
        const goesOn = part.end === begin && part.value === value;
        if (!goesOn && begin <= ends[callers[place]]) lastCall[callers[place]] = begin;
        Object.assign(part, { end, value });
      });
    return threads.map((each, i) => times[i] <= ends[each] && lastCall[each] < times[i]);
  }

  #operation(call: number): number {
    return this.#log.value[this.#rows.enter[call]] & OPERATION;
  }

  #add(row: number, thread: number): number {
    const call = this.#table.addRow();
    this.#rows.enter[call] = row;
    this.#rows.exit[call] = -1;
    this.#rows.thread[call] = thread;
    if (REQUEUES.has(this.#operation(call)))
      addTo(this.#requeues, processOf(this.#log.threads[thread]), call);
    return call;
  }

  #from(call: number): number {
    return this.#log.time[this.#rows.enter[call]];
  }

  #to(call: number): number {
    const exit = this.#rows.exit[call];
    if (exit >= 0) return this.#log.time[exit];
    return Math.max(this.#from(call), this.#endOf(this.#rows.thread[call]));
  }
}

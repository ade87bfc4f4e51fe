/**
 * Blocked time of threads by cause, and counts of wake-ups between threads. Read from the state history on demand,
 * like scheduling latency (`sched-delays.ts`), for the same reasons. Cost: pieces in the range.
 */
import type { TimeWindow } from '../../../analysis/clip-rows.ts';
import type { HistoryQuery, IntervalPart } from '../../../history/query-types.ts';
import { f64, type Table, tableOf } from '../../../base/tables.ts';
import type { StateTables } from '../reduce/kernel-tables.ts';
import * as values from '../../events/values.ts';

type Scanned = Pick<HistoryQuery, 'scan'>;

/** Blocked time of each thread of the tables within a range (HostNs), ns, by cause: `CAUSES.length` numbers a thread. */
export async function blockedByCause(
  query: Scanned,
  { threads }: StateTables,
  { from, to }: TimeWindow,
): Promise<Float64Array> {
  const ns = new Float64Array(threads.length * values.CAUSES.length);
  await query.scan([...threads.stateAttribute], from, to, (thread, { begin, end, value }) => {
    if (values.isBlocked(value))
      ns[thread * values.CAUSES.length + values.causeOf(value)] += Math.min(end, to) - Math.max(begin, from);
  });
  return ns;
}

/** Waits of one thread, and wake-ups by and of it, within a range. Columns have a row for each thread of the tables. */
export interface ThreadWaits {
  /** ns that it was blocked, by cause (`CAUSES`). */
  readonly blockedNs: Float64Array;
  /** Blocked time in waits that the other thread ended, at any time, ns; and number of those that it ended in the range. */
  readonly wakerNs: Float64Array;
  readonly wakerCount: Float64Array;
  /** Number of times it woke the other thread in the range. */
  readonly wokenCount: Float64Array;
  /** HostNs of its last switch-in in the range; NaN: none. */
  readonly lastSwitchIn: number;
}

/** @param from HostNs; waits count with their part in [from, to), wake-ups if they are there */
export async function threadWaits(
  query: Scanned,
  { threads }: StateTables,
  thread: number,
  from: number,
  to: number,
): Promise<ThreadWaits> {
  const reader = new WaitReader(threads.length, thread, from, to);
  // Begins at the instant before, as a wait that ends at the range's begin has its wake-up there.
  await query.scan([...threads.stateAttribute], from - 1, to, (one, piece) => reader.read(one, piece));
  return reader.finish();
}

const THREAD_WAITS = {
  /** The present interval of each thread; end NaN: none yet. */
  value: f64(),
  end: f64(NaN),
  wakerNs: f64(),
  wakerCount: f64(),
  wokenCount: f64(),
};

class WaitReader {
  readonly #thread: number;
  readonly #from: number;
  readonly #to: number;
  readonly #blockedNs = new Float64Array(values.CAUSES.length);
  readonly #rows: Table<typeof THREAD_WAITS>;
  #lastSwitchIn = NaN;

  constructor(threads: number, thread: number, from: number, to: number) {
    this.#thread = thread;
    this.#from = from;
    this.#to = to;
    this.#rows = tableOf(THREAD_WAITS, threads);
  }

  /** Takes a piece of a thread, in order of time. */
  read(one: number, piece: IntervalPart): void {
    const { begin, end, value } = piece;
    if (one === this.#thread) this.#readOwn(piece);
    if (this.#rows.end[one] !== begin || this.#rows.value[one] !== value) this.#endWait(one);
    this.#rows.end[one] = end;
    this.#rows.value[one] = value;
  }

  #readOwn({ begin, end, value }: IntervalPart): void {
    const before = this.#rows.value[this.#thread];
    const comes = this.#rows.end[this.#thread] === begin && !values.isRunning(values.stateOf(before));
    if (comes && values.isRunning(values.stateOf(value)) && begin >= this.#from) this.#lastSwitchIn = begin;
    const ns = Math.min(end, this.#to) - Math.max(begin, this.#from);
    if (!values.isBlocked(value) || !(ns > 0)) return;
    this.#blockedNs[values.causeOf(value)] += ns;
    const waker = wakerOf(value);
    if (waker >= 0) this.#rows.wakerNs[waker] += ns;
  }

  /** Ends the thread's present interval. */
  #endWait(one: number): void {
    const end = this.#rows.end[one];
    if (!(end >= this.#from && end < this.#to)) return;
    const waker = wakerOf(this.#rows.value[one]);
    if (waker < 0) return;
    if (one === this.#thread) this.#rows.wakerCount[waker]++;
    if (waker === this.#thread) this.#rows.wokenCount[one]++;
  }

  finish(): ThreadWaits {
    for (let one = 0; one < this.#rows.end.length; one++) this.#endWait(one);
    const { wakerNs, wakerCount, wokenCount } = this.#rows;
    const [blockedNs, lastSwitchIn] = [this.#blockedNs, this.#lastSwitchIn];
    return { blockedNs, wakerNs, wakerCount, wokenCount, lastSwitchIn };
  }
}

/** The thread that ended a wait, as a row of the tables; -1: none, or not known. */
function wakerOf(value: number): number {
  return values.isBlocked(value) && values.causeOf(value) === values.CAUSE_THREAD
    ? values.detailOf(value)
    : -1;
}

/**
 * Time for which threads were blocked, by cause, and how often threads woke each other. Read from the state history
 * when asked, as scheduling latency is (`sched-delays.ts`), for the same reasons. Cost: pieces in the range.
 */
import type { TimeWindow } from '../../../analysis/clip-rows.ts';
import type { HistoryQuery, IntervalPart } from '../../../history/query-types.ts';
import { f64, type Table, tableOf } from '../../../base/tables.ts';
import type { StateTables } from '../reduce/kernel-tables.ts';
import * as values from '../../events/values.ts';

type Scanned = Pick<HistoryQuery, 'scan'>;

/** ns within a range (HostNs) that each thread of the tables was blocked, by cause: `CAUSES.length` numbers a thread. */
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

/**
 * Waits of one thread, whom it woke and who woke it within a range. Columns have a row for each thread of the tables.
 */
export interface ThreadWaits {
  /** ns that it was blocked, by cause (`CAUSES`). */
  readonly blockedNs: Float64Array;
  /** ns of that in waits which the other thread ended, whenever it did, and how often it did in the range. */
  readonly wakerNs: Float64Array;
  readonly wakerCount: Float64Array;
  /** How often it woke the other thread in the range. */
  readonly wokenCount: Float64Array;
  /** When it came to a CPU last in the range (HostNs); NaN: never. */
  readonly lastSwitchIn: number;
}

/** @param from HostNs; waits in [from, to) count with the part that lies there, wake-ups there once */
export async function threadWaits(
  query: Scanned,
  { threads }: StateTables,
  thread: number,
  from: number,
  to: number,
): Promise<ThreadWaits> {
  const reader = new WaitReader(threads.length, thread, from, to);
  // From the instant before on: a wait that ends at the begin of the range has its wake-up there.
  await query.scan([...threads.stateAttribute], from - 1, to, (one, piece) => reader.read(one, piece));
  return reader.finish();
}

const THREAD_WAITS = {
  /** The interval that each thread is in; end NaN: none yet. */
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

  /** Pieces of a thread in time order. */
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

  /** The interval that a thread was in is over. */
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

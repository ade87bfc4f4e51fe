/**
 * Scheduling latency: from the wake-up, or from the preemption, to the switch-in, by thread. Read from the state
 * history on demand: the wake-up is logged on one CPU and the switch-in on another, so only the merged order of all
 * streams tells which belong together, and the history has it: a delay is an interval of state 5 or 4 followed by a
 * running state. So opening costs nothing, and time ranges, reopened traces and sums of states agree. Cost: pieces in
 * the range.
 */
import type { TimeWindow } from '../../../analysis/clip-rows.ts';
import type { HostNs } from '../../../base/units.ts';
import type { HistoryQuery, IntervalPart } from '../../../history/query-types.ts';
import { DurationSums, type DurationTable } from '../../sums/duration-sums.ts';
import { f64, type Table, tableOf, u8 } from '../../../base/tables.ts';
import type { StateTables } from '../reduce/kernel-tables.ts';
import { isRunning, STATE_PREEMPTED, STATE_WOKEN, stateOf } from '../../events/values.ts';

/** Whole delays that ended in the range. Rows are the threads of the tables, which also own the durations. */
export interface SchedDelays {
  /** Delays from the begin of state 5 to the switch-in. */
  readonly woken: DurationTable<HostNs>;
  /** Delays from the begin of state 4 to the switch-in. */
  readonly preempted: DurationTable<HostNs>;
}

/** Takes a delay: its thread's row, state 5 or 4, begin and length in ns. */
export type OnDelay = (thread: number, state: number, begin: HostNs, ns: number) => void;

/** @param range HostNs; delays that ended in it count */
export async function schedDelays(
  query: Pick<HistoryQuery, 'scan' | 'at'>,
  tables: StateTables,
  range: TimeWindow,
  onDelay?: OnDelay,
): Promise<SchedDelays> {
  const [woken, preempted] = [new DurationSums(), new DurationSums()];
  for (let thread = 0; thread < tables.threads.length; thread++) {
    woken.addGroup();
    preempted.addGroup();
  }
  await eachDelay(query, tables, range, (thread, state, begin, ns) => {
    (state === STATE_WOKEN ? woken : preempted).add(thread, begin, ns, thread);
    onDelay?.(thread, state, begin, ns);
  });
  return { woken: woken.finish(), preempted: preempted.finish() };
}

/**
 * @param range HostNs; delays that ended in it count
 * @param only row of the one thread that counts; default: all
 */
export async function eachDelay(
  query: Pick<HistoryQuery, 'scan' | 'at'>,
  { threads }: StateTables,
  { from, to }: TimeWindow,
  onDelay: OnDelay,
  only?: number,
): Promise<void> {
  const delays = new DelayReader(threads.length, from, onDelay);
  const asked = Int32Array.from(only === undefined ? threads.stateAttribute.keys() : [only]);
  const attributes = Array.from(asked, (thread) => threads.stateAttribute[thread]);
  // From the instant before on: a delay that ends at the begin of the range lies before it.
  await query.scan(attributes, from - 1, to, (i, piece) => delays.read(asked[i], piece));
  for (const { thread, begin, end } of delays.cut) {
    const whole = await query.at(threads.stateAttribute[thread], begin);
    if (whole !== undefined) onDelay(thread, stateOf(whole.value), whole.from, end - whole.from);
  }
}

interface CutDelay {
  readonly thread: number;
  readonly begin: number;
  readonly end: number;
}

/** The present interval of each thread; end NaN: none yet. */
const INTERVALS = { state: u8(), begin: f64(), end: f64(NaN), isFirst: u8(1) };

class DelayReader {
  /** Delays that may have begun before the first segment of the range: the first interval of each thread. */
  readonly cut: CutDelay[] = [];
  readonly #from: number;
  readonly #intervals: Table<typeof INTERVALS>;
  readonly #onDelay: OnDelay;

  constructor(threads: number, from: number, onDelay: OnDelay) {
    this.#from = from;
    this.#onDelay = onDelay;
    this.#intervals = tableOf(INTERVALS, threads);
  }

  /** Takes a piece of a thread, in order of time. */
  read(thread: number, piece: IntervalPart): void {
    const intervals = this.#intervals;
    const state = stateOf(piece.value);
    const end = intervals.end[thread];
    const before = intervals.state[thread];
    intervals.end[thread] = piece.end;
    if (end === piece.begin && before === state) return;
    const begin = intervals.begin[thread];
    const isDelay = before === STATE_WOKEN || before === STATE_PREEMPTED;
    if (end === piece.begin && isDelay && isRunning(state) && end >= this.#from) {
      if (intervals.isFirst[thread] === 1) this.cut.push({ thread, begin, end });
      else this.#onDelay(thread, before, begin, end - begin);
    }
    if (!Number.isNaN(end)) intervals.isFirst[thread] = 0;
    intervals.state[thread] = state;
    intervals.begin[thread] = piece.begin;
  }
}

/**
 * System calls by thread and name: how long, and how long blocked in them by what. Read from the state history as
 * scheduling latency is (`sched-delays.ts`), for the same reasons: a call begins on one CPU and may end on another, and
 * what it waited for is known to the history alone. Whether calls failed follows from their returns (`call-failures.ts`).
 * A call that returns within the clock's unit leaves no interval.
 */
import type { HostNs } from '../../../base/units.ts';
import type { HistoryQuery, IntervalPart } from '../../../history/query-types.ts';
import { trimmed, widen } from '../../../base/columns.ts';
import type { DurationLog } from '../../sums/duration-log.ts';
import { DurationSums } from '../../sums/duration-sums.ts';
import type { DurationTable } from '../../sums/duration-sums.ts';
import type { StateTables } from '../reduce/kernel-tables.ts';
import { causeOf, CAUSES, STATE_BLOCKED_S, STATE_PARKED, stateOf, isRunning } from '../../events/values.ts';

/** Rows are pairs of thread and call, in order of thread, then of the call's first return. Owners are threads. */
export interface CallTimes {
  /** Row of the thread in the tables. */
  readonly thread: Int32Array;
  readonly name: readonly string[];
  /** Calls that returned in the range, whole. */
  readonly durations: DurationTable<HostNs>;
  /** ns blocked in them by cause, CAUSES.length per row; cause 0: not known yet. */
  readonly blocked: Float64Array;
}

/**
 * @param from HostNs; what returned in [from, to) counts
 * @param only row of the one thread whose calls count; default: of all
 * @param log gets each of the calls: owners are rows of threads, subjects texts of the history
 */
export async function callTimes(
  query: HistoryQuery,
  { threads }: StateTables,
  from: number,
  to: number,
  only?: number,
  log?: DurationLog,
): Promise<CallTimes> {
  const asked = only === undefined ? threads.callAttribute.keys() : [only];
  const callers = Int32Array.from(asked).filter((i) => threads.callAttribute[i] >= 0);
  const callAttributes = Array.from(callers, (thread) => threads.callAttribute[thread]);
  const stateAttributes = Array.from(callers, (thread) => threads.stateAttribute[thread]);
  const list = new CallList(callers.length);
  // From the instant before on: a call that ends at the begin of the range lies before it.
  await query.scan(callAttributes, from - 1, to, (caller, piece) => list.add(caller, piece));
  const reader = new CallReader(list, from, callers, log);
  for (const [caller, call] of list.first.entries()) {
    // It may have begun before the first segment of the range, and blocked before the range.
    if (call < 0 || list.columns.begin[call] > from) continue;
    const whole = await query.at(callAttributes[caller], list.columns.begin[call]);
    if (whole === undefined || whole.from >= from) continue;
    list.columns.begin[call] = whole.from;
    for (const { from: begin, to: end, value } of await query.intervals(
      stateAttributes[caller],
      whole.from,
      from,
    ))
      reader.block(caller, value, Math.max(begin, whole.from), Math.min(end, from));
  }
  await query.scan(stateAttributes, from, to, (caller, piece) => reader.read(caller, piece));
  return reader.finish((name) => query.text(name));
}

/** Calls of many threads ("callers"), those of each in time order. */
class CallList {
  /** First call of each caller, -1 none, and its last. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly columns = {
    begin: new Float64Array(0),
    end: new Float64Array(0),
    /** Index of the history's strings. */
    name: new Int32Array(0),
    /** The caller's next call, -1 none. */
    next: new Int32Array(0),
  };
  length = 0;

  constructor(callers: number) {
    this.first = new Int32Array(callers).fill(-1);
    this.last = new Int32Array(callers).fill(-1);
  }

  /** Pieces of a caller in time order. */
  add(caller: number, { begin, end, value }: IntervalPart): void {
    const { columns } = this;
    const last = this.last[caller];
    if (last >= 0 && columns.end[last] === begin && columns.name[last] === value) {
      columns.end[last] = end;
      return;
    }
    if (this.length === columns.begin.length) widen(columns);
    const call = this.length++;
    columns.begin[call] = begin;
    columns.end[call] = end;
    columns.name[call] = value;
    columns.next[call] = -1;
    if (last < 0) this.first[caller] = call;
    else columns.next[last] = call;
    this.last[caller] = call;
  }
}

/** Goes through the states of callers beside their calls. */
class CallReader {
  readonly #list: CallList;
  readonly #from: number;
  /** Their rows in the table of threads. */
  readonly #callers: Int32Array;
  readonly #log: DurationLog | undefined;
  /** Call of each caller that the states have reached; -1: all are passed. */
  readonly #at: Int32Array;
  /** ns that it was blocked so far, by caller and cause. */
  readonly #blocked: Float64Array;
  /** Group of a caller's calls of one name. */
  readonly #groupOf = new Map<number, number>();
  readonly #sums = new DurationSums();
  #groups = { caller: new Int32Array(0), name: new Int32Array(0) };
  #groupBlocked: number[] = [];

  constructor(list: CallList, from: number, callers: Int32Array, log: DurationLog | undefined) {
    this.#list = list;
    this.#from = from;
    this.#callers = callers;
    this.#log = log;
    this.#at = list.first.slice();
    this.#blocked = new Float64Array(list.first.length * CAUSES.length);
  }

  read(caller: number, piece: IntervalPart): void {
    const { begin, end, next } = this.#list.columns;
    for (let call = this.#at[caller]; call >= 0; call = this.#at[caller]) {
      if (begin[call] >= piece.end) return;
      const from = Math.max(begin[call], piece.begin, this.#from);
      this.block(caller, piece.value, from, Math.min(end[call], piece.end));
      if (end[call] >= piece.end) return;
      // Who returns goes on running, and not with another call at once.
      const another = next[call] >= 0 && begin[next[call]] === end[call];
      if (isRunning(stateOf(piece.value)) && !another && end[call] >= this.#from) this.#count(caller, call);
      this.#blocked.fill(0, caller * CAUSES.length, (caller + 1) * CAUSES.length);
      this.#at[caller] = next[call];
    }
  }

  /** A state of the caller within its call. */
  block(caller: number, value: number, from: number, to: number): void {
    const state = stateOf(value);
    if (state < STATE_BLOCKED_S || state > STATE_PARKED || !(to > from)) return;
    this.#blocked[caller * CAUSES.length + causeOf(value)] += to - from;
  }

  #count(caller: number, call: number): void {
    const { begin, end, name } = this.#list.columns;
    const group = this.#group(caller, name[call]);
    this.#sums.add(group, begin[call], end[call] - begin[call], caller);
    this.#log?.add(begin[call], end[call] - begin[call], this.#callers[caller], name[call]);
    for (let cause = 0; cause < CAUSES.length; cause++)
      this.#groupBlocked[group * CAUSES.length + cause] += this.#blocked[caller * CAUSES.length + cause];
  }

  #group(caller: number, name: number): number {
    const key = name * this.#at.length + caller;
    let group = this.#groupOf.get(key);
    if (group === undefined) {
      group = this.#sums.addGroup();
      this.#groupOf.set(key, group);
      if (group === this.#groups.caller.length) widen(this.#groups);
      this.#groups.caller[group] = caller;
      this.#groups.name[group] = name;
      for (let cause = 0; cause < CAUSES.length; cause++) this.#groupBlocked.push(0);
    }
    return group;
  }

  finish(text: (name: number) => string): CallTimes {
    const callers = this.#callers;
    const { caller, name } = trimmed(this.#groups, this.#sums.length);
    const order = [...caller.keys()].sort((a, b) => caller[a] - caller[b] || a - b);
    const durations = this.#sums.finish(order);
    return {
      thread: Int32Array.from(order, (group) => callers[caller[group]]),
      name: order.map((group) => text(name[group])),
      durations: { ...durations, longestOwner: durations.longestOwner.map((one) => callers[one]) },
      blocked: Float64Array.from(
        order.flatMap((group) =>
          this.#groupBlocked.slice(group * CAUSES.length, (group + 1) * CAUSES.length),
        ),
      ),
    };
  }
}

/**
 * System calls by thread and name: how long, and how long blocked in them by what. Read from the state history like
 * scheduling latency (`sched-delays.ts`), for the same reasons: a call may begin on one CPU and end on another, and
 * only the history knows what it waited for. Call failures follow from their returns (`call-failures.ts`). A call
 * that returns within the clock's unit leaves no interval.
 */
import type { HostNs } from '../../../base/units.ts';
import type { HistoryQuery, IntervalPart } from '../../../history/query-types.ts';
import { widen } from '../../../base/columns.ts';
import type { DurationLog } from '../../sums/duration-log.ts';
import { DurationSums, type DurationTable } from '../../sums/duration-sums.ts';
import type { StateTables } from '../reduce/kernel-tables.ts';
import { causeOf, CAUSES, isAsleep, isRunning, stateOf } from '../../events/values.ts';

/** Groups of summed calls: of one name, of one thread, or of both. */
export type CallGroups = 'names' | 'threads' | 'pairs';

/** Owners of durations are threads. */
interface CallSums {
  readonly durations: DurationTable<HostNs>;
  /** Time blocked in the calls by cause, ns, CAUSES.length per group; cause 0: not known yet. */
  readonly blocked: Float64Array;
}

export interface CallTimes<Wanted extends CallGroups = CallGroups> {
  /** Pairs of thread and call, in order of thread, then of the call's first return. */
  readonly pairs: {
    /** Row of the thread in the tables, and index of the call in `names`. */
    readonly thread: Int32Array;
    readonly name: Int32Array;
    readonly count: Float64Array;
  };
  /** Calls and rows of threads, in order of the pairs. */
  readonly names: readonly string[];
  readonly threads: Int32Array;
  readonly sums: Readonly<Record<Wanted, CallSums>>;
}

/**
 * @param from HostNs; calls that returned in [from, to) count
 * @param wanted groups to sum; each takes memory
 * @param only row of the one thread whose calls count; default: of all
 * @param log gets each of the calls: owners are rows of threads, subjects texts of the history
 */
export async function callTimes<Wanted extends CallGroups>(
  query: HistoryQuery,
  { threads }: StateTables,
  { from, to }: { readonly from: number; readonly to: number },
  wanted: readonly Wanted[],
  only?: number,
  log?: DurationLog,
): Promise<CallTimes<Wanted>> {
  const asked = only === undefined ? threads.callAttribute.keys() : [only];
  const callers = Int32Array.from(asked).filter((i) => threads.callAttribute[i] >= 0);
  const callAttributes = Array.from(callers, (thread) => threads.callAttribute[thread]);
  const stateAttributes = Array.from(callers, (thread) => threads.stateAttribute[thread]);
  const sums = new CallCounter(callers, wanted, log);
  const reader = new CallReader(callers.length, from, sums);
  const pending = new Map<number, HostNs>();
  await query.scan(callAttributes, from - 1, from, (caller, { begin }) => pending.set(caller, begin));
  for (const [caller, begin] of pending) {
    // It may have begun before the first segment of the range, and blocked before the range.
    const whole = await query.at(callAttributes[caller], begin);
    if (whole === undefined || whole.from >= from) continue;
    reader.beginAt(caller, whole.from);
    for (const state of await query.intervals(stateAttributes[caller], whole.from, from))
      reader.block(caller, state.value, Math.max(state.from, whole.from), Math.min(state.to, from));
  }
  // Within a segment all calls come before the states. Begins at the instant before, as a call that ends at the
  // range's begin lies before it.
  await query.scan([...callAttributes, ...stateAttributes], from - 1, to, (place, piece) => {
    if (place < callers.length) reader.addCall(place, piece);
    else reader.read(place - callers.length, piece);
  });
  return sums.finish((name) => query.text(name));
}

/** Reads the calls of many threads ("callers") along with their states. Only the calls of the present segment are kept. */
class CallReader {
  /** Call of each caller that the states have reached, and its last one; -1 none. Each caller's calls are in order of time. */
  readonly #at: Int32Array;
  readonly #last: Int32Array;
  readonly #calls = {
    begin: new Float64Array(0),
    end: new Float64Array(0),
    /** Index of the history's strings. */
    name: new Int32Array(0),
    /** The caller's next call, or the next free place; -1 none. */
    next: new Int32Array(0),
  };
  #length = 0;
  #free = -1;
  readonly #from: number;
  /** Begin of each caller's first call if before the range; NaN: by its first piece. */
  readonly #firstBegin: Float64Array;
  /** Time blocked so far, ns, by caller and cause, and whether there is any. */
  readonly #blocked: Float64Array;
  readonly #isBlocked: Uint8Array;
  readonly #sums: CallCounter;

  constructor(callers: number, from: number, sums: CallCounter) {
    this.#from = from;
    this.#sums = sums;
    this.#at = new Int32Array(callers).fill(-1);
    this.#last = new Int32Array(callers).fill(-1);
    this.#firstBegin = new Float64Array(callers).fill(NaN);
    this.#blocked = new Float64Array(callers * CAUSES.length);
    this.#isBlocked = new Uint8Array(callers);
  }

  beginAt(caller: number, begin: HostNs): void {
    this.#firstBegin[caller] = begin;
  }

  /** Takes a piece of a caller's calls, in order of time. */
  addCall(caller: number, { begin, end, value }: IntervalPart): void {
    const calls = this.#calls;
    const last = this.#last[caller];
    if (last >= 0 && calls.end[last] === begin && calls.name[last] === value) {
      calls.end[last] = end;
      return;
    }
    const call = this.#newCall();
    const first = this.#firstBegin[caller];
    calls.begin[call] = Number.isNaN(first) ? begin : first;
    this.#firstBegin[caller] = NaN;
    calls.end[call] = end;
    calls.name[call] = value;
    calls.next[call] = -1;
    if (last < 0) this.#at[caller] = call;
    else calls.next[last] = call;
    this.#last[caller] = call;
  }

  #newCall(): number {
    const free = this.#free;
    if (free >= 0) {
      this.#free = this.#calls.next[free];
      return free;
    }
    if (this.#length === this.#calls.begin.length) widen(this.#calls);
    return this.#length++;
  }

  /** Takes a state of a caller, whose calls are known up to its end. */
  read(caller: number, piece: IntervalPart): void {
    const { begin, end, name, next } = this.#calls;
    for (let call = this.#at[caller]; call >= 0; call = this.#at[caller]) {
      if (begin[call] >= piece.end) return;
      const from = Math.max(begin[call], piece.begin, this.#from);
      this.block(caller, piece.value, from, Math.min(end[call], piece.end));
      if (end[call] >= piece.end) return;
      const another = next[call];
      // A returned thread goes on running, and not with another call at once.
      const hasReturned = isRunning(stateOf(piece.value)) && !(another >= 0 && begin[another] === end[call]);
      const isCounted = hasReturned && end[call] >= this.#from;
      if (isCounted) this.#sums.add(caller, name[call], begin[call], end[call]);
      if (this.#isBlocked[caller] === 1) {
        const blocked = this.#blocked.subarray(caller * CAUSES.length, (caller + 1) * CAUSES.length);
        if (isCounted) this.#sums.addBlocked(caller, name[call], blocked);
        blocked.fill(0);
        this.#isBlocked[caller] = 0;
      }
      this.#at[caller] = another;
      if (another < 0) this.#last[caller] = -1;
      next[call] = this.#free;
      this.#free = call;
    }
  }

  /** Takes a state of the caller within its call. */
  block(caller: number, value: number, from: number, to: number): void {
    if (!isAsleep(value) || !(to > from)) return;
    this.#blocked[caller * CAUSES.length + causeOf(value)] += to - from;
    this.#isBlocked[caller] = 1;
  }
}

/** Counts calls by pairs of caller and name, and sums them by the wanted groups. */
class CallCounter {
  /** Their rows in the table of threads. */
  readonly #callers: Int32Array;
  readonly #log: DurationLog | undefined;
  readonly #wanted: readonly CallGroups[];
  readonly #sums: { readonly [Groups in CallGroups]?: GroupSums };
  /** First and last pair of each caller, -1 none. */
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  /** Numbers of names by their texts of the history. */
  readonly #numberOf = new Map<number, number>();
  readonly #pairs = {
    text: new Int32Array(0),
    name: new Int32Array(0),
    count: new Float64Array(0),
    /** The caller's next pair, -1 none. */
    next: new Int32Array(0),
  };
  #length = 0;
  /** Number of callers that have a pair, and their numbers. */
  #threads = 0;
  readonly #thread: Int32Array;

  constructor(callers: Int32Array, wanted: readonly CallGroups[], log: DurationLog | undefined) {
    this.#callers = callers;
    this.#log = log;
    this.#wanted = wanted;
    this.#sums = Object.fromEntries(wanted.map((groups) => [groups, new GroupSums()]));
    this.#first = new Int32Array(callers.length).fill(-1);
    this.#last = new Int32Array(callers.length).fill(-1);
    this.#thread = new Int32Array(callers.length);
  }

  /** Adds a call that returned. */
  add(caller: number, text: number, begin: HostNs, end: HostNs): void {
    const pair = this.#pairOf(caller, text);
    this.#pairs.count[pair]++;
    const ns = end - begin;
    const { names, threads, pairs } = this.#sums;
    names?.add(this.#pairs.name[pair], begin, ns, caller);
    threads?.add(this.#thread[caller], begin, ns, caller);
    pairs?.add(pair, begin, ns, caller);
    this.#log?.add(begin, ns, this.#callers[caller], text);
  }

  /** Adds the blocked time of an added call, ns by cause. */
  addBlocked(caller: number, text: number, blocked: Float64Array): void {
    const pair = this.#pairOf(caller, text);
    const { names, threads, pairs } = this.#sums;
    names?.addBlocked(this.#pairs.name[pair], blocked);
    threads?.addBlocked(this.#thread[caller], blocked);
    pairs?.addBlocked(pair, blocked);
  }

  #pairOf(caller: number, text: number): number {
    const columns = this.#pairs;
    for (let pair = this.#first[caller]; pair >= 0; pair = columns.next[pair])
      if (columns.text[pair] === text) return pair;
    if (this.#length === columns.text.length) widen(columns);
    const pair = this.#length++;
    const last = this.#last[caller];
    if (last < 0) {
      this.#first[caller] = pair;
      this.#thread[caller] = this.#threads++;
    } else columns.next[last] = pair;
    this.#last[caller] = pair;
    columns.text[pair] = text;
    columns.next[pair] = -1;
    let name = this.#numberOf.get(text);
    if (name === undefined) this.#numberOf.set(text, (name = this.#numberOf.size));
    columns.name[pair] = name;
    return pair;
  }

  finish<Wanted extends CallGroups>(textOf: (text: number) => string): CallTimes<Wanted> {
    const { text, name, count, next } = this.#pairs;
    const order = new Int32Array(this.#length);
    const thread = new Int32Array(this.#length);
    const callers: number[] = [];
    let at = 0;
    for (const [caller, first] of this.#first.entries()) {
      if (first >= 0) callers.push(caller);
      for (let pair = first; pair >= 0; pair = next[pair]) {
        thread[at] = this.#callers[caller];
        order[at++] = pair;
      }
    }
    // Places of names in the order of the pairs.
    const placeOf = new Map<number, number>();
    const names: string[] = [];
    for (const pair of order) {
      if (placeOf.has(name[pair])) continue;
      placeOf.set(name[pair], names.length);
      names.push(textOf(text[pair]));
    }
    const orders: Readonly<Record<CallGroups, Int32Array>> = {
      names: Int32Array.from(placeOf.keys()),
      threads: Int32Array.from(callers, (caller) => this.#thread[caller]),
      pairs: order,
    };
    const sums = this.#wanted.map((groups) => [
      groups,
      this.#sums[groups]?.finish(orders[groups], this.#callers),
    ]);
    return {
      pairs: {
        thread,
        name: order.map((pair) => placeOf.get(name[pair]) ?? 0),
        count: Float64Array.from(order, (pair) => count[pair]),
      },
      names,
      threads: Int32Array.from(callers, (caller) => this.#callers[caller]),
      sums: Object.fromEntries(sums) as CallTimes<Wanted>['sums'],
    };
  }
}

class GroupSums {
  readonly #durations = new DurationSums();
  readonly #columns = { blocked: new Float64Array(0) };

  /** Adds a call; groups are numbered in order of arrival. */
  add(group: number, begin: HostNs, ns: number, caller: number): void {
    if (group === this.#durations.length) this.#durations.addGroup();
    this.#durations.add(group, begin, ns, caller);
  }

  addBlocked(group: number, blocked: Float64Array): void {
    const from = group * CAUSES.length;
    while (from + CAUSES.length > this.#columns.blocked.length) widen(this.#columns);
    for (let cause = 0; cause < CAUSES.length; cause++) this.#columns.blocked[from + cause] += blocked[cause];
  }

  finish(order: Int32Array, callers: Int32Array): CallSums {
    const durations = this.#durations.finish(order);
    const { blocked } = this.#columns;
    const own = new Float64Array(order.length * CAUSES.length);
    for (const [place, group] of order.entries())
      own.set(blocked.subarray(group * CAUSES.length, (group + 1) * CAUSES.length), place * CAUSES.length);
    return {
      durations: { ...durations, longestOwner: durations.longestOwner.map((one) => callers[one]) },
      blocked: own,
    };
  }
}

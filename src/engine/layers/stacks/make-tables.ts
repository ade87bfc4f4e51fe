/** Tables from a log of call stacks once all modules are known: each address is in the module that was there at its time. */
import { packTexts } from '../../base/text-writer.ts';
import { TupleIndex } from '../../base/tuple-index.ts';
import { ModuleFinder } from './module-finder.ts';
import {
  EMPTY,
  KERNEL,
  type StackLog,
  type LoggedThread,
  type StackChanges,
  noStackChanges,
} from './stack-forest.ts';
import {
  ALL_LEFT,
  exitOf,
  type FunctionEntries,
  type StackTables,
  type ThreadStacks,
} from './stack-tables.ts';
import { type Growing, GrowingTable, trimmed, widened } from '../../base/columns.ts';
import { wideOf } from '../../base/wide-integer.ts';

/** Tables, without stacks that no thread had in force. @param calls system calls by index of the log's threads */
export function makeTables(log: StackLog, calls: readonly CallTimes[] = []): StackTables {
  const resolver = new StackResolver(log);
  const stackAt = (stack: number, time: number) => resolver.stack(stack, time);
  const threads = log.threads.map(({ changes, entries, ...thread }, i): ThreadStacks => {
    const inForce = stacksInForce(log, { changes, isEntered: thread.isEntered }, calls.at(i), stackAt);
    return { ...thread, ...inForce, entries: resolver.entries(entries) };
  });
  const { modules, memories, inside } = log;
  return { ...resolver.tables(), threads, modules, memories, inside, names: packTexts(log.names) };
}

/** Stands in place of the number of module changes: the stack's addresses do not depend on time. */
const ALWAYS = -1;

class StackResolver {
  readonly #log: StackLog;
  readonly #finder: ModuleFinder;
  /** Process whose modules matter, by stack of the log; ALWAYS none. */
  readonly #decidedBy: Int32Array;
  /** Stack of the log, changes of modules: `#made` has the row. */
  readonly #known = new TupleIndex();
  readonly #made: (number | undefined)[] = [];
  /** Frame of the log, module. */
  readonly #frames = new TupleIndex();
  /** Parent, frame. */
  readonly #tree = new TupleIndex();

  constructor(log: StackLog) {
    this.#log = log;
    this.#finder = new ModuleFinder(log.modules, log.memories);
    this.#decidedBy = this.#decided();
    this.#tree.place(-1, -1, 0, 0);
  }

  /** Row of the tables for a stack of the log that is recorded at `time` (HostNs). */
  stack(stack: number, time: number): number {
    if (stack === EMPTY) return EMPTY;
    const process = this.#decidedBy[stack];
    const changes = process === ALWAYS ? ALWAYS : this.#finder.changesBy(process, time);
    const at = this.#known.place(stack, changes, 0, 0);
    const known = this.#made[at];
    if (known !== undefined) return known;
    const { parent, frame } = this.#log.tree;
    const below = this.stack(parent[stack], time);
    const module = this.#moduleOf(frame[stack], time);
    const made = this.#tree.place(below, this.#frames.place(frame[stack], module, 0, 0), 0, 0);
    this.#made[at] = made;
    return made;
  }

  /** Function entries with rows of the tables' frames. */
  entries(logged: FunctionEntries | undefined): FunctionEntries | undefined {
    if (logged === undefined) return undefined;
    const { times, frames, sites } = logged;
    const at = (frame: number, i: number) => this.#frames.place(frame, this.#moduleOf(frame, times[i]), 0, 0);
    return {
      times,
      frames: frames.map((frame, i) => {
        const entered = frame < 0 ? exitOf(frame) : frame;
        if (frame === ALL_LEFT || entered < 0) return frame;
        return frame < 0 ? exitOf(at(entered, i)) : at(entered, i);
      }),
      sites: sites.map((site, i) => (site < 0 ? site : at(site, i))),
    };
  }

  tables(): Pick<StackTables, 'frames' | 'tree'> {
    const { process, high, low, isReturn, name } = this.#log.frames;
    const logged = this.#frames.column(0);
    return {
      frames: {
        length: logged.length,
        process: logged.map((frame) => process[frame]),
        high: Uint32Array.from(logged, (frame) => high[frame]),
        low: Uint32Array.from(logged, (frame) => low[frame]),
        isReturn: Uint8Array.from(logged, (frame) => isReturn[frame]),
        module: this.#frames.column(1),
        name: logged.map((frame) => name[frame]),
      },
      tree: { length: this.#tree.length, parent: this.#tree.column(0), frame: this.#tree.column(1) },
    };
  }

  /** -1: it has a name, or is in no module. */
  #moduleOf(frame: number, time: number): number {
    const { process, high, low, name } = this.#log.frames;
    return name[frame] >= 0 ? -1 : this.#finder.at(process[frame], wideOf(low[frame], high[frame]), time);
  }

  /** Finds the deciding process of each stack. A stack comes after that of its callers, and its addresses are of one process. */
  #decided(): Int32Array {
    const { tree, frames } = this.#log;
    const decidedBy = new Int32Array(tree.parent.length).fill(ALWAYS);
    for (let stack = EMPTY + 1; stack < decidedBy.length; stack++) {
      const process = frames.name[tree.frame[stack]] >= 0 ? KERNEL : frames.process[tree.frame[stack]];
      const isOwn = this.#finder.changesBy(process, Infinity) > 0;
      decidedBy[stack] = isOwn ? process : decidedBy[tree.parent[stack]];
    }
    return decidedBy;
  }
}

/** System calls of a thread: HostNs, half-open, ascending. */
export interface CallTimes {
  readonly length: number;
  readonly begin: Float64Array;
  readonly end: Float64Array;
}

/** Calls in order of arrival. Adjacent parts of one call are merged. */
export class CallList extends GrowingTable<{ begin: Float64Array; end: Float64Array }> {
  #value = NaN;

  constructor() {
    super({ begin: new Float64Array(0), end: new Float64Array(0) });
  }

  add(begin: number, end: number, value: number): void {
    const { rows } = this;
    if (this.length > 0 && rows.end[this.length - 1] === begin && this.#value === value) {
      rows.end[this.length - 1] = end;
      return;
    }
    const call = this.addRow();
    rows.begin[call] = begin;
    rows.end[call] = end;
    this.#value = value;
  }
}

const NO_CALLS: CallTimes = { length: 0, begin: new Float64Array(0), end: new Float64Array(0) };

/** @param stackAt row of a stack of the log that was recorded at a time @internal */
export function stacksInForce(
  { notRecorded }: Pick<StackLog, 'notRecorded'>,
  { changes, isEntered }: Pick<LoggedThread, 'changes' | 'isEntered'>,
  calls: CallTimes = NO_CALLS,
  stackAt: (stack: number, time: number) => number,
): StackChanges {
  const { times, stacks, inside } = changes;
  const made = new MadeChanges(noStackChanges());
  const { length, begin, end } = isEntered ? NO_CALLS : calls;
  // If nothing is known of a thread's stacks, nothing is missing in its calls.
  const unknown = stacks.some((stack) => stack > EMPTY) ? notRecorded : EMPTY;
  let [stack, recorded, within, withinSince] = [EMPTY, -Infinity, EMPTY, -Infinity];
  for (let change = 0, call = 0; change < times.length || call < length;) {
    const now = Math.min(
      change < times.length ? times[change] : Infinity,
      call < length ? (begin[call] > made.now ? begin[call] : end[call]) : Infinity,
    );
    if (now === Infinity) break;
    while (call < length && end[call] <= now) call++;
    for (; change < times.length && times[change] <= now; change++) {
      if (stacks[change] >= 0) {
        stack = stackAt(stacks[change], now);
        recorded = now;
      }
      within = inside[change] === EMPTY ? EMPTY : stackAt(inside[change], now);
      withinSince = now;
    }
    const begun = call < length && begin[call] <= now ? begin[call] : NaN;
    const isMissing = recorded < begun;
    made.add(now, isMissing ? stackAt(unknown, now) : stack, withinSince >= begun ? within : EMPTY);
  }
  return trimmed(made.rows, made.length);
}

class MadeChanges extends GrowingTable<Growing<StackChanges>> {
  /** HostNs of the last time that was examined. */
  now = -Infinity;

  add(time: number, stack: number, inside: number): void {
    this.now = time;
    const { rows } = this;
    const last = this.length - 1;
    const isSame =
      last < 0
        ? stack === EMPTY && inside === EMPTY
        : rows.stacks[last] === stack && rows.inside[last] === inside;
    if (isSame) return;
    const change = this.addRow();
    rows.times[change] = time;
    rows.stacks[change] = stack;
    rows.inside[change] = inside;
  }
}

/** The thread with nothing in force from `last` (HostNs) on; Infinity: unchanged. */
export function endedAt(thread: LoggedThread, last: number): LoggedThread {
  if (last === Infinity) return thread;
  const { changes, entries } = thread;
  return {
    ...thread,
    changes: {
      times: added(changes.times, last),
      stacks: added(changes.stacks, EMPTY),
      inside: added(changes.inside, EMPTY),
    },
    entries: entries && {
      times: added(entries.times, last),
      frames: added(entries.frames, ALL_LEFT),
      sites: added(entries.sites, -1),
    },
  };
}

function added<C extends Int32Array | Float64Array>(column: C, value: number): C {
  const longer = widened(column, column.length + 1);
  longer[column.length] = value;
  return longer;
}

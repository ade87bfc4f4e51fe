/**
 * Stacks in force over time of a thread, of what was recorded and its system calls: while a call is pending, only what was
 * recorded within it tells where it was made; after it, what was in force before is so again.
 */
import { trimmed, widen, widened } from '../../base/columns.ts';
import type { LoggedThread, StackChanges, StackLog } from './stack-log.ts';
import { EMPTY } from './stack-forest.ts';
import { ALL_LEFT } from './stack-tables.ts';

/** System calls of a thread: HostNs, half-open, ascending. */
export interface CallTimes {
  readonly length: number;
  readonly begin: Float64Array;
  readonly end: Float64Array;
}

/** Calls as they come. Parts of one that touch are one. */
export class CallList implements CallTimes {
  length = 0;
  begin = new Float64Array(0);
  end = new Float64Array(0);
  #value = NaN;

  add(begin: number, end: number, value: number): void {
    if (this.length > 0 && this.end[this.length - 1] === begin && this.#value === value) {
      this.end[this.length - 1] = end;
      return;
    }
    if (this.length === this.begin.length) {
      const room = Math.max(256, 2 * this.length);
      this.begin = widened(this.begin, room);
      this.end = widened(this.end, room);
    }
    this.begin[this.length] = begin;
    this.end[this.length++] = end;
    this.#value = value;
  }
}

const NO_CALLS: CallTimes = { length: 0, begin: new Float64Array(0), end: new Float64Array(0) };

/** @param stackAt row of a stack of the log that was recorded at a time */
export function stacksInForce(
  { notRecorded }: Pick<StackLog, 'notRecorded'>,
  { changes, isEntered }: Pick<LoggedThread, 'changes' | 'isEntered'>,
  calls: CallTimes = NO_CALLS,
  stackAt: (stack: number, time: number) => number,
): StackChanges {
  const { times, stacks, inside } = changes;
  const made = new MadeChanges();
  const { length, begin, end } = isEntered ? NO_CALLS : calls;
  // Where nothing is known of a thread's stacks, nothing is missing in its calls.
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
  return made.columns();
}

class MadeChanges {
  /** HostNs of the last time that was looked at. */
  now = -Infinity;
  #length = 0;
  readonly #rows = { times: new Float64Array(0), stacks: new Int32Array(0), inside: new Int32Array(0) };

  add(time: number, stack: number, inside: number): void {
    this.now = time;
    const { times, stacks, inside: insides } = this.#rows;
    const last = this.#length - 1;
    const isSame =
      last < 0 ? stack === EMPTY && inside === EMPTY : stacks[last] === stack && insides[last] === inside;
    if (isSame) return;
    if (this.#length === times.length) widen(this.#rows);
    this.#rows.times[this.#length] = time;
    this.#rows.stacks[this.#length] = stack;
    this.#rows.inside[this.#length++] = inside;
  }

  columns(): StackChanges {
    return trimmed(this.#rows, this.#length);
  }
}

/** The thread with nothing in force from `last` (HostNs) on; Infinity: as it is. */
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

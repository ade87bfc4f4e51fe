/** Stacks of one thread while events are read: recorded ones with their times, and the functions that it is in. */
import { type Growing, GrowingTable, trimmed, widened } from '../../base/columns.ts';
import {
  type LoggedThread,
  type StackChanges,
  EMPTY,
  noStackChanges,
  type StackForest,
} from './stack-forest.ts';
import { EnteredFunctions } from './entered-functions.ts';
import { ALL_LEFT, exitOf, type FunctionEntries } from './stack-tables.ts';

const FIRST_ROOM = 16;

/** Stacks of a thread by recording time. */
class Changes extends GrowingTable<Growing<StackChanges>> {
  constructor() {
    super(noStackChanges(), FIRST_ROOM);
  }

  /** Adds a stack recorded at `time` (HostNs). Of several at one time the last one counts. */
  add(time: number, stack: number, inside = EMPTY): void {
    const { rows } = this;
    const isSame = this.length > 0 && rows.times[this.length - 1] === time;
    // A stack without program part keeps the known one.
    const known = isSame && stack < 0 ? rows.stacks[this.length - 1] : stack;
    if (isSame) this.length--;
    const row = this.addRow();
    rows.times[row] = time;
    rows.inside[row] = inside;
    rows.stacks[row] = known;
  }

  /** Removes what was added from `time` on. */
  takeBack(time: number): void {
    while (this.length > 0 && this.rows.times[this.length - 1] >= time) this.length--;
  }
}

export class ThreadColumns {
  /** Changes from samples and contexts, and from entries and exits of functions. */
  readonly #recorded = new Changes();
  readonly #byFunctions = new Changes();
  readonly #inside: EnteredFunctions;
  readonly #entries = new GrowingTable<Growing<FunctionEntries>>(
    { times: new Float64Array(0), frames: new Int32Array(0), sites: new Int32Array(0) },
    FIRST_ROOM,
  );
  #hasFunctions = false;
  #hasSites = false;
  /** HostNs of the last ended call, and of the last time the stack was emptied: later calls begin after them. */
  #callsFrom = -Infinity;
  #samples = new Float64Array(0);
  #sampleCount = 0;

  constructor(forest: StackForest) {
    // Functions of addresses are not known before the programs' files are read.
    const on = (below: number, frame: number) => forest.on(below, frame);
    this.#inside = new EnteredFunctions({ on, functionOf: () => undefined });
  }

  /** @param stack -1: only its part in the kernel, `inside`, was recorded */
  record(time: number, stack: number, isSample: boolean, inside = EMPTY): void {
    this.#recorded.add(time, stack, inside);
    if (!isSample) return;
    if (this.#sampleCount === this.#samples.length)
      this.#samples = widened(this.#samples, Math.max(FIRST_ROOM, 2 * this.#sampleCount));
    this.#samples[this.#sampleCount++] = time;
  }

  /** Notes a call of `duration` ns that has ended: its stack is in force since its begin, whatever was recorded meanwhile. */
  recordCall(time: number, duration: number, stack: number): void {
    const begin = Math.max(time - duration, this.#callsFrom);
    this.#recorded.takeBack(begin);
    this.#recorded.add(begin, stack);
    this.#callsFrom = time;
  }

  /** @param site frame of the call site; -1: not known */
  enter(time: number, frame: number, site: number): void {
    this.#hasFunctions = true;
    this.#hasSites ||= site >= 0;
    this.#inside.enter(frame, site);
    this.#byFunctions.add(time, this.#inside.stack);
    this.#addEntry(time, frame, site);
  }

  /** Leaves a function (frame -1: the innermost) and those that it called. Without an entry nothing changes. */
  leave(time: number, frame: number, site: number): void {
    this.#hasFunctions = true;
    if (this.#inside.leave(frame, site)) this.#byFunctions.add(time, this.#inside.stack);
    this.#addEntry(time, exitOf(frame), site);
  }

  empty(time: number): void {
    this.#inside.clear();
    if (this.#hasFunctions) this.#addEntry(time, ALL_LEFT, -1);
    this.#byFunctions.add(time, EMPTY);
    this.#recorded.add(time, EMPTY);
    this.#callsFrom = time;
  }

  columns(): Pick<LoggedThread, 'changes' | 'isEntered' | 'entries' | 'samples'> {
    const changes = this.#hasFunctions ? this.#byFunctions : this.#recorded;
    return {
      changes: trimmed(changes.rows, changes.length),
      isEntered: this.#hasFunctions,
      entries: this.#hasSites ? trimmed(this.#entries.rows, this.#entries.length) : undefined,
      samples: this.#samples.slice(0, this.#sampleCount),
    };
  }

  #addEntry(time: number, frame: number, site: number): void {
    const entry = this.#entries.addRow();
    const { rows } = this.#entries;
    rows.times[entry] = time;
    rows.frames[entry] = frame;
    rows.sites[entry] = site;
  }
}

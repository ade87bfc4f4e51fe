/** The stacks of one thread while events come: which is in force since when, by each sort of event. */
import { trimmed, widen, widened } from '../../base/columns.ts';
import type { LoggedThread, StackChanges } from './stack-log.ts';
import { EMPTY, type StackForest } from './stack-forest.ts';

/** Frames of a thread by entries and exits: more are counted alone, since exits may be missing. */
const MOST_ENTERED = 1024;

const FIRST_ROOM = 16;

/** Times and stacks, grown by doubling. */
class Changes {
  length = 0;
  readonly #rows = { times: new Float64Array(0), stacks: new Int32Array(0) };

  /** Adds a stack that is in force from `time` (HostNs) on. Of several at one time the last one is. */
  add(time: number, stack: number): void {
    const { times, stacks } = this.#rows;
    if (this.length > 0 && times[this.length - 1] === time) this.length--;
    const before = this.length === 0 ? EMPTY : stacks[this.length - 1];
    if (stack === before) return;
    if (this.length === times.length) widen(this.#rows, FIRST_ROOM);
    this.#rows.times[this.length] = time;
    this.#rows.stacks[this.length++] = stack;
  }

  /** Takes back what was added from `time` on. */
  takeBack(time: number): void {
    while (this.length > 0 && this.#rows.times[this.length - 1] >= time) this.length--;
  }

  columns(): StackChanges {
    return trimmed(this.#rows, this.length);
  }
}

export class ThreadColumns {
  readonly #forest: StackForest;
  /** Changes by samples and contexts, and by entries and exits of functions. */
  readonly #recorded = new Changes();
  readonly #entered = new Changes();
  #hasFunctions = false;
  /** HostNs of the last call that has ended, and of the last time the stack was emptied: later calls begin behind. */
  #callsFrom = -Infinity;
  #samples = new Float64Array(0);
  #sampleCount = 0;
  /** The functions that were entered and not left, and how many more there are. */
  #inside = EMPTY;
  #tooDeep = 0;

  constructor(forest: StackForest) {
    this.#forest = forest;
  }

  record(time: number, stack: number, isSample: boolean): void {
    this.#recorded.add(time, stack);
    if (!isSample) return;
    if (this.#sampleCount === this.#samples.length)
      this.#samples = widened(this.#samples, Math.max(FIRST_ROOM, 2 * this.#sampleCount));
    this.#samples[this.#sampleCount++] = time;
  }

  /**
   * A call has ended at `time` (HostNs) that took `duration` ns: its stack is in force since it began, whatever was
   * recorded meanwhile, in the kernel or a handler of signals.
   */
  recordCall(time: number, duration: number, stack: number): void {
    const begin = Math.max(time - duration, this.#callsFrom);
    this.#recorded.takeBack(begin);
    this.#recorded.add(begin, stack);
    this.#callsFrom = time;
  }

  enter(time: number, frame: number): void {
    this.#hasFunctions = true;
    if (this.#forest.depthOf(this.#inside) === MOST_ENTERED) {
      this.#tooDeep++;
      return;
    }
    this.#inside = this.#forest.on(this.#inside, frame);
    this.#entered.add(time, this.#inside);
  }

  /**
   * A function is left, and with it those that it called. One that is not known to have been entered changes nothing.
   * @param frame -1: the innermost
   */
  leave(time: number, frame: number): void {
    this.#hasFunctions = true;
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return;
    }
    const forest = this.#forest;
    let stack = this.#inside;
    if (frame >= 0) while (stack !== EMPTY && forest.frameOf(stack) !== frame) stack = forest.parentOf(stack);
    if (stack === EMPTY) return;
    this.#inside = forest.parentOf(stack);
    this.#entered.add(time, this.#inside);
  }

  /** The thread executes another program, or ends. */
  empty(time: number): void {
    this.#inside = EMPTY;
    this.#tooDeep = 0;
    this.#entered.add(time, EMPTY);
    this.#recorded.add(time, EMPTY);
    this.#callsFrom = time;
  }

  columns(): Pick<LoggedThread, 'changes' | 'samples' | 'isEntered'> {
    const changes = this.#hasFunctions ? this.#entered : this.#recorded;
    const samples = this.#samples.slice(0, this.#sampleCount);
    return { changes: changes.columns(), samples, isEntered: this.#hasFunctions };
  }
}

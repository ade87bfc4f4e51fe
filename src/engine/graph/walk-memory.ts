/** Memory of a walk: jumps that may be undone, in columns; each worker's way; and sets of edges that failed. */
import { NO_INTEGERS, NO_NUMBERS, widen, widened } from '../base/columns.ts';
import type { GraphWorker } from './execution-graph.ts';
import type { PathMark } from './path.ts';

/** One jump; reused for each that is pushed or popped. */
export class Jump {
  /** Place of the path at the jump, with its wait; number of edges on the way, and of levels. */
  readonly mark: PathMark = { length: 0, time: 0, wait: -1 };
  worker: GraphWorker = -1;
  /** Begin of the wait that was jumped from, and its edge. */
  begin = 0;
  signal = 0;
  cause = 0;
  interrupt: GraphWorker = -1;
  frame = 0;
  trail = 0;
  levels = 0;
}

export class JumpStack {
  length = 0;
  readonly #columns = {
    length: NO_INTEGERS,
    time: NO_NUMBERS,
    wait: NO_INTEGERS,
    worker: NO_INTEGERS,
    begin: NO_NUMBERS,
    signal: NO_NUMBERS,
    interrupt: NO_INTEGERS,
    frame: NO_INTEGERS,
    cause: NO_NUMBERS,
    trail: NO_INTEGERS,
    levels: NO_INTEGERS,
  };

  push({ mark, worker, begin, signal, cause, interrupt, frame, trail, levels }: Jump): void {
    const c = this.#columns;
    if (this.length === c.length.length) widen(c);
    const at = this.length++;
    c.length[at] = mark.length;
    c.time[at] = mark.time;
    c.wait[at] = mark.wait;
    c.worker[at] = worker;
    c.begin[at] = begin;
    c.signal[at] = signal;
    c.interrupt[at] = interrupt;
    c.frame[at] = frame;
    c.cause[at] = cause;
    c.trail[at] = trail;
    c.levels[at] = levels;
  }

  /** Pops the last one into `jump`. @returns whether there was one */
  pop(jump: Jump): boolean {
    if (this.length === 0) return false;
    const c = this.#columns;
    const at = --this.length;
    jump.mark.length = c.length[at];
    jump.mark.time = c.time[at];
    jump.mark.wait = c.wait[at];
    jump.worker = c.worker[at];
    jump.begin = c.begin[at];
    jump.signal = c.signal[at];
    jump.interrupt = c.interrupt[at];
    jump.frame = c.frame[at];
    jump.cause = c.cause[at];
    jump.trail = c.trail[at];
    jump.levels = c.levels[at];
    return true;
  }
}

/** Edges by worker. */
export class EdgeSet {
  readonly #begins = new Map<GraphWorker, Set<number>>();

  add(worker: GraphWorker, begin: number): void {
    const known = this.#begins.get(worker);
    if (known === undefined) this.#begins.set(worker, new Set([begin]));
    else known.add(begin);
  }

  has(worker: GraphWorker, begin: number): boolean {
    return this.#begins.size > 0 && this.#begins.get(worker)?.has(begin) === true;
  }
}

/** Edges in the order in which the walk met them. */
export class EdgeTrail {
  length = 0;
  readonly #columns = { worker: NO_INTEGERS, begin: NO_NUMBERS };

  push(worker: GraphWorker, begin: number): void {
    if (this.length === this.#columns.worker.length) widen(this.#columns);
    const at = this.length++;
    this.#columns.worker[at] = worker;
    this.#columns.begin[at] = begin;
  }

  /** Moves the edges from place `from` on into a set. */
  moveTail(from: number, into: EdgeSet): void {
    const { worker, begin } = this.#columns;
    for (let i = from; i < this.length; i++) into.add(worker[i], begin[i]);
    this.length = from;
  }
}

/** A time for some workers. */
export class WorkerTimes {
  #time = NO_NUMBERS;

  /** NaN: none. */
  get(worker: GraphWorker): number {
    return worker < this.#time.length ? this.#time[worker] : NaN;
  }

  set(worker: GraphWorker, time: number): void {
    const { length } = this.#time;
    if (worker >= length) {
      this.#time = widened(this.#time, Math.max(2 * length, worker + 1));
      this.#time.fill(NaN, length);
    }
    this.#time[worker] = time;
  }

  delete(worker: GraphWorker): void {
    this.set(worker, NaN);
  }
}

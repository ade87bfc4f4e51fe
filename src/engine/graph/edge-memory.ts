/** Edges and times that a walk remembers by worker: the way it went, sets of edges that lead nowhere. */
import { NO_INTEGERS, NO_NUMBERS, widen, widened } from '../base/columns.ts';
import type { GraphWorker } from './execution-graph.ts';

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

/** The execution graph of a closure at the times of a replay, for a walk: whole ns, pieces that take no time left out. */
import { firstWhere } from '../base/lower-bound.ts';
import type { Closure } from './closure.ts';
import * as g from './execution-graph.ts';
import type { ExecutionGraph, GraphWorker } from './execution-graph.ts';
import { BLOCKED } from './path-codes.ts';
import type { Change, Replay } from './replay.ts';

export class ReplayedGraph implements ExecutionGraph {
  readonly #closure: Closure;
  readonly #isOwn: Uint8Array;
  readonly #begin: Float64Array;
  readonly #end: Float64Array;
  readonly #signal: Float64Array;
  readonly #giver: Int32Array;
  readonly #numbers = new Map<GraphWorker, number>();

  constructor(closure: Closure, { isOwn }: Change, { begin, end, signal, giver }: Replay) {
    this.#closure = closure;
    this.#isOwn = isOwn;
    this.#begin = begin.map(Math.round);
    this.#end = end.map(Math.round);
    this.#signal = signal.map(Math.round);
    this.#giver = giver;
    closure.workers.worker.forEach((worker, number) => this.#numbers.set(worker, number));
  }

  /** Time at which the worker studied is where it was at the end of the range. */
  get to(): number {
    const { workers, to } = this.#closure;
    return workers.first[1] === 0 ? to : this.#end[workers.first[1] - 1];
  }

  find(worker: GraphWorker, time: number, edge: g.Edge): number {
    const { pieces, workers } = this.#closure;
    const number = this.#numbers.get(worker);
    if (number === undefined) return g.BEFORE_LIFE;
    const low = workers.first[number];
    const row = firstWhere(low, workers.first[number + 1], (at) => this.#begin[at] >= time) - 1;
    if (row < low) return g.BEFORE_LIFE;
    edge.end = this.#end[row];
    if (edge.end < time) return g.AFTER_LIFE;
    edge.begin = this.#begin[row];
    edge.label = pieces.label[row];
    edge.cause = pieces.cause[row];
    const source = pieces.label[row] === BLOCKED && this.#isOwn[row] === 0 ? this.#giver[row] : -1;
    edge.source = source < 0 ? g.NOBODY : workers.worker[source];
    edge.signal = source < 0 ? edge.end : this.#signal[row];
    edge.interrupt = g.NOBODY;
    edge.frame = 0;
    edge.lockWait = -1;
    edge.isBounded = false;
    return g.FOUND;
  }

  load(): Promise<void> {
    return Promise.resolve();
  }

  creatorOf(worker: GraphWorker, time: number): GraphWorker {
    const { workers } = this.#closure;
    const number = this.#numbers.get(worker) ?? -1;
    const creator = number < 0 ? -1 : workers.creator[number];
    return creator >= 0 && this.#begin[workers.first[number]] >= time ? workers.worker[creator] : g.NOBODY;
  }

  lastInFrame(): boolean {
    return false;
  }

  copyBefore(): boolean {
    return false;
  }

  lastOfThread(): boolean {
    return false;
  }

  softirq(): undefined {
    return undefined;
  }

  isTimer(): boolean {
    return false;
  }

  wakerOf(): GraphWorker {
    return g.NOBODY;
  }

  waitingCall(): number {
    return 0;
  }
}

/**
 * An execution graph in which workers wait for locks, as user space tells (criterion `lock holder`): a wait for a lock
 * that was handed over is one blocked edge, also where the kernel shows the worker running (it spins) or preempted. The
 * graph below stays as it is.
 */
import * as g from './execution-graph.ts';
import type { ExecutionGraph, GraphWorker } from './execution-graph.ts';
import { type LockEdges, lockEdges, type GraphLockWaits, UNENDED, VainWaits } from './lock-waits.ts';
import { BLOCKED } from './path-codes.ts';
import type { Softirq } from './softirqs.ts';

export class LockGraph implements ExecutionGraph {
  readonly #below: ExecutionGraph;
  readonly waits: GraphLockWaits;
  readonly #edges: LockEdges;
  readonly #vain: VainWaits;

  constructor(below: ExecutionGraph, waits: GraphLockWaits) {
    this.#below = below;
    this.waits = waits;
    this.#edges = lockEdges(waits);
    this.#vain = new VainWaits(waits);
  }

  find(worker: GraphWorker, time: number, edge: g.Edge): number {
    const { worker: workers, begin, end, by, cause } = this.#edges;
    const next = this.#edges.firstFrom(worker, time);
    const at = next - 1;
    const isBehind = workers[at] === worker;
    if (isBehind && end[at] >= time) {
      edge.begin = begin[at];
      edge.end = edge.signal = end[at];
      edge.label = BLOCKED;
      edge.cause = cause[at];
      edge.source = by[at];
      edge.interrupt = g.NOBODY;
      edge.frame = 0;
      edge.isLockWait = true;
      return g.FOUND;
    }
    edge.isLockWait = false;
    const found = this.#below.find(worker, time, edge);
    if (found !== g.FOUND) return found;
    if (isBehind && end[at] > edge.begin) edge.begin = end[at];
    if (workers[next] === worker && begin[next] < edge.end) {
      edge.end = edge.signal = begin[next];
      edge.source = edge.interrupt = g.NOBODY;
      edge.frame = 0;
    } else if (edge.label === BLOCKED) this.#takeVain(worker, edge);
    return g.FOUND;
  }

  load(): Promise<void> {
    return this.#below.load();
  }

  creatorOf(worker: GraphWorker, time: number): GraphWorker {
    return this.#below.creatorOf(worker, time);
  }

  lastInFrame(worker: GraphWorker, frame: number, time: number, packet: g.Packet): boolean {
    return this.#below.lastInFrame(worker, frame, time, packet);
  }

  lastOfThread(worker: GraphWorker, after: number, time: number, packet: g.Packet): boolean {
    return this.#below.lastOfThread(worker, after, time, packet);
  }

  softirq(worker: GraphWorker, frame: number): Softirq | undefined {
    return this.#below.softirq(worker, frame);
  }

  isTimer(edge: g.Edge): boolean {
    return this.#below.isTimer(edge);
  }

  isByThread(edge: g.Edge): boolean {
    return this.#below.isByThread(edge);
  }

  waitingCall(worker: GraphWorker, begin: number): number {
    return this.#below.waitingCall(worker, begin);
  }

  /** Rows of the worker's waits that were not handed over, in order of their begin. */
  vainWaitsOf(worker: GraphWorker): Int32Array {
    return this.#vain.of(worker);
  }

  /** Row of a wait that was not handed over in which the worker was at `time`; -1: it was in none. */
  vainWaitAt(worker: GraphWorker, time: number): number {
    return this.#vain.at(worker, time);
  }

  /** A blocked edge in a wait that was not handed over: whoever ended it did not give the lock. */
  #takeVain(worker: GraphWorker, edge: g.Edge): void {
    const row = this.#vain.at(worker, edge.begin);
    if (row < 0 || !this.#below.isByThread(edge)) return;
    if (this.waits.outcome[row] === UNENDED) {
      edge.cause = this.waits.cause[row];
      edge.source = g.NOBODY;
    } else edge.isLockWait = true;
  }
}

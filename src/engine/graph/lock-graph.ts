/**
 * An execution graph in which workers wait for locks, as user space reports it (criterion `lock holder`). A wait for
 * a lock is cut by holder. A piece with a holder is one blocked edge, also if the kernel shows the worker running (it
 * spins) or preempted. A piece without holder has the edges of the worker that delayed it: the waiter itself, the one
 * that was releasing the lock, or the one about to take it. The underlying graph stays unchanged.
 */
import * as graphs from './execution-graph.ts';
import type { ExecutionGraph, GraphWorker } from './execution-graph.ts';
import {
  boundedIndex,
  type GraphLockWaits,
  HANDED_OVER,
  type LockEdges,
  lockEdges,
  type LockPieces,
  RowsByWorker,
} from './lock-waits.ts';
import { BLOCKED, PREEMPTED, REASON_NOT_TRACED, RUNNING, UNKNOWN } from './path-codes.ts';
import { firstWhere } from '../base/lower-bound.ts';

export class LockGraph implements ExecutionGraph {
  readonly #below: ExecutionGraph;
  readonly waits: GraphLockWaits;
  readonly facts: graphs.GraphFacts;
  readonly #edges: LockEdges;
  /** Waits that did not end with a hand-over. */
  readonly #vain: RowsByWorker;
  readonly #isBounded: ReturnType<typeof boundedIndex>;
  /** Underlying edges of the waiter and of another worker. */
  readonly #own = new graphs.Edge();
  readonly #other = new graphs.Edge();

  constructor(below: ExecutionGraph, waits: GraphLockWaits) {
    this.#below = below;
    this.waits = waits;
    this.facts = below.facts;
    this.#edges = lockEdges(waits);
    this.#vain = new RowsByWorker(waits, (row) => waits.outcome[row] !== HANDED_OVER);
    this.#isBounded = boundedIndex(waits.bounded);
  }

  find(worker: GraphWorker, time: number, edge: graphs.Edge): number {
    const { worker: workers, begin, end } = this.#edges;
    const next = this.#edges.firstFrom(worker, time);
    const at = next - 1;
    const isBehind = workers[at] === worker;
    if (isBehind && end[at] >= time) return this.#findPiece(at, time, edge);
    edge.lockWait = -1;
    edge.isBounded = false;
    const found = this.#below.find(worker, time, edge);
    if (found !== graphs.FOUND) return found;
    if (isBehind && end[at] > edge.begin) edge.begin = end[at];
    if (workers[next] === worker && begin[next] < edge.end) {
      edge.end = edge.signal = begin[next];
      edge.source = edge.interrupt = graphs.NOBODY;
      edge.frame = 0;
    } else if (edge.label === BLOCKED) {
      edge.isBounded = this.#isBounded(worker, edge.begin, edge.end);
    }
    return graphs.FOUND;
  }

  load(): Promise<void> {
    return this.#below.load();
  }

  /** Rows of the worker's waits without hand-over, by begin. */
  vainWaitsOf(worker: GraphWorker): Int32Array {
    return this.#vain.of(worker);
  }

  /** Row of the wait for a lock that a worker is in just after `time`, -1: none. */
  waitAt(worker: GraphWorker, time: number): number {
    const { worker: workers, begin, end, row, firstFrom } = this.#edges;
    const next = firstFrom(worker, time);
    const at = workers[next] === worker && begin[next] === time ? next : next - 1;
    return workers[at] === worker && end[at] > time ? row[at] : -1;
  }

  /** Holder, just after `time`, of the lock that a worker waits for then; NOBODY: nobody, or not known. */
  holderAt(worker: GraphWorker, time: number): GraphWorker {
    const row = this.waitAt(worker, time);
    return row < 0 ? graphs.NOBODY : this.pieceAt(row, time).holder;
  }

  /** The piece of a wait just after `time`, with a number that distinguishes holds of one holder: when it had asked. */
  pieceAt(
    row: number,
    time: number,
  ): { readonly hold: number; readonly holder: GraphWorker; readonly isHeld: boolean } {
    const { to, holder, isHeld, asked, length } = this.waits.piecesOf(row);
    const piece = firstWhere(0, length, (at) => to[at] > time);
    if (piece === length) return { hold: -1, holder: graphs.NOBODY, isHeld: false };
    return { hold: asked[piece], holder: holder[piece], isHeld: isHeld[piece] === 1 };
  }

  /** Finds the piece of a wait for a lock that covers the instant before `time`. @param at place of the wait's edge */
  #findPiece(at: number, time: number, edge: graphs.Edge): number {
    const { worker, begin, end, row } = this.#edges;
    const pieces = this.waits.piecesOf(row[at]);
    const { to, holder, isHeld } = pieces;
    const piece = firstWhere(0, pieces.length, (each) => to[each] >= time);
    edge.begin = Math.max(begin[at], piece > 0 ? to[piece - 1] : -Infinity);
    edge.end = edge.signal = Math.min(end[at], to[piece]);
    edge.label = BLOCKED;
    edge.cause = this.waits.cause[row[at]];
    edge.source = holder[piece];
    edge.interrupt = graphs.NOBODY;
    edge.frame = 0;
    edge.lockWait = row[at];
    edge.isHeld = isHeld[piece] === 1;
    edge.isBounded = false;
    edge.worker = worker[at];
    return edge.isHeld ? graphs.FOUND : this.#findFree(worker[at], time, edge, pieces, piece);
  }

  /** Fills `edge`, a wait in a piece without holder, with what was done just before `time`. */
  #findFree(worker: GraphWorker, time: number, edge: graphs.Edge, pieces: LockPieces, piece: number): number {
    const own = this.#own;
    const found = this.#below.find(worker, time, own);
    if (found === graphs.MISSING) return found;
    if (found !== graphs.FOUND) {
      if (found === graphs.AFTER_LIFE) edge.begin = Math.max(edge.begin, own.end);
      edge.label = UNKNOWN;
      edge.cause = REASON_NOT_TRACED;
      return graphs.FOUND;
    }
    edge.begin = Math.max(edge.begin, own.begin);
    if (own.label !== BLOCKED) {
      edge.label = own.label;
      edge.cause = own.cause;
      return graphs.FOUND;
    }
    const giver = own.end <= pieces.to[piece] ? this.facts.wakerOf(worker, own) : graphs.NOBODY;
    if (giver !== graphs.NOBODY) return this.#takeOther(giver, time, edge);
    const next = piece + 1;
    if (next === pieces.length || pieces.holder[next] === graphs.NOBODY) return graphs.FOUND;
    const asked = pieces.asked[next];
    if (asked >= time) return graphs.FOUND;
    edge.begin = Math.max(edge.begin, asked);
    return this.#takeOther(pieces.holder[next], time, edge);
  }

  /** Sets `edge` to that of another worker if it runs or waits for a CPU just before `time`. */
  #takeOther(worker: GraphWorker, time: number, edge: graphs.Edge): number {
    const other = this.#other;
    const found = this.#below.find(worker, time, other);
    if (found === graphs.MISSING) return found;
    if (found === graphs.BEFORE_LIFE) return graphs.FOUND;
    edge.begin = Math.max(edge.begin, found === graphs.FOUND ? other.begin : other.end);
    if (found !== graphs.FOUND || (other.label !== RUNNING && other.label !== PREEMPTED)) return graphs.FOUND;
    edge.worker = worker;
    edge.label = other.label;
    edge.cause = other.cause;
    return graphs.FOUND;
  }
}

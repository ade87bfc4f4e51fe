/**
 * The closure of a worker over a range: its pieces of time, and for each of its waits that a signal ended the pieces of
 * the worker that gave the signal, from the range's begin to the signal, and so on. What `replay.ts` replays.
 */
import { GrowingTable, ordered } from '../base/columns.ts';
import { firstWhere } from '../base/lower-bound.ts';
import * as g from './execution-graph.ts';
import type { ExecutionGraph, GraphWorker } from './execution-graph.ts';
import { nextTask } from './find-path.ts';
import { type GraphLockWaits, HANDED_OVER, type LockEdges, lockEdges } from './lock-waits.ts';
import { followPackets } from './packet-trail.ts';
import { BLOCKED, NETWORK, REASON_NOT_TRACED, UNKNOWN } from './path-codes.ts';

/** Pieces of workers, by worker and time; those of a worker touch. */
interface Pieces {
  readonly length: number;
  /** Number of the worker in `ClosureWorkers`. */
  readonly owner: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** RUNNING, PREEMPTED, BLOCKED, UNKNOWN. */
  readonly label: Uint8Array;
  /** Cause, as that of the edge. */
  readonly cause: Float64Array;
  /** Row of the wait for a lock that the piece is, -1: none. */
  readonly lockWait: Int32Array;
  /** Number of the worker whose signal ended the piece, -1: none in the closure. */
  readonly source: Int32Array;
  /** Time of the source at which it gave the signal or sent the packet. */
  readonly signal: Float64Array;
  /** Part of the time from `signal` to the piece's end in which a packet was on its way, ns. */
  readonly transit: Float64Array;
}

/** The workers of a closure; the first one is the worker studied. */
interface ClosureWorkers {
  readonly length: number;
  readonly worker: Int32Array;
  /** Pieces of worker i are rows [first[i], first[i + 1]). */
  readonly first: Int32Array;
  /** Number of the worker that created it within the range, -1: none. */
  readonly creator: Int32Array;
}

/**
 * Others that one signal set free together with the waiter of a piece, as at a barrier: it may have been given because all
 * of them had come. By row of the piece.
 */
interface Fellows {
  readonly length: number;
  readonly row: Int32Array;
  /** Number of the worker, and time at which it began to wait. */
  readonly owner: Int32Array;
  readonly time: Float64Array;
}

/** Finds the fellows of a wait by its worker and a time within it, with the times at which they began to wait. */
export type FellowsOf = (
  worker: GraphWorker,
  time: number,
) => readonly { readonly worker: GraphWorker; readonly time: number }[];

export interface Closure {
  readonly from: number;
  readonly to: number;
  readonly pieces: Pieces;
  readonly workers: ClosureWorkers;
  readonly fellows: Fellows;
  /** Signals of workers outside the closure, which came after `MOST_PIECES`: they stay as they were. */
  readonly leftOut: number;
}

/** Pieces of a closure, at most: a trace of any size answers, in seconds. */
const MOST_PIECES = 500_000;
/** Pieces between two looks at `isWanted`. */
const PIECES_AT_ONCE = 50_000;

export interface ClosureQuestion {
  readonly worker: GraphWorker;
  readonly from: number;
  readonly to: number;
  /** Waits for locks with known holders, which are pieces of their own. */
  readonly locks?: GraphLockWaits;
  readonly fellowsOf?: FellowsOf;
  /** Default: MOST_PIECES. */
  readonly most?: number;
}

/** @returns undefined when nobody wanted it any more */
export async function readClosure(
  graph: ExecutionGraph,
  question: ClosureQuestion,
  isWanted: () => boolean = () => true,
): Promise<Closure | undefined> {
  const { worker, to } = question;
  const reader = new ClosureReader(graph, question);
  reader.need(worker, to);
  for (let next = PIECES_AT_ONCE; !reader.isDone();) {
    if (!reader.read()) await graph.load();
    if (reader.length < next) continue;
    next = reader.length + PIECES_AT_ONCE;
    await nextTask();
    if (!isWanted()) return undefined;
  }
  return reader.finish(to);
}

const emptyPieces = () => ({
  owner: new Int32Array(0),
  begin: new Float64Array(0),
  end: new Float64Array(0),
  label: new Uint8Array(0),
  cause: new Float64Array(0),
  lockWait: new Int32Array(0),
  source: new Int32Array(0),
  signal: new Float64Array(0),
  transit: new Float64Array(0),
});

const emptyFellows = () => ({
  row: new Int32Array(0),
  owner: new Int32Array(0),
  time: new Float64Array(0),
});

class ClosureReader {
  readonly #graph: ExecutionGraph;
  readonly #waits: GraphLockWaits | undefined;
  readonly #lockEdges: LockEdges | undefined;
  readonly #from: number;
  readonly #most: number;
  /** Pieces in the order in which they were read; `source` names a worker of the graph. */
  readonly #table = new GrowingTable(emptyPieces());
  readonly #numbers = new Map<GraphWorker, number>();
  readonly #workers: GraphWorker[] = [];
  readonly #creators: GraphWorker[] = [];
  /** Times up to which the pieces of each worker are read or will be. */
  readonly #readTo: number[] = [];
  /** `owner` is a worker of the graph. */
  readonly #fellows = new GrowingTable(emptyFellows());
  readonly #fellowsOf: FellowsOf | undefined;
  /** Stretches still to be read, backward in time. */
  readonly #open: { readonly owner: number; readonly from: number; time: number }[] = [];
  readonly #edge = new g.Edge();
  #leftOut = 0;

  constructor(graph: ExecutionGraph, { locks, fellowsOf, from, most = MOST_PIECES }: ClosureQuestion) {
    this.#graph = graph;
    this.#waits = locks;
    this.#lockEdges = locks && lockEdges(locks);
    this.#fellowsOf = fellowsOf;
    this.#from = from;
    this.#most = most;
  }

  get length(): number {
    return this.#table.length;
  }

  isDone(): boolean {
    return this.#open.length === 0;
  }

  /** The pieces of a worker are needed up to a time. @returns whether there is room for them */
  need(worker: GraphWorker, time: number): boolean {
    let owner = this.#numbers.get(worker);
    if (owner === undefined) {
      if (this.length >= this.#most) return false;
      owner = this.#workers.push(worker) - 1;
      this.#numbers.set(worker, owner);
      this.#creators.push(g.NOBODY);
      this.#readTo.push(this.#from);
    }
    const from = this.#readTo[owner];
    if (time <= from) return true;
    if (this.length >= this.#most) return false;
    this.#readTo[owner] = time;
    this.#open.push({ owner, from, time });
    return true;
  }

  /** Reads the piece before the time that the newest stretch has come to. @returns false where it is not in memory */
  read(): boolean {
    const stretch = this.#open[this.#open.length - 1];
    const { owner, from, time } = stretch;
    const worker = this.#workers[owner];
    const edge = this.#edge;
    const found = this.#find(worker, time);
    if (found === g.MISSING) return false;
    if (found === g.BEFORE_LIFE) {
      this.#open.pop();
      const creator = this.#graph.creatorOf(worker, time);
      if (creator !== g.NOBODY && this.need(creator, time)) this.#creators[owner] = creator;
      return true;
    }
    const begin = Math.max(from, found === g.FOUND ? edge.begin : edge.end);
    const row = this.#table.addRow();
    const { rows } = this.#table;
    rows.owner[row] = owner;
    rows.begin[row] = begin;
    rows.end[row] = time;
    rows.label[row] = found === g.FOUND ? edge.label : UNKNOWN;
    rows.cause[row] = found === g.FOUND ? edge.cause : REASON_NOT_TRACED;
    rows.lockWait[row] = found === g.FOUND ? edge.lockWait : -1;
    rows.source[row] = g.NOBODY;
    rows.signal[row] = NaN;
    stretch.time = begin;
    if (begin <= from) this.#open.pop();
    if (found === g.FOUND && edge.label === BLOCKED && edge.end === time) this.#takeSignal(row);
    return true;
  }

  finish(to: number): Closure {
    const { rows, length } = this.#table;
    const order = Uint32Array.from({ length }, (_, row) => row);
    order.sort((a, b) => rows.owner[a] - rows.owner[b] || rows.begin[a] - rows.begin[b]);
    const sorted = ordered(rows, order);
    const places = new Int32Array(length);
    order.forEach((row, place) => (places[row] = place));
    const fellows = this.#fellows.toTable();
    for (let i = 0; i < fellows.length; i++) {
      fellows.row[i] = places[fellows.row[i]];
      fellows.owner[i] = this.#numbers.get(fellows.owner[i]) ?? -1;
    }
    for (let i = 0; i < length; i++) sorted.source[i] = this.#numbers.get(sorted.source[i]) ?? -1;
    const first = new Int32Array(this.#workers.length + 1);
    for (let i = 0; i < length; i++) first[sorted.owner[i] + 1]++;
    for (let i = 0; i < this.#workers.length; i++) first[i + 1] += first[i];
    const workers = {
      length: this.#workers.length,
      worker: Int32Array.from(this.#workers),
      first,
      creator: Int32Array.from(this.#creators, (worker) => this.#numbers.get(worker) ?? -1),
    };
    const pieces = { ...sorted, length };
    return { from: this.#from, to, pieces, workers, fellows, leftOut: this.#leftOut };
  }

  /** Fills the edge before a time, a wait for a lock where the worker waits for one then. */
  #find(worker: GraphWorker, time: number): number {
    const edge = this.#edge;
    const edges = this.#lockEdges;
    const at = edges === undefined ? -1 : edges.firstFrom(worker, time) - 1;
    const isBehind = edges !== undefined && at >= 0 && edges.worker[at] === worker;
    if (isBehind && edges.end[at] >= time) {
      const row = edges.row[at];
      const { end, outcome, by, cause } = this.#waits ?? NO_WAITS;
      const isHandedOver = outcome[row] === HANDED_OVER && end[row] === edges.end[at];
      edge.begin = edges.begin[at];
      edge.end = edge.signal = edges.end[at];
      edge.label = BLOCKED;
      edge.cause = cause[row];
      edge.source = isHandedOver ? by[row] : g.NOBODY;
      edge.frame = 0;
      edge.lockWait = row;
      return g.FOUND;
    }
    const found = this.#graph.find(worker, time, edge);
    if (found === g.FOUND) edge.lockWait = -1;
    if (found === g.FOUND && isBehind) edge.begin = Math.max(edge.begin, edges.end[at]);
    if (found === g.AFTER_LIFE && isBehind) edge.end = Math.max(edge.end, edges.end[at]);
    return found;
  }

  /** Notes what ended the wait in `row`, and that the pieces of who did are needed. */
  #takeSignal(row: number): void {
    const { source, signal, frame } = this.#edge;
    const { rows } = this.#table;
    const begin = rows.begin[row];
    if (source === g.NOBODY || signal <= begin) return;
    let [worker, at, transit] = [source, signal, 0];
    if (frame > 0) {
      const trail = followPackets(this.#graph, source, frame, signal);
      if (trail === undefined || trail.sender === g.NOBODY || trail.hops.length === 0) return;
      worker = trail.sender;
      let to = signal;
      for (const { from, label } of trail.hops) {
        if (label === NETWORK) transit += to - from;
        to = from;
      }
      at = to;
    }
    // What was sent before the range is as it was; clocks of two hosts may disagree.
    if (at <= this.#from || at > rows.end[row] || worker === this.#workers[rows.owner[row]]) return;
    if (!this.need(worker, at)) {
      this.#leftOut++;
      return;
    }
    rows.source[row] = worker;
    rows.signal[row] = at;
    rows.transit[row] = transit;
    if (frame > 0 || this.#fellowsOf === undefined) return;
    for (const fellow of this.#fellowsOf(this.#workers[rows.owner[row]], rows.end[row])) {
      if (fellow.time <= this.#from || fellow.time >= at || !this.need(fellow.worker, fellow.time)) continue;
      const next = this.#fellows.addRow();
      this.#fellows.rows.row[next] = row;
      this.#fellows.rows.owner[next] = fellow.worker;
      this.#fellows.rows.time[next] = fellow.time;
    }
  }
}

const NO_WAITS = {
  end: new Float64Array(0),
  outcome: new Uint8Array(0),
  by: new Int32Array(0),
  cause: new Float64Array(0),
};

/** Row of the first piece of a worker that ends behind `time`; that behind its last one: none does. */
export function firstPieceEndingAfter(
  { pieces: { end }, workers }: Closure,
  owner: number,
  time: number,
): number {
  return firstWhere(workers.first[owner], workers.first[owner + 1], (at) => end[at] > time);
}

/** Row of the piece of a worker that covers the instant before `time`, -1: none. */
export function pieceBefore({ pieces, workers }: Closure, owner: number, time: number): number {
  const { begin, end } = pieces;
  const [low, high] = [workers.first[owner], workers.first[owner + 1]];
  const row = firstWhere(low, high, (at) => begin[at] >= time) - 1;
  return row >= low && end[row] >= time ? row : -1;
}

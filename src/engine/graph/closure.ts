/** Closure of a worker over a range: its pieces, and those of the workers whose signals ended its waits, up to those signals. */
import { GrowingTable, ordered } from '../base/columns.ts';
import { f64, i32, noRows, type ReadRows, u8 } from '../base/tables.ts';
import { firstWhere } from '../base/lower-bound.ts';
import * as graphs from './execution-graph.ts';
import type { ExecutionGraph, GraphWorker } from './execution-graph.ts';
import { nextTask } from '../base/next-task.ts';
import { type GraphLockWaits, HANDED_OVER, type LockEdges, lockEdges } from './lock-waits.ts';
import { followPackets } from './packet-trail.ts';
import { BLOCKED, NETWORK, REASON_NOT_TRACED, UNKNOWN } from './path-codes.ts';

/** Columns of pieces. */
const PIECES = {
  /** Number of the worker in `ClosureWorkers`. */
  owner: i32(),
  begin: f64(),
  end: f64(),
  label: u8(),
  cause: f64(),
  /** Row of the wait for a lock that contains the piece, -1: none. */
  lockWait: i32(),
  /** Number of the worker whose signal ended the piece, -1: none in the closure. */
  source: i32(),
  /** Time at which the source gave the signal or sent the packet, on the source's timeline. */
  signal: f64(),
  /** Time between `signal` and the piece's end in which a packet was in transit, ns. */
  transit: f64(),
  /** 1: a signal from outside the closure ended the piece; its time is the same whatever is changed. */
  isFixed: u8(),
  /** Number of the group of waits that one signal ended together, -1: none. */
  group: i32(),
};

/** Workers of a closure; the first one is the worker studied. */
interface ClosureWorkers {
  readonly length: number;
  readonly worker: Int32Array;
  /** Pieces of worker i are rows [first[i], first[i + 1]). */
  readonly first: Int32Array;
  /** Number of the worker that created it within the range, -1: none. */
  readonly creator: Int32Array;
}

/** A worker that waits with others, and the time at which it began to. */
interface Waiter {
  readonly worker: GraphWorker;
  readonly time: number;
}

/**
 * Finds the workers that one signal woke together with a worker that waited at a time, as at a barrier: the same list
 * for each of them.
 */
export type TogetherWith = (worker: GraphWorker, time: number) => readonly Waiter[] | undefined;

export interface Closure {
  readonly from: number;
  readonly to: number;
  /** Pieces by worker and time; those of a worker are contiguous. */
  readonly pieces: ReadRows<typeof PIECES>;
  readonly workers: ClosureWorkers;
  /** Waiters of each group: number of the worker, and time at which it began to wait. */
  readonly groups: readonly (readonly { readonly owner: number; readonly time: number }[])[];
  /** Number of signals and stretches of time that were not read because of `MOST_PIECES`; they stay as recorded. */
  readonly leftOut: number;
}

/** Pieces of a closure at most, so that a trace of any size is answered within seconds. */
const MOST_PIECES = 500_000;
/** Pieces between two looks at `isWanted`. */
const PIECES_AT_ONCE = 50_000;

export interface ClosureQuestion {
  readonly worker: GraphWorker;
  readonly from: number;
  readonly to: number;
  /** Waits for locks with known holders, which become pieces of their own. */
  readonly locks?: GraphLockWaits;
  readonly togetherWith?: TogetherWith;
  readonly most?: number;
}

/** @returns undefined: nobody wanted it any more */
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

class ClosureReader {
  readonly #graph: ExecutionGraph;
  readonly #locks: { readonly waits: GraphLockWaits; readonly edges: LockEdges } | undefined;
  readonly #from: number;
  readonly #most: number;
  /** Pieces in reading order; `source` is a worker of the graph. */
  readonly #table = new GrowingTable(noRows(PIECES));
  readonly #numbers = new Map<GraphWorker, number>();
  readonly #workers: GraphWorker[] = [];
  readonly #creators: GraphWorker[] = [];
  /** Time up to which the pieces of each worker are or will be read. */
  readonly #readTo: number[] = [];
  readonly #groups = new Map<readonly Waiter[], number>();
  readonly #togetherWith: TogetherWith | undefined;
  readonly #to: number;
  /** Stretches still to be read, backward in time. */
  readonly #open: { readonly owner: number; readonly from: number; time: number }[] = [];
  readonly #edge = new graphs.Edge();
  #leftOut = 0;

  constructor(graph: ExecutionGraph, { locks, togetherWith, from, to, most = MOST_PIECES }: ClosureQuestion) {
    this.#graph = graph;
    this.#locks = locks && { waits: locks, edges: lockEdges(locks) };
    this.#togetherWith = togetherWith;
    this.#to = to;
    this.#from = from;
    this.#most = most;
  }

  get length(): number {
    return this.#table.length;
  }

  isDone(): boolean {
    return this.#open.length === 0;
  }

  /** Requests the pieces of a worker up to a time. @returns whether there is room for them */
  need(worker: GraphWorker, time: number): boolean {
    let owner = this.#numbers.get(worker);
    if (owner === undefined) {
      if (this.length >= this.#most) return false;
      owner = this.#workers.push(worker) - 1;
      this.#numbers.set(worker, owner);
      this.#creators.push(graphs.NOBODY);
      this.#readTo.push(this.#from);
    }
    const from = this.#readTo[owner];
    if (time <= from) return true;
    if (this.length >= this.#most) return false;
    this.#readTo[owner] = time;
    this.#open.push({ owner, from, time });
    return true;
  }

  /** Reads the piece before the time that the newest stretch has reached. @returns false: it is not in memory */
  read(): boolean {
    const stretch = this.#open[this.#open.length - 1];
    const { owner, from, time } = stretch;
    const worker = this.#workers[owner];
    const edge = this.#edge;
    if (this.length >= this.#most) {
      this.#open.pop();
      this.#leftOut++;
      return true;
    }
    const found = this.#find(worker, time);
    if (found === graphs.MISSING) return false;
    if (found === graphs.BEFORE_LIFE) {
      this.#open.pop();
      const creator = this.#graph.facts.creatorOf(worker, time);
      if (creator !== graphs.NOBODY && this.need(creator, time)) this.#creators[owner] = creator;
      return true;
    }
    const begin = Math.max(from, found === graphs.FOUND ? edge.begin : edge.end);
    const row = this.#table.addRow();
    const { rows } = this.#table;
    rows.owner[row] = owner;
    rows.begin[row] = begin;
    rows.end[row] = time;
    rows.label[row] = found === graphs.FOUND ? edge.label : UNKNOWN;
    rows.cause[row] = found === graphs.FOUND ? edge.cause : REASON_NOT_TRACED;
    rows.lockWait[row] = found === graphs.FOUND ? edge.lockWait : -1;
    rows.source[row] = graphs.NOBODY;
    rows.signal[row] = NaN;
    rows.group[row] = -1;
    stretch.time = begin;
    if (begin <= from) this.#open.pop();
    // The range may end inside a wait of the worker studied, which until then waited for the same signal.
    const isCut = owner === 0 && time === this.#to && edge.frame === 0;
    if (found === graphs.FOUND && edge.label === BLOCKED && (edge.end === time || isCut))
      this.#takeSignal(row);
    return true;
  }

  finish(to: number): Closure {
    const { rows, length } = this.#table;
    const order = Uint32Array.from({ length }, (_, row) => row);
    order.sort((a, b) => rows.owner[a] - rows.owner[b] || rows.begin[a] - rows.begin[b]);
    const sorted = ordered(rows, order);
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
    const groups = Array.from(this.#groups.keys(), (waiters) =>
      waiters.flatMap(({ worker, time }) => {
        const owner = this.#numbers.get(worker);
        return owner === undefined ? [] : [{ owner, time }];
      }),
    );
    return { from: this.#from, to, pieces, workers, groups, leftOut: this.#leftOut };
  }

  /** Fills `edge` with the edge before a time, or with the wait for a lock that the worker is in then. */
  #find(worker: GraphWorker, time: number): number {
    const edge = this.#edge;
    const { waits, edges } = this.#locks ?? {};
    const at = edges === undefined ? -1 : edges.firstFrom(worker, time) - 1;
    const isBehind = edges !== undefined && at >= 0 && edges.worker[at] === worker;
    if (waits !== undefined && isBehind && edges.end[at] >= time) {
      const row = edges.row[at];
      const { end, outcome, by, cause } = waits;
      const isHandedOver = outcome[row] === HANDED_OVER && end[row] === edges.end[at];
      edge.begin = edges.begin[at];
      edge.end = edge.signal = edges.end[at];
      edge.label = BLOCKED;
      edge.cause = cause[row];
      edge.source = isHandedOver ? by[row] : graphs.NOBODY;
      edge.frame = 0;
      edge.lockWait = row;
      return graphs.FOUND;
    }
    const found = this.#graph.find(worker, time, edge);
    if (found === graphs.FOUND) edge.lockWait = -1;
    if (found === graphs.FOUND && isBehind) edge.begin = Math.max(edge.begin, edges.end[at]);
    if (found === graphs.AFTER_LIFE && isBehind) edge.end = Math.max(edge.end, edges.end[at]);
    return found;
  }

  /** Notes what ended the wait in `row`, and requests the pieces of its source. */
  #takeSignal(row: number): void {
    const { source, signal, frame } = this.#edge;
    const { rows } = this.#table;
    const begin = rows.begin[row];
    if (source === graphs.NOBODY || signal <= begin) return;
    let [worker, at, transit] = [source, Math.min(signal, rows.end[row]), 0];
    if (frame > 0) {
      const trail = followPackets(this.#graph.facts, source, frame, signal);
      if (trail === undefined || trail.sender === graphs.NOBODY || trail.hops.length === 0) return;
      worker = trail.sender;
      let to = signal;
      for (const { from, label } of trail.hops) {
        if (label === NETWORK) transit += to - from;
        to = from;
      }
      at = to;
    }
    // Clocks of two hosts may disagree.
    if (at > rows.end[row] || worker === this.#workers[rows.owner[row]]) return;
    const isBefore = at <= this.#from;
    if (isBefore || !this.need(worker, at)) {
      if (!isBefore) this.#leftOut++;
      rows.isFixed[row] = 1;
      return;
    }
    rows.source[row] = worker;
    rows.signal[row] = at;
    rows.transit[row] = transit;
    if (frame === 0 && rows.lockWait[row] < 0) this.#takeGroup(row);
  }

  /** Notes the workers woken together with the waiter in `row`, and requests their pieces up to their waits. */
  #takeGroup(row: number): void {
    const { rows } = this.#table;
    const waiters = this.#togetherWith?.(this.#workers[rows.owner[row]], rows.end[row]);
    if (waiters === undefined) return;
    rows.group[row] = this.#groups.get(waiters) ?? this.#groups.size;
    if (this.#groups.has(waiters)) return;
    this.#groups.set(waiters, this.#groups.size);
    for (const { worker, time } of waiters) this.need(worker, time);
  }
}

/** Row of a worker's first piece that ends after `time`; the row after its last piece: none does. */
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

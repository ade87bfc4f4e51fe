/** Waits for locks for a graph (`lock-graph.ts`), as times of workers; `engine/layers/locks` finds them. */
import { GrowingTable, rowNumbers } from '../base/columns.ts';
import { f64, i32, noRows, type ReadRows, u8 } from '../base/tables.ts';
import { firstWhere } from '../base/lower-bound.ts';
import { rowsBy } from '../base/rows-by.ts';
import { orderBy } from '../base/stable-order.ts';
import type { GraphWorker } from './execution-graph.ts';

/** Outcomes of a wait: the lock was handed over, the wait ended without it, it never ended. */
export const HANDED_OVER = 0;
export const FAILED = 1;
export const UNENDED = 2;

/** Times of workers, in any order. */
export const WORKER_TIMES = { worker: i32(), begin: f64(), end: f64() };
export type BoundedTimes = ReadRows<typeof WORKER_TIMES>;

/** Waits: times of the graph of the request, and of the hand-over or, without one, of the end of the wait. */
export const WORKER_WAITS = {
  ...WORKER_TIMES,
  /** Time at which the worker went on, which may be later than the hand-over if it waited for a CPU. */
  until: f64(),
  outcome: u8(),
  /** Worker that handed the lock over or, without hand-over, held it at the end; NOBODY: not known. */
  by: i32(),
  /** Number of a cause (`Edge.cause`) that names the lock. */
  cause: f64(),
};

export interface GraphLockWaits extends ReadRows<typeof WORKER_WAITS> {
  /** Pieces of a wait by holder, in order of time; they tile [begin, end]. */
  readonly piecesOf: (row: number) => LockPieces;
  /** Times in which workers may have waited for a lock without a known holder. */
  readonly bounded: BoundedTimes;
}

/** Pieces of one wait. */
export const LOCK_PIECES = {
  to: f64(),
  /** Worker that held the lock; NOBODY: nobody, or none of the graph. */
  holder: i32(),
  isHeld: u8(),
  /** Time at which the holder had asked for the lock; Infinity: not known. */
  asked: f64(),
};
export type LockPieces = ReadRows<typeof LOCK_PIECES>;

/** Rows of some waits by worker, each worker's by begin. */
export class RowsByWorker {
  readonly rows: Int32Array;
  /** Rows of worker w: [start[w], start[w + 1]). */
  readonly #start: Int32Array;

  constructor({ length, worker, begin, end }: BoundedTimes, isWanted?: (row: number) => boolean) {
    const rows = rowNumbers(0, length);
    const byTime = orderBy(begin, (a, b) => end[a] - end[b], isWanted ? rows.filter(isWanted) : rows);
    const ofRows = new Int32Array(byTime.length);
    let workers = 0;
    for (let i = 0; i < ofRows.length; i++) {
      ofRows[i] = worker[byTime[i]];
      if (ofRows[i] >= workers) workers = ofRows[i] + 1;
    }
    const { start, order } = rowsBy(ofRows, workers);
    for (let i = 0; i < order.length; i++) order[i] = byTime[order[i]];
    this.#start = start;
    this.rows = order;
  }

  get workers(): number {
    return this.#start.length - 1;
  }

  from(worker: GraphWorker): number {
    return worker < this.workers ? this.#start[worker] : 0;
  }

  to(worker: GraphWorker): number {
    return worker < this.workers ? this.#start[worker + 1] : 0;
  }

  of(worker: GraphWorker): Int32Array {
    return this.rows.subarray(this.from(worker), this.to(worker));
  }
}

/** Columns of edges; `row` is that of the wait. */
const EDGES = { ...WORKER_TIMES, row: i32() };

/** Edges of workers that wait for locks, disjoint for each worker. Of overlapping waits the one that began later counts. */
export interface LockEdges extends ReadRows<typeof EDGES> {
  /** Place of the worker's first edge that begins at `time` or later; past its last one: none. */
  firstFrom(worker: GraphWorker, time: number): number;
}

export function lockEdges(waits: GraphLockWaits): LockEdges {
  const rows = new RowsByWorker(waits);
  const start = new Int32Array(rows.workers + 1);
  const builder = new EdgeBuilder(waits);
  for (let worker = 0; worker < rows.workers; worker++) {
    for (let at = rows.from(worker); at < rows.to(worker); at++) builder.take(rows.rows[at]);
    builder.endWorker();
    start[worker + 1] = builder.table.length;
  }
  const edges = builder.table.toTable();
  const { begin } = edges;
  return {
    ...edges,
    firstFrom(worker, time) {
      if (worker >= rows.workers) return begin.length;
      return firstWhere(start[worker], start[worker + 1], (at) => begin[at] >= time);
    },
  };
}

/** Takes waits by worker, each worker's by begin. */
class EdgeBuilder {
  readonly table = new GrowingTable(noRows(EDGES));
  /** Rows of the worker's waits that go on, outermost first. */
  readonly #open: number[] = [];
  /** End of the worker's last edge. */
  #at = -Infinity;

  constructor(private readonly waits: GraphLockWaits) {}

  take(row: number): void {
    const { begin } = this.waits;
    this.#endBy(begin[row]);
    const around = this.#open.at(-1);
    if (around !== undefined) this.#add(around, begin[row]);
    this.#open.push(row);
  }

  endWorker(): void {
    this.#endBy(Infinity);
    this.#at = -Infinity;
  }

  #endBy(time: number): void {
    const { end } = this.waits;
    for (let row = this.#open.at(-1); row !== undefined && end[row] <= time; row = this.#open.at(-1)) {
      this.#open.pop();
      this.#add(row, end[row]);
    }
  }

  /** Adds the rest of a wait up to `end`. */
  #add(row: number, end: number): void {
    const { worker, begin } = this.waits;
    const from = Math.max(this.#at, begin[row]);
    if (!(from < end)) return;
    const at = this.table.addRow();
    const { rows } = this.table;
    rows.worker[at] = worker[row];
    rows.begin[at] = from;
    rows.end[at] = this.#at = end;
    rows.row[at] = row;
  }
}

/** Finds whether a stretch of time lies within a bounded time of its worker. */
export function boundedIndex(
  times: BoundedTimes,
): (worker: GraphWorker, from: number, to: number) => boolean {
  const { worker: workers, begin, end } = times;
  const byWorker = new RowsByWorker(times);
  const { rows } = byWorker;
  /** Latest end of the worker's times up to each place. */
  const reach = new Float64Array(rows.length);
  rows.forEach((row, at) => {
    const isFirst = at === 0 || workers[rows[at - 1]] !== workers[row];
    reach[at] = isFirst ? end[row] : Math.max(reach[at - 1], end[row]);
  });
  return (worker, from, to) => {
    const first = byWorker.from(worker);
    const at = firstWhere(first, byWorker.to(worker), (each) => begin[rows[each]] > from) - 1;
    return at >= first && reach[at] >= to;
  };
}

/**
 * Waits for locks, as events of user space tell them, for a graph (`lock-graph.ts`). What they are waits for is the
 * business of `engine/locks`: here they are times of workers.
 */
import { trimmed, widen } from '../base/columns.ts';
import { firstWhere } from '../base/lower-bound.ts';
import { type GraphWorker, NOBODY } from './execution-graph.ts';

/** Outcome of a wait. The lock was handed over: the worker waited up to then, whatever the kernel shows. */
export const HANDED_OVER = 0;
/** Outcome of a wait that never ended: what the worker was blocked for in it, it was blocked for by the lock. */
export const UNENDED = 1;
/**
 * Outcome of a wait that ended without the lock, or of which only the kernel tells: its blocked edges stay as they are.
 */
export const AS_BLOCKED = 2;

/** Waits in any order. */
export interface GraphLockWaits {
  readonly length: number;
  readonly worker: Int32Array;
  /** Times of the graph: the request, and the hand-over or, of others, the end of the wait. */
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** HANDED_OVER, UNENDED or AS_BLOCKED. */
  readonly outcome: Uint8Array;
  /** Worker that handed the lock over or, of others, held it at the end; NOBODY: not known. */
  readonly by: Int32Array;
  /** Number of a cause (`Edge.cause`) which names the lock. */
  readonly cause: Float64Array;
}

/** Rows of some waits by worker, those of each in order of their begin. */
class RowsByWorker {
  readonly rows: Int32Array;
  /** Rows of worker w: [start[w], start[w + 1]). */
  readonly #start: Int32Array;

  constructor({ length, worker, begin, end }: GraphLockWaits, isWanted: (row: number) => boolean) {
    this.rows = Int32Array.from({ length }, (_, row) => row)
      .filter(isWanted)
      .sort((a, b) => worker[a] - worker[b] || begin[a] - begin[b] || end[b] - end[a] || a - b);
    const workers = this.rows.length === 0 ? 0 : worker[this.rows[this.rows.length - 1]] + 1;
    this.#start = new Int32Array(workers + 1);
    for (const row of this.rows) this.#start[worker[row] + 1]++;
    for (let w = 0; w < workers; w++) this.#start[w + 1] += this.#start[w];
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
}

/**
 * Edges of workers that wait for a lock until it is handed over; those of one worker are disjoint. A wait within another
 * (of a signal handler) cuts it: no signal ended the part before.
 */
export interface LockEdges {
  readonly worker: Int32Array;
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly by: Int32Array;
  readonly cause: Float64Array;
  /** Place of the worker's first edge that begins at `time` or later: behind its last one there is none. */
  firstFrom(worker: GraphWorker, time: number): number;
}

export function lockEdges(waits: GraphLockWaits): LockEdges {
  const rows = new RowsByWorker(waits, (row) => waits.outcome[row] === HANDED_OVER);
  const start = new Int32Array(rows.workers + 1);
  const builder = new EdgeBuilder(waits);
  for (let worker = 0; worker < rows.workers; worker++) {
    for (let at = rows.from(worker); at < rows.to(worker); at++) builder.take(rows.rows[at]);
    builder.endWorker();
    start[worker + 1] = builder.length;
  }
  const edges = builder.finish();
  const { begin } = edges;
  return {
    ...edges,
    firstFrom(worker, time) {
      if (worker >= rows.workers) return begin.length;
      return firstWhere(start[worker], start[worker + 1], (at) => begin[at] >= time);
    },
  };
}

/** Takes waits by worker, those of each in order of their begin. */
class EdgeBuilder {
  length = 0;
  readonly #waits: GraphLockWaits;
  readonly #columns = {
    worker: new Int32Array(0),
    begin: new Float64Array(0),
    end: new Float64Array(0),
    by: new Int32Array(0),
    cause: new Float64Array(0),
  };
  /** Rows of the worker's waits that go on, the outermost first. */
  readonly #open: number[] = [];
  /** End of the worker's last edge. */
  #at = -Infinity;

  constructor(waits: GraphLockWaits) {
    this.#waits = waits;
  }

  take(row: number): void {
    const { begin } = this.#waits;
    this.#endBy(begin[row]);
    const around = this.#open.at(-1);
    if (around !== undefined) this.#add(around, begin[row], NOBODY);
    this.#open.push(row);
  }

  endWorker(): void {
    this.#endBy(Infinity);
    this.#at = -Infinity;
  }

  finish() {
    return trimmed(this.#columns, this.length);
  }

  #endBy(time: number): void {
    const { end, by } = this.#waits;
    for (let row = this.#open.at(-1); row !== undefined && end[row] <= time; row = this.#open.at(-1)) {
      this.#open.pop();
      this.#add(row, end[row], by[row]);
    }
  }

  /** Adds the rest of a wait up to `end`. */
  #add(row: number, end: number, by: GraphWorker): void {
    const { worker, begin, cause } = this.#waits;
    const from = Math.max(this.#at, begin[row]);
    if (!(from < end)) return;
    const c = this.#columns;
    if (this.length === c.begin.length) widen(c);
    const at = this.length++;
    c.worker[at] = worker[row];
    c.begin[at] = from;
    c.end[at] = this.#at = end;
    c.by[at] = by;
    c.cause[at] = cause[row];
  }
}

/** Waits that were not handed over. */
export class VainWaits {
  readonly #waits: GraphLockWaits;
  readonly #rows: RowsByWorker;
  /** Latest end of the worker's waits up to each place. */
  readonly #reach: Float64Array;

  constructor(waits: GraphLockWaits) {
    this.#waits = waits;
    this.#rows = new RowsByWorker(waits, (row) => waits.outcome[row] !== HANDED_OVER);
    const { rows } = this.#rows;
    const { worker, end } = waits;
    this.#reach = new Float64Array(rows.length);
    rows.forEach((row, at) => {
      const isFirst = at === 0 || worker[rows[at - 1]] !== worker[row];
      this.#reach[at] = isFirst ? end[row] : Math.max(this.#reach[at - 1], end[row]);
    });
  }

  /** Rows of the worker's waits, in order of their begin. */
  of(worker: GraphWorker): Int32Array {
    return this.#rows.rows.subarray(this.#rows.from(worker), this.#rows.to(worker));
  }

  /** Row of a wait in which the worker was at `time`, one that never ended if there is such; -1 none. */
  at(worker: GraphWorker, time: number): number {
    const { begin, end, outcome } = this.#waits;
    const { rows } = this.#rows;
    const from = this.#rows.from(worker);
    let found = -1;
    let at = firstWhere(from, this.#rows.to(worker), (each) => begin[rows[each]] > time) - 1;
    for (; at >= from && this.#reach[at] > time; at--) {
      const row = rows[at];
      if (end[row] <= time) continue;
      if (outcome[row] === UNENDED) return row;
      found = row;
    }
    return found;
  }
}

/**
 * Replay of a closure with some of its pieces longer or shorter: when would each piece have ended? Every worker goes
 * through its pieces in order. Work and waits for a CPU take their time; a wait ends when its signal comes, which is
 * when the worker that gives it has got there. A signal that now comes before the wait is kept, and the wait
 * vanishes. The order in which locks were acquired and queues served stays as recorded.
 */
import { firstWhere } from '../base/lower-bound.ts';
import { type Closure, pieceBefore } from './closure.ts';
import { type DiskQueues, TIMER_END, TIMER_NOT_KNOWN } from './piece-details.ts';
import { BLOCKED, PREEMPTED } from './path-codes.ts';
import * as graphs from './execution-graph.ts';
import type { ExecutionGraph } from './execution-graph.ts';

/** Change of a closure, by row of its pieces. */
export interface Change {
  /** Time by which a piece gets shorter, ns; negative: longer. */
  readonly removed: Float64Array;
  /** Waits whose signal is ignored, since what they wait for is changed. */
  readonly isOwn: Uint8Array;
  /** Service time of each request as a share of the recorded one, by row of the requests; absent: 1. */
  readonly ofRequests?: Float64Array;
  /** Time by which the work that ran meanwhile on the CPU gets shorter, for pieces that wait for a CPU, ns. */
  readonly removedMeanwhile: Float64Array;
}

/**
 * `careful`: waits for a CPU keep their length, timers of an unknown kind their end, and a signal that woke several
 * is not given before all of them wait. `hopeful`: a wait for a CPU gets shorter as the work that ran there does,
 * timers of an unknown kind keep their length, and a signal comes as soon as its giver gets there. Whether a device
 * serves requests one after the other is not known: careful takes the later completion, hopeful the earlier one.
 */
export type ReplayMode = 'careful' | 'hopeful';

/** New times of pieces, ns on the graph's axis, not whole numbers. */
export interface Replay {
  readonly begin: Float64Array;
  readonly end: Float64Array;
  /** Time at which the signal that ended a wait is given; NaN: none in the closure. */
  readonly signal: Float64Array;
  /** Number of the worker that delayed the signal last: its giver, or one of a group; -1: none. */
  readonly giver: Int32Array;
}

/** Earlier requests that a request may overtake at most. */
const MOST_PASSED = 256;

/** Replays a closure with one change after the other. */
export class Replayer {
  readonly closure: Closure;
  /** TIMER_* by piece; 0: no timer ended it. */
  readonly #timers: Uint8Array;
  /** Rows of pieces, each after those that it depends on. */
  readonly #order: Uint32Array;
  /** Row of the source's piece that covers the signal, -1: none. */
  readonly #source: Int32Array;
  /** Rows of the pieces that cover the begins of the waits of each group. */
  readonly #groupRows: readonly (readonly number[])[];
  /** Row of the creator's piece that covers the begin of a worker's first one, by worker, -1: none. */
  readonly #birth: Int32Array;

  readonly #disks: DiskQueues | undefined;

  constructor(closure: Closure, timers: Uint8Array, disks?: DiskQueues) {
    this.closure = closure;
    this.#timers = timers;
    this.#disks = disks;
    const { pieces, workers } = closure;
    const { source, signal, begin } = pieces;
    this.#source = source.map((worker, row) => (worker < 0 ? -1 : pieceBefore(closure, worker, signal[row])));
    this.#groupRows = closure.groups.map((waiters) =>
      waiters.map(({ owner, time }) => pieceBefore(closure, owner, time)),
    );
    this.#birth = workers.creator.map((worker, w) =>
      worker < 0 ? -1 : pieceBefore(closure, worker, begin[workers.first[w]]),
    );
    this.#order = this.#inOrder();
  }

  replay(change: Change, mode: ReplayMode): Replay {
    const { removed, isOwn, removedMeanwhile } = change;
    const { pieces, workers, groups } = this.closure;
    const { owner, begin, end, label, signal: signals } = pieces;
    const from = new Float64Array(pieces.length);
    const to = new Float64Array(pieces.length).fill(NaN);
    const signal = new Float64Array(pieces.length).fill(NaN);
    const giver = pieces.source.slice();
    const born = new Float64Array(workers.length).fill(NaN);
    const lengthOf = (row: number): number => {
      const meanwhile = label[row] === PREEMPTED && mode === 'hopeful' ? removedMeanwhile[row] : 0;
      return Math.max(0, end[row] - begin[row] - removed[row] - meanwhile);
    };
    const isFirst = (row: number): boolean => row === workers.first[owner[row]];
    const beginOf = (row: number): number => (isFirst(row) ? born[owner[row]] : to[row - 1]);
    const gates: { readonly owner: number; readonly time: number }[] = [];
    /** The last worker of a group to begin to wait, and when. */
    const gateOf = (group: number) =>
      (gates[group] ??= groups[group].reduce(
        (last, { owner: waiter, time }, i) => {
          const comes = timeIn(this.#groupRows[group][i], time);
          return comes > last.time ? { owner: waiter, time: comes } : last;
        },
        { owner: -1, time: -Infinity },
      ));
    /** New time for a time within a piece; a time without piece, or in a circle of signals at one instant, stays. */
    const timeIn = (row: number, time: number): number => {
      if (row >= 0 && isFirst(row)) this.#bear(owner[row], born, timeIn);
      if (row < 0 || (time === end[row] && Number.isNaN(to[row]))) return time;
      if (time === end[row]) return to[row];
      return beginOf(row) + (time - begin[row]) * (lengthOf(row) / (end[row] - begin[row]));
    };
    const disks = this.#disks;
    const done = new Float64Array(disks?.length ?? 0);
    let served = 0;
    /** Time when a request is made: when its maker gets there, or the request that it waited for completes. */
    const madeAt = ({ made, completed, after, piece }: DiskQueues, request: number): number => {
      const [at, time, last] = [piece[request], made[request], after[request]];
      if (last >= 0) return done[last] + time - completed[last];
      if (at < 0 || label[at] !== BLOCKED) return timeIn(at, time);
      if (isFirst(at)) this.#bear(owner[at], born, timeIn);
      return beginOf(at) + time - begin[at];
    };
    /** Time when a request is completed, after earlier ones. */
    const completionOf = (queues: DiskQueues, wanted: number): number => {
      const { made, completed, before, piece } = queues;
      for (; served <= wanted; served++) {
        const factor = change.ofRequests?.[served] ?? 1;
        const comes = madeAt(queues, served);
        const last = completed[served];
        let first = before[served];
        const alone = comes + (last - made[served]) * factor;
        const turn = first < 0 ? made[served] : Math.max(made[served], completed[first]);
        // A request whose time is fixed but that now comes later does not precede it; only the time bounds those.
        const passes = mode === 'careful' ? MOST_PASSED : 0;
        for (let i = 0; i < passes && first >= 0 && piece[first] < 0 && made[first] > comes; i++)
          first = before[first];
        const free = first < 0 ? -Infinity : done[first];
        const queued = Math.max(comes, free) + (last - turn) * factor;
        done[served] = mode === 'careful' ? Math.max(alone, queued) : Math.min(alone, queued);
      }
      return done[wanted];
    };
    for (const row of this.#order) {
      if (isFirst(row)) this.#bear(owner[row], born, timeIn);
      from[row] = beginOf(row);
      if (this.#source[row] >= 0) signal[row] = timeIn(this.#source[row], signals[row]);
      if (mode === 'careful' && pieces.group[row] >= 0 && !Number.isNaN(signal[row])) {
        const gate = gateOf(pieces.group[row]);
        if (gate.time > signal[row]) {
          signal[row] = gate.time;
          if (gate.owner !== owner[row]) giver[row] = gate.owner;
        }
      }
      const timer = isOwn[row] === 1 ? 0 : this.#timers[row];
      if (!Number.isNaN(signal[row]) && isOwn[row] === 0)
        to[row] = Math.max(from[row], signal[row] + (end[row] - signals[row]) - removed[row]);
      else if (pieces.isFixed[row] === 1 && isOwn[row] === 0)
        to[row] = Math.max(from[row], end[row] - removed[row]);
      else if (timer === TIMER_END || (timer === TIMER_NOT_KNOWN && mode === 'careful'))
        to[row] = Math.max(from[row], end[row] - removed[row]);
      else if (disks !== undefined && disks.ofPiece[row] >= 0 && isOwn[row] === 0) {
        const request = disks.ofPiece[row];
        const behind = Math.max(0, end[row] - disks.completed[request]);
        to[row] = Math.max(from[row], completionOf(disks, request) + behind);
      } else to[row] = from[row] + lengthOf(row);
    }
    return { begin: from, end: to, signal, giver };
  }

  /** Finds when a worker is created: threads that create each other may all be in their first piece. */
  #bear(worker: number, born: Float64Array, timeIn: (row: number, time: number) => number): void {
    const { pieces, workers } = this.closure;
    const chain: number[] = [];
    for (let w = worker; w >= 0 && Number.isNaN(born[w]);) {
      chain.push(w);
      const row = this.#birth[w];
      w = row >= 0 && row === workers.first[pieces.owner[row]] ? pieces.owner[row] : -1;
    }
    for (const w of chain.reverse()) born[w] = timeIn(this.#birth[w], pieces.begin[workers.first[w]]);
  }

  /** Rows by end; at equal ends those first at whose end another one's signal is given. */
  #inOrder(): Uint32Array {
    const { length, end, signal } = this.closure.pieces;
    const rows = Uint32Array.from({ length }, (_, row) => row).sort((a, b) => end[a] - end[b] || a - b);
    const order = new Uint32Array(length);
    const isPlaced = new Uint8Array(length);
    let placed = 0;
    for (const row of rows) {
      const chain: number[] = [];
      for (let next = row; next >= 0 && isPlaced[next] === 0;) {
        isPlaced[next] = 1;
        chain.push(next);
        const source = this.#source[next];
        next = source >= 0 && end[source] === signal[next] && end[source] === end[row] ? source : -1;
      }
      for (const each of chain.reverse()) order[placed++] = each;
    }
    return order;
  }
}

/** The graph of a closure at the times of a replay, in whole ns. `to`: time of the worker studied at the range's end. */
export function replayedGraph(
  closure: Closure,
  { isOwn }: Change,
  replay: Replay,
): ExecutionGraph & { readonly to: number } {
  const { pieces, workers } = closure;
  const [begins, ends, signals] = [replay.begin, replay.end, replay.signal].map((times) =>
    times.map(Math.round),
  );
  const numbers = new Map(Array.from(workers.worker, (worker, number) => [worker, number]));
  return {
    to: workers.first[1] === 0 ? closure.to : ends[workers.first[1] - 1],
    find(worker, time, edge) {
      const number = numbers.get(worker);
      if (number === undefined) return graphs.BEFORE_LIFE;
      const low = workers.first[number];
      const row = firstWhere(low, workers.first[number + 1], (at) => begins[at] >= time) - 1;
      if (row < low) return graphs.BEFORE_LIFE;
      edge.end = ends[row];
      if (edge.end < time) return graphs.AFTER_LIFE;
      edge.begin = begins[row];
      edge.label = pieces.label[row];
      edge.cause = pieces.cause[row];
      const source = pieces.label[row] === BLOCKED && isOwn[row] === 0 ? replay.giver[row] : -1;
      edge.source = source < 0 ? graphs.NOBODY : workers.worker[source];
      edge.signal = source < 0 ? edge.end : signals[row];
      edge.interrupt = graphs.NOBODY;
      edge.frame = 0;
      edge.lockWait = -1;
      edge.isBounded = false;
      return graphs.FOUND;
    },
    load: () => Promise.resolve(),
    // The signals of its pieces are all that is known.
    facts: {
      creatorOf(worker, time) {
        const number = numbers.get(worker) ?? -1;
        const creator = number < 0 ? -1 : workers.creator[number];
        return creator >= 0 && begins[workers.first[number]] >= time
          ? workers.worker[creator]
          : graphs.NOBODY;
      },
      lastInFrame: () => false,
      copyBefore: () => false,
      lastOfThread: () => false,
      softirq: () => undefined,
      isTimer: () => false,
      wakerOf: () => graphs.NOBODY,
      waitingCall: () => 0,
    },
  };
}

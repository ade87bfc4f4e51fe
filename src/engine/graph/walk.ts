/**
 * The active path of a worker over a range (Giraldeau 2015, section 4.4.1, Algorithm 2), for all criteria: one walk
 * backward in time from the end of the range. At a wait with a known signal it jumps to where the signal came from.
 * Criteria differ in how they return:
 *
 * - a *bounded* jump ends where the wait began, and the worker that waited goes on from there (`main task`; `marked
 *   unrelated` for marked workers). Bounded jumps nest on an explicit stack;
 * - a *free* jump does not return (`exact`). Where it ends in something unknown, the walk retreats to the last jump and
 *   takes that wait as it is. Edges from which every way failed are kept: without that the walk is exponential;
 * - `reconvergence` jumps freely, and falls back to the begin of the studied worker's wait if the way never returns;
 * - `lock holder` is `exact`, but a wait for a lock is divided by holder. Each piece with a holder is a bounded jump to
 *   the holder, whose own path by `main task` explains it, waits for locks in it divided likewise: what the holder did
 *   before or after its hold does not count.
 *
 * Time never goes up except in a retreat, and each edge is looked at once per wait: linear in the graph visited. The
 * walk stops if something is not in memory, and goes on once it is loaded.
 */
import { assert } from '../base/assert.ts';
import { type Criterion, type PathRequest, PathBuilder, type Path } from './path.ts';
import * as graphs from './execution-graph.ts';
import type { ExecutionGraph, GraphWorker } from './execution-graph.ts';
import { EdgeSet, EdgeTrail, WorkerTimes, Jump, JumpStack } from './walk-memory.ts';
import { foldLoop } from './folding.ts';
import { HANDED_OVER } from './lock-waits.ts';
import { followPackets } from './packet-trail.ts';
import * as codes from './path-codes.ts';
import { partsOfInterrupt, softirqCause } from './softirqs.ts';

const NO_LOCK_WAITS: graphs.LockWaitRows = {
  end: new Float64Array(0),
  until: new Float64Array(0),
  outcome: new Uint8Array(0),
  cause: new Float64Array(0),
};

/** A wait that a bounded jump left: where the walk returns to, and what it goes on with. */
interface Level {
  readonly worker: GraphWorker;
  /** Row of its wait for a lock, if its holder's own path explains a piece of it; -1: a signal is followed. */
  readonly lockWait: number;
  /** Begin of the wait, within the range and the enclosing level. */
  readonly bound: number;
  /** Row of the enclosing wait. */
  readonly wait: number;
  /** Number of jumps before; those made since are final when the walk returns. */
  readonly jumps: number;
}

/** The part of a wait's edge that tells how the wait ended. */
type EndedWait = Pick<graphs.Edge, 'begin' | 'signal' | 'cause' | 'interrupt' | 'frame'>;

/** `reconvergence`: the wait at which the way left the studied worker. */
interface Excursion {
  readonly begin: number;
  readonly trail: number;
}

export class Walk {
  visited = 0;
  folded = 0;
  readonly #graph: ExecutionGraph;
  readonly #request: PathRequest;
  readonly #criterion: Criterion;
  readonly #lockWaits: graphs.LockWaitRows;
  readonly #path = new PathBuilder();
  readonly #edge = new graphs.Edge();
  readonly #packet = new graphs.Packet();
  #worker: GraphWorker;
  #time: number;
  readonly #levels: Level[] = [];
  readonly #jumps = new JumpStack();
  readonly #jumped = new Jump();
  /** Edges of the present way, by worker and begin. */
  readonly #trail = new EdgeTrail();
  /** Edges from which every way failed. */
  readonly #dead = new EdgeSet();
  /** `reconvergence`: edges from which the way never comes back. */
  readonly #lost = new EdgeSet();
  /** Whether every jump was tried, so that all waits are taken as they are. */
  #hopeless = false;
  #excursion: Excursion | undefined = undefined;
  /** Workers whose wait is being explained, by bounded jumps. */
  readonly #waiting = new WorkerTimes();
  /** Time when each worker was last jumped from, except by jumps of `main task`. */
  readonly #left = new WorkerTimes();

  constructor(graph: ExecutionGraph, request: PathRequest) {
    assert(request.from <= request.to, 'a range has an end behind its begin');
    this.#graph = graph;
    this.#request = request;
    this.#criterion = request.criterion;
    this.#lockWaits = graph.waits ?? NO_LOCK_WAITS;
    this.#worker = request.worker;
    this.#time = request.to;
  }

  /** Walks at most `steps` edges. @returns whether the path is complete; if not, `missing` tells why */
  run(steps = Infinity): boolean {
    this.missing = false;
    for (let left = steps; left > 0; left--) {
      while (this.#levels.length > 0 && this.#time <= this.#bound()) this.#comeBack();
      if (this.#time <= this.#request.from) {
        if (!this.#fallsBack()) return true;
        continue;
      }
      if (!this.#step()) {
        this.missing = true;
        return false;
      }
    }
    return false;
  }

  /** Whether the walk stopped because the graph has to load something. */
  missing = false;

  finish(): Path {
    const { worker, from, to } = this.#request;
    return { worker, from, to, ...this.#path.finish(), visited: this.visited, folded: this.folded };
  }

  /** Begin of what is being explained. */
  #bound(): number {
    return this.#levels.at(-1)?.bound ?? this.#request.from;
  }

  /** Whether all jumps from here are bounded. */
  #isMain(): boolean {
    return this.#criterion === 'main task' || (this.#criterion === 'lock holder' && this.#levels.length > 0);
  }

  /** Whether the worker's own time is explained (it is studied or holds the lock), not only its signals. */
  #isStudied(): boolean {
    const level = this.#levels.at(-1);
    if (level !== undefined) return level.lockWait >= 0;
    return this.#jumps.length === 0 && this.#worker === this.#request.worker;
  }

  /** Takes the edge before the present time. @returns false: it is not in memory */
  #step(): boolean {
    const edge = this.#edge;
    const found =
      this.#worker === graphs.NOBODY ? graphs.BEFORE_LIFE : this.#graph.find(this.#worker, this.#time, edge);
    if (found === graphs.MISSING) return false;
    this.visited++;
    if (this.#excursion !== undefined && this.#worker === this.#request.worker) this.#settleExcursion();
    if (found !== graphs.FOUND) this.#atEndOfLife(found);
    else if (edge.lockWait >= 0 && !this.#isInVain()) this.#atLockWait();
    else if (edge.label === codes.UNKNOWN) this.#atUnknown();
    else if (this.#isInVain()) this.#retreat();
    else if (edge.label === codes.BLOCKED) return this.#atWait();
    else this.#pass();
    return true;
  }

  /** Handles that nothing is known of the worker before (or, for the studied one, at) the present time. */
  #atEndOfLife(found: number): void {
    const bound = this.#bound();
    if (this.#isStudied() && (found === graphs.AFTER_LIFE || this.#isMain())) {
      const begin = found === graphs.AFTER_LIFE ? Math.max(bound, this.#edge.end) : bound;
      this.#add(this.#worker, begin, codes.UNKNOWN, codes.REASON_NOT_TRACED);
      return;
    }
    const creator =
      this.#worker === graphs.NOBODY || found === graphs.AFTER_LIFE
        ? graphs.NOBODY
        : this.#graph.facts.creatorOf(this.#worker, this.#time);
    if (creator !== graphs.NOBODY) {
      this.#worker = creator;
      this.#path.comeTo(creator);
      this.#path.cameVia(codes.VIA_FORK);
    } else if (this.#worker === graphs.NOBODY) this.#deadEnd(codes.REASON_SENDER_NOT_KNOWN);
    else this.#deadEnd(found === graphs.AFTER_LIFE ? codes.REASON_WORKER_ENDED : codes.REASON_TRACE_BEGIN);
  }

  #atUnknown(): void {
    const { begin, cause } = this.#edge;
    if (this.#isMain() && this.#isStudied())
      this.#add(this.#worker, Math.max(begin, this.#bound()), codes.UNKNOWN, cause);
    else this.#deadEnd(cause);
  }

  #deadEnd(reason: number): void {
    const level = this.#levels.at(-1);
    if (this.#isMain() && level !== undefined) this.#add(level.worker, level.bound, codes.UNKNOWN, reason);
    else this.#retreat(reason);
  }

  /** Returns to the last jump and takes that wait as it is; without one the rest is unknown. */
  #retreat(reason = 0): void {
    const excursion = this.#excursion;
    if (excursion !== undefined && this.#time <= excursion.begin) {
      this.#fallBack(excursion);
      return;
    }
    const jump = this.#jumped;
    if (!this.#jumps.pop(jump)) {
      const worker = this.#worker === graphs.NOBODY ? this.#request.worker : this.#worker;
      this.#add(worker, this.#request.from, codes.UNKNOWN, reason);
      return;
    }
    this.#trail.moveTail(jump.trail, this.#dead);
    this.#levels.length = jump.levels;
    if (this.#jumps.length === 0) this.#excursion = undefined;
    this.#path.backTo(jump.mark);
    this.#worker = jump.worker;
    this.#time = jump.mark.time;
    this.#addWait(jump.worker, jump, Math.max(jump.begin, this.#bound()));
  }

  /** Whether every way from here is known to fail. */
  #isInVain(): boolean {
    if (this.#isMain()) return false;
    const { begin } = this.#edge;
    if (this.#excursion !== undefined && this.#time <= this.#excursion.begin)
      if (this.#lost.has(this.#worker, begin)) return true;
    if (this.#hopeless || !this.#dead.has(this.#worker, begin)) return false;
    if (this.#jumps.length > 0) return true;
    this.#hopeless = true;
    return false;
  }

  /** Adds an edge that is no wait: a segment as it is, back to a packet that the worker received itself. */
  #pass(): void {
    const { label, cause } = this.#edge;
    const begin = Math.max(this.#edge.begin, this.#bound());
    this.#remember();
    const isOwn = this.#isMain() && this.#isStudied();
    const packet = this.#packet;
    if (isOwn || !this.#graph.facts.lastOfThread(this.#worker, begin, this.#time, packet)) {
      this.#add(this.#worker, begin, label, cause);
      return;
    }
    const sent = Math.max(packet.sent, this.#bound());
    this.#add(this.#worker, packet.received, label, cause);
    this.#add(this.#worker, Math.min(sent, this.#time), codes.NETWORK, 0);
    this.#worker = packet.sender;
    this.#path.comeTo(packet.sender);
    this.#path.cameVia(codes.VIA_NETWORK);
  }

  /** @returns false: what is needed to fold the wait is not in memory */
  #atWait(): boolean {
    const edge = this.#edge;
    const bound = this.#bound();
    if (this.#request.foldLoops === true && this.#leadsOn(edge, Math.max(edge.begin, bound))) {
      const folds = foldLoop(this.#graph, this.#worker, edge, bound);
      if (folds < 0) return false;
      this.folded += folds;
    }
    this.#remember();
    const begin = Math.max(edge.begin, bound);
    if (!this.#leadsOn(edge, begin) || !this.#jump(begin)) this.#addWait(this.#worker, edge, begin);
    return true;
  }

  /** Whether the signal that ended the wait may be followed. */
  #leadsOn({ source, signal }: graphs.Edge, begin: number): boolean {
    if (source === graphs.NOBODY || signal <= begin) return false;
    // Signals cannot form a circle, unless clocks of two hosts disagree.
    if (this.#isMain() || this.#isBounded()) return Number.isNaN(this.#waiting.get(this.#worker));
    return !this.#hopeless && this.#left.get(this.#worker) !== this.#time;
  }

  #atLockWait(): void {
    const { begin: from, lockWait: row, isHeld, source, worker, label, cause } = this.#edge;
    const { end, outcome, cause: causes } = this.#lockWaits;
    const begin = Math.max(from, this.#bound());
    const waiter = this.#worker;
    this.#remember();
    if (!Number.isNaN(this.#waiting.get(waiter))) {
      this.#add(waiter, begin, codes.BLOCKED, causes[row] + (this.#isDeadlock(waiter) ? codes.DEADLOCK : 0));
    } else if (!isHeld) {
      const around = this.#path.wait;
      if (worker !== waiter) this.#path.enterWait(waiter, causes[row] + codes.NOT_HELD, true);
      this.#add(worker, begin, label, cause);
      this.#path.wait = around;
    } else if (source === graphs.NOBODY) {
      this.#add(waiter, begin, codes.UNKNOWN, codes.REASON_NOT_TRACED);
    } else {
      if (outcome[row] === HANDED_OVER && end[row] === this.#time) this.#path.cameVia(codes.VIA_WAKE_UP);
      this.#enter(waiter, begin, row);
      this.#path.enterWait(waiter, causes[row], true);
      this.#worker = source;
    }
  }

  /** Whether workers wait for locks in a circle: a deadlock, unless the first of their waits to end got its lock. */
  #isDeadlock(waiter: GraphWorker): boolean {
    const { until, outcome } = this.#lockWaits;
    const from = this.#levels.findIndex(({ worker }) => worker === waiter);
    const rows = this.#levels
      .slice(from)
      .map(({ lockWait }) => lockWait)
      .filter((row) => row >= 0);
    const first = rows.reduce((a, b) => (until[b] < until[a] ? b : a));
    return outcome[first] !== HANDED_OVER;
  }

  /** Whether a wait may be for a lock without a known holder, and is not part of another such wait. */
  #isBounded(): boolean {
    return this.#criterion === 'lock holder' && this.#edge.isBounded && this.#levels.length === 0;
  }

  /** Begins to explain a wait, from `begin` on, by what comes before. */
  #enter(worker: GraphWorker, bound: number, lockWait = -1, jumps = this.#jumps.length): void {
    this.#waiting.set(worker, this.#time);
    this.#levels.push({ worker, bound, wait: this.#path.wait, jumps, lockWait });
  }

  /** Goes to the source of the signal. @returns false: it leads nowhere */
  #jump(begin: number): boolean {
    const { marked } = this.#request;
    const edge = this.#edge;
    const waiter = this.#worker;
    const time = Math.min(edge.signal, this.#time);
    const trail =
      edge.frame > 0 ? followPackets(this.#graph.facts, edge.source, edge.frame, edge.signal) : undefined;
    if (edge.frame > 0 && trail === undefined) return false;
    const target = trail?.sender ?? edge.source;
    const isSettled = this.#isMain() || this.#isBounded();
    const bounded = isSettled || (marked?.has(target) === true && this.#criterion === 'marked unrelated');
    const jumps = this.#jumps.length;
    if (!isSettled) this.#noteJump(begin);
    if (bounded) this.#enter(waiter, begin, -1, jumps);
    this.#add(waiter, Math.max(time, begin), codes.BLOCKED, edge.cause);
    this.#path.cameVia(codes.VIA_WAKE_UP);
    this.#path.enterWait(waiter, edge.cause);
    if (trail !== undefined) {
      const bound = this.#bound();
      for (const { worker, from, label, cause } of trail.hops)
        this.#add(worker, Math.max(from, bound), label, cause);
      this.#path.cameVia(codes.VIA_NETWORK);
    }
    if (!bounded) this.#path.comeTo(target);
    this.#worker = target;
    return true;
  }

  #noteJump(begin: number): void {
    const edge = this.#edge;
    this.#left.set(this.#worker, this.#time);
    if (this.#criterion === 'reconvergence' && this.#worker === this.#request.worker)
      this.#excursion = { begin, trail: this.#trail.length };
    const jump = this.#jumped;
    this.#path.mark(jump.mark, this.#time);
    jump.worker = this.#worker;
    jump.begin = edge.begin;
    jump.signal = edge.signal;
    jump.interrupt = edge.interrupt;
    jump.frame = edge.frame;
    jump.cause = edge.cause;
    jump.trail = this.#trail.length;
    jump.levels = this.#levels.length;
    this.#jumps.push(jump);
  }

  /** Returns from a bounded jump at the begin of its wait. */
  #comeBack(): void {
    const level = this.#levels.pop();
    if (level === undefined) return;
    this.#waiting.delete(level.worker);
    this.#jumps.length = level.jumps;
    this.#worker = level.worker;
    this.#path.wait = level.wait;
    this.#path.cameVia(codes.VIA_WAIT);
  }

  /** Makes jumps final once the way is back at the studied worker. */
  #settleExcursion(): void {
    this.#excursion = undefined;
    this.#jumps.length = 0;
  }

  #fallsBack(): boolean {
    if (this.#excursion === undefined || this.#worker === this.#request.worker) return false;
    this.#fallBack(this.#excursion);
    return this.#time > this.#request.from;
  }

  /** Ends an excursion that never returns: its explanation stays, and the studied worker goes on at the wait's begin. */
  #fallBack({ begin, trail }: Excursion): void {
    this.#trail.moveTail(trail, this.#lost);
    this.#excursion = undefined;
    this.#jumps.length = 0;
    this.#path.cut(begin);
    this.#path.wait = -1;
    this.#path.cameVia(codes.VIA_WAIT);
    this.#worker = this.#request.worker;
    this.#time = begin;
  }

  /** Adds the present wait from `from` on: blocked; if a softirq raised within it ended it, interrupts from the raise on. */
  #addWait(worker: GraphWorker, wait: EndedWait, from: number): void {
    const { begin, signal, cause, interrupt, frame } = wait;
    const softirq = frame > 0 ? this.#graph.facts.softirq(interrupt, frame) : undefined;
    const raised = Math.max(softirq?.wait?.from ?? Infinity, begin);
    const entered = softirq?.wait?.to ?? -Infinity;
    if (softirq !== undefined && entered > begin && signal > entered && this.#time > Math.max(raised, from)) {
      this.#add(worker, Math.max(signal, from), codes.BLOCKED, cause);
      this.#path.cameVia(codes.VIA_WAKE_UP);
      const around = this.#path.enterWait(worker, softirqCause(softirq.vec));
      for (const part of partsOfInterrupt(softirq, raised, signal))
        this.#add(interrupt, Math.max(part.from, from), part.label, part.cause);
      this.#path.wait = around;
    }
    this.#add(worker, from, codes.BLOCKED, cause);
  }

  #remember(): void {
    if (!this.#isMain()) this.#trail.push(this.#worker, this.#edge.begin);
  }

  /** Adds the next segment; the walk is then at its begin. */
  #add(worker: GraphWorker, from: number, label: number, cause: number): void {
    if (from >= this.#time) return;
    this.#path.add(worker, from, this.#time, label, cause);
    this.#time = from;
  }
}

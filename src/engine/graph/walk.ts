/**
 * The active path of a worker over a range (Giraldeau 2015, section 4.4.1, Algorithm 2), for all criteria: one walk
 * backward in time from the end of the range. At a wait whose signal is known it jumps to where the signal came from.
 * What differs is how it comes back:
 *
 * - a *bounded* jump ends where the wait began, and the worker that waited goes on from there (`main task`; `marked
 *   unrelated` for marked workers). Bounded jumps nest on an explicit stack;
 * - a *free* jump does not (`exact`). Where it ends in something unknown, the walk retreats to the last jump and takes
 *   that wait as it is. Edges from which every way failed are kept: without that the walk is exponential;
 * - `reconvergence` jumps freely, and falls back to the begin of the studied worker's wait when the way never comes back
 *   to it;
 * - `lock holder` is `exact`, but a wait for a lock is divided by who held the lock meanwhile. Each piece that somebody held
 *   is a bounded jump to the holder, whose own path by `main task` it is, waits for locks in it divided likewise: what
 *   the holder did before or after its hold does not belong to it.
 *
 * Time never goes up but in a retreat, and each edge is looked at once per wait: linear in the graph visited. The walk
 * stops where something is not in memory and goes on when it was loaded.
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

/** A wait that was jumped from by a bounded jump: where the walk comes back to, and what it then goes on with. */
interface Level {
  readonly worker: GraphWorker;
  /** Row of its wait for a lock, a piece of which its holder's own path explains; -1: a signal is followed. */
  readonly lockWait: number;
  /** Begin of the wait, within the range and the level around. */
  readonly bound: number;
  /** Row of the wait around. */
  readonly wait: number;
  /** Jumps that were there before: those since are settled when the walk comes back. */
  readonly jumps: number;
}

/** An edge of a wait, as far as it tells how the wait ended. */
type EndedWait = Pick<graphs.Edge, 'begin' | 'signal' | 'cause' | 'interrupt' | 'frame'>;

/** `reconvergence`: the studied worker's wait that the way left it by. */
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
  /** Every jump was tried: all is taken as it is. */
  #hopeless = false;
  #excursion: Excursion | undefined = undefined;
  /** Workers whose wait is being explained, by bounded jumps. */
  readonly #waiting = new WorkerTimes();
  /** Time when each worker was last jumped from, but by those of `main task`. */
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

  /** Goes on for at most `steps` edges. @returns whether the path is complete; if not, `missing` says why */
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

  /** The walk stopped because the graph has to load something. */
  missing = false;

  finish(): Path {
    const { worker, from, to } = this.#request;
    return { worker, from, to, ...this.#path.finish(), visited: this.visited, folded: this.folded };
  }

  /** Begin of what the walk explains now. */
  #bound(): number {
    return this.#levels.at(-1)?.bound ?? this.#request.from;
  }

  /** Whether all jumps from here are bounded. */
  #isMain(): boolean {
    return this.#criterion === 'main task' || (this.#criterion === 'lock holder' && this.#levels.length > 0);
  }

  /** The time of a worker for itself, studied or the holder of a lock, and not as what signals lead back through. */
  #isStudied(): boolean {
    const level = this.#levels.at(-1);
    if (level !== undefined) return level.lockWait >= 0;
    return this.#jumps.length === 0 && this.#worker === this.#request.worker;
  }

  /** Looks at the edge before the present time. @returns false where it is not in memory */
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

  /** Nothing is known of the worker before (or, of the studied one, at) the present time. */
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

  /** Goes back to the last jump and takes that wait as it is; without one the rest is unknown. */
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

  /** An edge that is no wait: a segment as it is, as far as a packet that the worker received itself. */
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

  /** @returns false where what is needed to fold the wait is not in memory */
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

  /** Whether the signal that ended the wait may be followed at all. */
  #leadsOn({ source, signal }: graphs.Edge, begin: number): boolean {
    if (source === graphs.NOBODY || signal <= begin) return false;
    // Signals cannot go round in a circle, but clocks of two hosts may disagree.
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

  /** Whether workers wait for locks in a circle: they are in a deadlock unless the first of their waits to end got its lock. */
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

  /** A wait that may be one for a lock of which no holder is known, and is no part of another one. */
  #isBounded(): boolean {
    return this.#criterion === 'lock holder' && this.#edge.isBounded && this.#levels.length === 0;
  }

  /** Begins to explain a wait, from `begin` on, by what comes before. */
  #enter(worker: GraphWorker, bound: number, lockWait = -1, jumps = this.#jumps.length): void {
    this.#waiting.set(worker, this.#time);
    this.#levels.push({ worker, bound, wait: this.#path.wait, jumps, lockWait });
  }

  /** Goes to where the signal came from. @returns false where it leads nowhere */
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

  /** A bounded jump has come to the begin of its wait. */
  #comeBack(): void {
    const level = this.#levels.pop();
    if (level === undefined) return;
    this.#waiting.delete(level.worker);
    this.#jumps.length = level.jumps;
    this.#worker = level.worker;
    this.#path.wait = level.wait;
    this.#path.cameVia(codes.VIA_WAIT);
  }

  /** The way is back at the studied worker: its jumps were right. */
  #settleExcursion(): void {
    this.#excursion = undefined;
    this.#jumps.length = 0;
  }

  #fallsBack(): boolean {
    if (this.#excursion === undefined || this.#worker === this.#request.worker) return false;
    this.#fallBack(this.#excursion);
    return this.#time > this.#request.from;
  }

  /** The way never comes back: what explains the wait stays, and the studied worker goes on at the wait's begin. */
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

  /** The wait at hand from `from` on: blocked; where a softirq raised within ended it, from the raise on that of interrupts. */
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

  /** The next segment; the walk then stands at its begin. */
  #add(worker: GraphWorker, from: number, label: number, cause: number): void {
    if (from >= this.#time) return;
    this.#path.add(worker, from, this.#time, label, cause);
    this.#time = from;
  }
}

/**
 * The execution graph (Giraldeau 2015, section 4.3, Definition 1): workers over time, what each did, and the signals
 * between them. The walk only asks what a worker did just before some time. Times are whole ns on one axis that all
 * hosts share.
 */

import { UNKNOWN } from './path-codes.ts';
import type { Softirq } from './softirqs.ts';

/** Number of a worker in its graph: a thread, or the interrupts of a CPU; the graph knows which. */
export type GraphWorker = number;

export const NOBODY: GraphWorker = -1;

/** Answers of `ExecutionGraph.find`. */
export const FOUND = 0;
/** The worker has no edge that early: its life, or what is known of it, begins at the time asked for or later. */
export const BEFORE_LIFE = 1;
/** The worker has no edge so late. */
export const AFTER_LIFE = 2;
/** The answer is not in memory: `load` reads it. */
export const MISSING = 3;

/** An edge that a graph found. One object is reused. */
export class Edge {
  begin = 0;
  end = 0;
  label = UNKNOWN;
  /** Reason why it is blocked or unknown, as a number that the graph turns into words; equal numbers are equal words. */
  cause = 0;
  /** Worker that gave the signal which ended a blocked edge; NOBODY: the signal cannot be followed. */
  source: GraphWorker = NOBODY;
  /** Time when the signal was given, ns. */
  signal = 0;
  /** Interrupt worker that gave the signal, and number of the interrupt; NOBODY and 0: a thread, or not stored. */
  interrupt: GraphWorker = NOBODY;
  frame = 0;
  /**
   * Row of the wait for a lock, -1 none (`lock-graph.ts`). `isHeld`: `source` held the lock then; else the edge is
   * one of `worker`.
   */
  lockWait = -1;
  isHeld = false;
  worker: GraphWorker = NOBODY;
  /** Whether a blocked edge may be a wait for a lock whose holders are not known. */
  isBounded = false;
}

/** A packet with both ends known. */
export class Packet {
  received = 0;
  sent = 0;
  sender: GraphWorker = NOBODY;
  /** Number of the interrupt in which it was sent, 0 for a thread. */
  frame = 0;
  /** Its sending: host of the graph, and row of that host's packets. */
  sentHost = -1;
  sentRow = -1;
}

/** `ExecutionGraph.find` that loads what is missing. */
export async function findLoaded(
  graph: ExecutionGraph,
  worker: GraphWorker,
  time: number,
  edge: Edge,
): Promise<number> {
  for (;;) {
    const found = graph.find(worker, time, edge);
    if (found !== MISSING) return found;
    await graph.load();
  }
}

/** Waits for locks by row: columns of `GraphLockWaits`. */
export interface LockWaitRows {
  readonly end: Float64Array;
  readonly until: Float64Array;
  readonly outcome: Uint8Array;
  readonly cause: Float64Array;
}

export interface ExecutionGraph {
  /** Waits for locks whose pieces are edges, in a graph with such edges. */
  readonly waits?: LockWaitRows;
  /**
   * The edge that covers the instant before `time`. FOUND fills `edge`, AFTER_LIFE sets `edge.end`, others leave it
   * unchanged.
   */
  find(worker: GraphWorker, time: number, edge: Edge): number;
  /** Loads what `find` missed last, so that it can be asked again. */
  load(): Promise<void>;
  readonly facts: GraphFacts;
}

/** Facts about workers besides their edges. */
export interface GraphFacts {
  /** Creator of the worker, whose life begins at `time` or, if a range ends inside a wait, later; NOBODY: not known. */
  creatorOf(worker: GraphWorker, time: number): GraphWorker;
  /** The last packet that an interrupt had received by `time`; false: it received none with a known sender. */
  lastInFrame(worker: GraphWorker, frame: number, time: number, packet: Packet): boolean;
  /** Replaces a retransmitted packet by the sender and time of the copy before. False: there is none, or it has another cause. */
  copyBefore(packet: Packet): boolean;
  /** The last packet that a thread received itself after `after` and by `time`, and that was sent before. */
  lastOfThread(worker: GraphWorker, after: number, time: number, packet: Packet): boolean;
  /** The softirq that an interrupt is or that called it; undefined: it is none, or nothing is known of its waits. */
  softirq(worker: GraphWorker, frame: number): Softirq | undefined;
  /** Whether a blocked edge was ended by a timer. */
  isTimer(edge: Edge): boolean;
  /** Thread that ended a blocked edge of a worker, whether or not its signal can be followed; NOBODY: no thread did. */
  wakerOf(worker: GraphWorker, edge: Edge): GraphWorker;
  /** Number of the family of calls in which a thread's blocked edge begins (`folding.ts`), 0: another or none; -1: MISSING. */
  waitingCall(worker: GraphWorker, begin: number): number;
}

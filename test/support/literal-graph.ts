/** A small execution graph given edge by edge: for tests and golden vectors. All of it is in memory. */
import * as graphs from '../../src/engine/graph/execution-graph.ts';
import type { ExecutionGraph, GraphWorker } from '../../src/engine/graph/execution-graph.ts';
import { BLOCKED, isDeadlock } from '../../src/engine/graph/path-codes.ts';

/** Distance of the numbers of causes: what is added to them is less. */
const STEP = 512;
/** Edges before the one found last that are looked at one by one. */
const NEAR = 4;

/** A wake-up or a packet, from one worker to another. */
export interface LiteralSignal {
  readonly from: GraphWorker;
  readonly given: number;
  readonly to: GraphWorker;
  readonly taken: number;
}

export interface LiteralEdge {
  readonly begin: number;
  readonly end: number;
  readonly label: number;
  /** Default ''. */
  readonly cause?: string;
  /** Family of the call in which a thread waits (`folding.ts`), default 0. */
  readonly call?: number;
}

/** Edges of a worker in order of time. */
interface EdgeList {
  readonly edges: LiteralEdge[];
  /** Place of the edge that was asked for last. */
  hint: number;
  /** Signal that ended each edge; undefined until one is asked for. */
  signals: readonly (LiteralSignal | undefined)[] | undefined;
}

export class LiteralGraph implements ExecutionGraph, graphs.GraphFacts {
  readonly facts = this;
  readonly #edges = new Map<GraphWorker, EdgeList>();
  /** By woken worker and end of its wait. */
  readonly #wakes = new Map<GraphWorker, Map<number, LiteralSignal>>();
  readonly #packets: LiteralSignal[] = [];
  readonly #forks: LiteralSignal[] = [];
  readonly #causes: string[] = ['', 'timer'];

  /** Edges of a worker in time order, which touch. */
  edges(worker: GraphWorker, ...edges: readonly LiteralEdge[]): this {
    const known = this.#edges.get(worker) ?? { edges: [], hint: 0, signals: undefined };
    for (const edge of edges) known.edges.push(edge);
    known.signals = undefined;
    this.#edges.set(worker, known);
    return this;
  }

  /** A signal that ends the blocked edge of `to` which ends at `taken`. */
  wakeUp(from: GraphWorker, given: number, to: GraphWorker, taken = given): this {
    const ofWorker = this.#wakes.get(to) ?? new Map<number, LiteralSignal>();
    this.#wakes.set(to, ofWorker.set(taken, { from, given, to, taken }));
    const list = this.#edges.get(to);
    if (list !== undefined) list.signals = undefined;
    return this;
  }

  /** A packet that the thread `to` received itself. */
  packet(from: GraphWorker, given: number, to: GraphWorker, taken: number): this {
    this.#packets.push({ from, given, to, taken });
    return this;
  }

  /** `to` begins to live at `given`. */
  fork(from: GraphWorker, given: number, to: GraphWorker): this {
    this.#forks.push({ from, given, to, taken: given });
    return this;
  }

  /** The words of an edge's cause, of a lock that a deadlock is about with that word before. */
  causeOf(cause: number): string {
    return (isDeadlock(cause) ? 'dead' : '') + this.#causes[Math.floor(cause / STEP)];
  }

  find(worker: GraphWorker, time: number, edge: graphs.Edge): number {
    const list = this.#edges.get(worker);
    const at = list === undefined ? -1 : lastBefore(list, time);
    if (list === undefined || at < 0) return graphs.BEFORE_LIFE;
    const found = list.edges[at];
    edge.end = found.end;
    if (found.end < time) return graphs.AFTER_LIFE;
    edge.begin = found.begin;
    edge.label = found.label;
    edge.cause = this.numberOf(found.cause ?? '');
    list.signals ??= this.#signalsOf(worker, list.edges);
    const wake = list.signals[at];
    edge.source = wake?.from ?? graphs.NOBODY;
    edge.signal = wake?.given ?? found.end;
    edge.interrupt = graphs.NOBODY;
    edge.frame = 0;
    return graphs.FOUND;
  }

  #signalsOf(worker: GraphWorker, edges: readonly LiteralEdge[]): (LiteralSignal | undefined)[] {
    const wakes = this.#wakes.get(worker);
    return edges.map(({ label, end }) => (label === BLOCKED ? wakes?.get(end) : undefined));
  }

  load(): Promise<void> {
    return Promise.resolve();
  }

  creatorOf(worker: GraphWorker, time: number): GraphWorker {
    return this.#forks.find(({ to, taken }) => to === worker && taken >= time)?.from ?? graphs.NOBODY;
  }

  softirq(): undefined {
    return undefined;
  }

  lastInFrame(): boolean {
    return false;
  }

  copyBefore(): boolean {
    return false;
  }

  lastOfThread(worker: GraphWorker, after: number, time: number, packet: graphs.Packet): boolean {
    const found = this.#packets.findLast(
      ({ to, taken, given }) => to === worker && taken > after && taken <= time && given < taken,
    );
    if (found === undefined) return false;
    packet.received = found.taken;
    packet.sent = found.given;
    packet.sender = found.from;
    packet.frame = 0;
    return true;
  }

  isTimer({ cause }: graphs.Edge): boolean {
    return this.causeOf(cause) === 'timer';
  }

  wakerOf(_: GraphWorker, { source }: graphs.Edge): GraphWorker {
    return source;
  }

  waitingCall(worker: GraphWorker, begin: number): number {
    return this.#edges.get(worker)?.edges.find((edge) => edge.begin === begin)?.call ?? 0;
  }

  /** The number of a cause with these words. */
  numberOf(text: string): number {
    const known = this.#causes.indexOf(text);
    return STEP * (known >= 0 ? known : this.#causes.push(text) - 1);
  }
}

/** Place of the last edge that begins before `time`, -1 none. Walks go backward: mostly it is near the one found last. */
function lastBefore(list: EdgeList, time: number): number {
  const { edges, hint } = list;
  for (let at = hint; at >= 0 && at >= hint - NEAR; at--) {
    if (edges[at].begin >= time) continue;
    if (at + 1 < edges.length && edges[at + 1].begin < time) break;
    return (list.hint = at);
  }
  let low = 0;
  let high = edges.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (edges[middle].begin < time) low = middle + 1;
    else high = middle;
  }
  list.hint = Math.max(0, low - 1);
  return low - 1;
}

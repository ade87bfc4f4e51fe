/** Execution graph over state histories: edges are decoded per thread and segment when first asked for, within a budget. */
import { assert } from '../base/assert.ts';
import { firstWhere, lowerBound } from '../base/lower-bound.ts';
import { IntervalCursor } from '../history/interval-cursor.ts';
import type { HistoryQuery } from '../history/query-types.ts';
import { CONTINUED_INTERVALS, type HistorySnapshot, NO_INTERVALS, NOT_LOADED } from '../history/snapshot.ts';
import type { Attribute } from '../history/types.ts';
import type { KernelTables } from '../linux/states/reduce/kernel-tables.ts';
import { cpuOfWorker, type MatchedPackets, PACKET_RECEIVED } from '../linux/states/reduce/packet-rows.ts';
import { CAUSE_THREAD, CAUSE_TIMER, causeOf, detailOf } from '../linux/events/values.ts';
import * as graphs from './execution-graph.ts';
import type { ExecutionGraph, GraphWorker } from './execution-graph.ts';
import { familyOfCall } from './folding.ts';
import { PREEMPTED, REASON_LOST_EVENTS, REASON_TRACE_BEGIN, RUNNING, UNKNOWN } from './path-codes.ts';
import { IntervalLists, valueIn } from './interval-lists.ts';
import {
  EDGE_BYTES,
  type EdgeColumns,
  type EdgeContext,
  EdgeDecoder,
  NO_EDGES,
  signalIndex,
} from './thread-edges.ts';
import { type Softirq, softirqIndex } from './softirqs.ts';
import { addTo } from '../base/group-by.ts';

export interface GraphHost {
  readonly tables: KernelTables;
  readonly snapshot: HistorySnapshot;
  readonly attributes: readonly Attribute[];
  /** Text of the history's string `index`. */
  readonly text: (index: number) => string;
  /** Time of the graph, a whole number, for a HostNs of the host; monotonic. */
  readonly toGraph: (time: number) => number;
  /** Undefined: no packet has a known sender. */
  readonly packets: MatchedPackets | undefined;
}

/** Host with a snapshot of its present state. */
export async function graphHost(
  { tables, query }: { readonly tables: KernelTables; readonly query: HistoryQuery },
  toGraph: GraphHost['toGraph'],
  packets: GraphHost['packets'],
): Promise<GraphHost> {
  const snapshot = await query.snapshot();
  const text = (index: number): string => query.text(index);
  return { tables, snapshot, attributes: query.attributes(), text, toGraph, packets };
}

/** A host with its history at times of the graph. */
export interface HostData extends GraphHost {
  /** Number of the host in the graph. */
  readonly index: number;
  readonly lists: IntervalLists;
  /** Number of thread row 0. */
  readonly firstWorker: GraphWorker;
}

/** A host's place among the workers of the graph: its threads by row, then the interrupts of its CPUs by number. */
interface HostPart extends HostData {
  readonly context: EdgeContext;
  readonly received: ReceivedPackets;
  readonly softirqOf: (frame: number) => Softirq | undefined;
  readonly endOfWorkers: GraphWorker;
  /** First mentions of its threads, and ends of its segments, as times of the graph. */
  readonly first: Float64Array;
  readonly from: Float64Array;
  readonly to: Float64Array;
}

/** Bytes of decoded edges that are kept. */
const BUDGET_BYTES = 64 * 1024 * 1024;
/** Edges before the last one found that are checked one by one. */
const NEAR = 4;
/** Bytes of an empty list of edges, roughly. */
const LIST_BYTES = 200;

export class HistoryGraph implements ExecutionGraph, graphs.GraphFacts {
  readonly facts = this;
  readonly #hosts: readonly HostPart[];
  readonly #decoder = new EdgeDecoder();
  readonly #cursor = new IntervalCursor();
  /** Decoded edges by worker and segment, oldest first. */
  readonly #kept = new Map<number, EdgeColumns>();
  #keptBytes = 0;
  readonly #budget: number;
  #missing: { readonly host: HostPart; readonly segment: number } | undefined;

  constructor(hosts: readonly GraphHost[], budgetBytes = BUDGET_BYTES) {
    const parts: HostPart[] = [];
    for (const host of hosts) parts.push(partOf(host, parts.at(-1)?.endOfWorkers ?? 0, parts.length));
    this.#hosts = parts;
    this.#budget = budgetBytes;
  }

  workerOfThread(host: number, row: number): GraphWorker {
    return this.#hosts[host].firstWorker + row;
  }

  /** Host of a worker, and its row in the thread table or its CPU. */
  place(worker: GraphWorker): { readonly host: number; readonly thread: number; readonly cpu: number } {
    const host = this.dataOf(worker);
    const row = worker - host.firstWorker;
    const isThread = row < host.tables.threads.length;
    return {
      host: host.index,
      thread: isThread ? row : -1,
      cpu: isThread ? -1 : row - host.tables.threads.length,
    };
  }

  /** Text of a string that a cause number of a worker refers to. */
  text(worker: GraphWorker, index: number): string {
    return this.dataOf(worker).text(index);
  }

  /** Host by its number in the graph. */
  hostData(host: number): HostData {
    return this.#hosts[host];
  }

  /** Time when the thread was first mentioned, ns; nothing is known before. */
  firstOf(worker: GraphWorker): number {
    const host = this.dataOf(worker);
    return host.first[worker - host.firstWorker];
  }

  /** Time at which a thread or its host's trace ended, ns. */
  endOf(worker: GraphWorker): number {
    const { tables, firstWorker, toGraph } = this.dataOf(worker);
    const { ended, last } = tables.threads;
    const row = worker - firstWorker;
    return toGraph(Math.min(Number.isNaN(ended[row]) ? last[row] : ended[row], tables.end));
  }

  /** Range from the worker's first known edge to the end of its last; empty if nothing is known of it. */
  async lifeOf(worker: GraphWorker): Promise<{ readonly from: number; readonly to: number }> {
    const first = this.firstOf(worker);
    const edge = new graphs.Edge();
    if ((await graphs.findLoaded(this, worker, Infinity, edge)) === graphs.BEFORE_LIFE)
      return { from: first, to: first };
    const to = edge.end;
    const isLate =
      (await graphs.findLoaded(this, worker, first + 1, edge)) === graphs.FOUND && edge.label === UNKNOWN;
    return { from: isLate ? Math.min(edge.end, to) : first, to };
  }

  find(worker: GraphWorker, time: number, edge: graphs.Edge): number {
    const host = this.dataOf(worker);
    const thread = worker - host.firstWorker;
    if (thread >= host.tables.threads.length) return graphs.BEFORE_LIFE;
    const first = host.first[thread];
    if (time <= first) return graphs.BEFORE_LIFE;
    for (let segment = lowerBound(host.from, time) - 1; segment >= 0; segment--) {
      const edges = this.#edges(host, thread, segment);
      if (edges === undefined) return graphs.MISSING;
      const at = lastBefore(edges, time);
      if (at < 0) {
        if (host.from[segment] <= first) break;
        continue;
      }
      edge.end = edges.end[at];
      if (edge.end < time) return graphs.AFTER_LIFE;
      edge.begin = edges.begin[at];
      edge.label = edges.label[at];
      if (edge.label === RUNNING || edge.label === PREEMPTED) {
        edge.cause = 0;
        return graphs.FOUND;
      }
      return this.#whole(host, thread, segment, edges, at, edge) ? graphs.FOUND : graphs.MISSING;
    }
    return graphs.BEFORE_LIFE;
  }

  async load(): Promise<void> {
    const missing = this.#missing;
    assert(missing !== undefined, 'something was missing');
    this.#missing = undefined;
    await missing.host.snapshot.load(missing.segment);
  }

  creatorOf(worker: GraphWorker, time: number): GraphWorker {
    const host = this.dataOf(worker);
    const { threads } = host.tables;
    const thread = worker - host.firstWorker;
    if (thread >= threads.length || threads.parent[thread] < 0) return graphs.NOBODY;
    return host.first[thread] >= time ? host.firstWorker + threads.parent[thread] : graphs.NOBODY;
  }

  lastInFrame(worker: GraphWorker, frame: number, time: number, packet: graphs.Packet): boolean {
    const host = this.dataOf(worker);
    const row = host.received.byFrame.get(frame)?.findLast((each) => receivedAt(host, each) <= time);
    return row !== undefined && this.#take(host, row, packet);
  }

  copyBefore(packet: graphs.Packet): boolean {
    const row = this.#hosts[packet.sentHost]?.packets?.copyBefore[packet.sentRow] ?? -1;
    return row >= 0 && this.#takeSending(row, packet);
  }

  lastOfThread(worker: GraphWorker, after: number, time: number, packet: graphs.Packet): boolean {
    const host = this.dataOf(worker);
    const rows = host.received.byThread.get(worker - host.firstWorker) ?? [];
    const low = firstWhere(0, rows.length, (index) => !(receivedAt(host, rows[index]) <= time));
    for (let i = low - 1; i >= 0; i--) {
      if (!this.#take(host, rows[i], packet) || packet.received <= after) return false;
      if (packet.sent < packet.received) return true;
    }
    return false;
  }

  softirq(worker: GraphWorker, frame: number): Softirq | undefined {
    return this.dataOf(worker).softirqOf(frame);
  }

  isTimer({ cause }: graphs.Edge): boolean {
    return causeOf(cause) === CAUSE_TIMER;
  }

  wakerOf(worker: GraphWorker, { cause }: graphs.Edge): GraphWorker {
    return causeOf(cause) === CAUSE_THREAD
      ? this.dataOf(worker).firstWorker + detailOf(cause)
      : graphs.NOBODY;
  }

  waitingCall(worker: GraphWorker, begin: number): number {
    const host = this.dataOf(worker);
    const call = host.tables.threads.callAttribute[worker - host.firstWorker];
    const segment = host.lists.segmentAt(begin);
    const names = host.lists.at(call, segment);
    if (names === undefined) {
      this.#missing = { host, segment };
      return -1;
    }
    const name = valueIn(names, begin);
    return name < 0 ? 0 : familyOfCall(host.text(name));
  }

  /** The host of a worker. */
  dataOf(worker: GraphWorker): HostPart {
    for (const host of this.#hosts) if (worker < host.endOfWorkers) return host;
    throw new RangeError(`no worker ${worker}`);
  }

  /** Fills `edge` with a whole blocked or unknown edge, which segments may have cut. */
  #whole(
    host: HostPart,
    thread: number,
    segment: number,
    edges: EdgeColumns,
    at: number,
    edge: graphs.Edge,
  ): boolean {
    let last = edges;
    let lastAt = at;
    for (let s = segment + 1; lastAt === last.length - 1 && s < host.from.length; s++) {
      if (last.end[lastAt] !== host.to[s - 1]) break;
      const next = this.#edges(host, thread, s);
      if (next === undefined) return false;
      if (!goesOn(last, next)) break;
      last = next;
      lastAt = 0;
    }
    let first = edges;
    let firstAt = at;
    for (let s = segment - 1; firstAt === 0 && first.continued && s >= 0; s--) {
      const before = this.#edges(host, thread, s);
      if (before === undefined) return false;
      if (!goesOn(before, first)) break;
      first = before;
      firstAt = before.length - 1;
    }
    edge.begin = first.begin[firstAt];
    edge.end = last.end[lastAt];
    edge.signal = edge.end;
    edge.source = last.source[lastAt];
    edge.interrupt = last.interrupt[lastAt];
    edge.frame = last.frame[lastAt];
    edge.cause = last.cause[lastAt];
    if (edge.label === UNKNOWN) {
      const { gaps } = host.tables;
      const isBegin =
        edge.begin === host.first[thread] || gaps.some(({ to }) => host.toGraph(to) === edge.begin);
      edge.cause = isBegin ? REASON_TRACE_BEGIN : REASON_LOST_EVENTS;
    }
    return true;
  }

  #edges(host: HostPart, thread: number, segment: number): EdgeColumns | undefined {
    const key = (host.firstWorker + thread) * 2 ** 24 + segment;
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const attribute = host.tables.threads.stateAttribute[thread];
    const opened = attribute < 0 ? NO_INTERVALS : host.snapshot.open(segment, attribute, this.#cursor);
    if (opened === NOT_LOADED) {
      this.#missing = { host, segment };
      return undefined;
    }
    const edges =
      opened === NO_INTERVALS
        ? NO_EDGES
        : this.#decoder.decode(this.#cursor, thread, opened === CONTINUED_INTERVALS, host.context);
    this.#keep(key, edges);
    return edges;
  }

  #keep(key: number, edges: EdgeColumns): void {
    this.#kept.set(key, edges);
    this.#keptBytes += bytesOf(edges);
    for (const [oldest, left] of this.#kept) {
      if (this.#keptBytes <= this.#budget) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= bytesOf(left);
    }
  }

  #take(host: HostPart, row: number, packet: graphs.Packet): boolean {
    const { packets: matched } = host;
    if (matched === undefined) return false;
    packet.received = host.toGraph(matched.packets.time[row]);
    packet.sentHost = matched.senderHost[row];
    return this.#takeSending(matched.senderRow[row], packet);
  }

  #takeSending(row: number, packet: graphs.Packet): boolean {
    const sender = this.#hosts[packet.sentHost];
    const sent = sender.packets?.packets;
    if (sent === undefined) return false;
    packet.sentRow = row;
    packet.sent = sender.toGraph(sent.time[row]);
    packet.sender = workerIn(sender, sent.worker[row]);
    packet.frame = sent.frame[row];
    return true;
  }
}

function partOf(host: GraphHost, firstWorker: GraphWorker, index: number): HostPart {
  const { tables, snapshot, packets, toGraph } = host;
  const { threads, cpus } = tables;
  const interrupts = firstWorker + threads.length;
  const mostCpu = cpus.reduce((most, { cpu }) => Math.max(most, cpu), -1);
  return {
    ...host,
    index,
    context: {
      signals: tables.signals,
      findSignal: signalIndex(tables.signals, threads.length),
      toGraph,
      firstWorker,
      interruptWorker: (cpu) => interrupts + cpu,
    },
    received: receivedPackets(packets),
    softirqOf: softirqIndex(tables.softirqs, toGraph),
    lists: new IntervalLists(snapshot, toGraph),
    firstWorker,
    endOfWorkers: interrupts + mostCpu + 1,
    first: threads.first.map(toGraph),
    from: Float64Array.from(snapshot.segments, ({ from }) => toGraph(from)),
    to: Float64Array.from(snapshot.segments, ({ to }) => toGraph(to)),
  };
}

/** Worker of the graph for a worker of a host (`WorkerId`). */
function workerIn(host: HostPart, worker: number): GraphWorker {
  if (worker >= 0) return host.firstWorker + worker;
  return worker === -1 ? graphs.NOBODY : host.context.interruptWorker(cpuOfWorker(worker));
}

function bytesOf({ length }: EdgeColumns): number {
  return LIST_BYTES + EDGE_BYTES * length;
}

/** Whether the last edge before a segment border and the first one after it are one. */
function goesOn(before: EdgeColumns, after: EdgeColumns): boolean {
  const last = before.length - 1;
  return (
    after.continued &&
    after.length > 0 &&
    last >= 0 &&
    before.end[last] === after.begin[0] &&
    before.label[last] === after.label[0]
  );
}

/** Place of the last edge that begins before `time`, -1 none. Walks go backward, so it is mostly near the one found last. */
function lastBefore(edges: EdgeColumns, time: number): number {
  const { begin, length, hint } = edges;
  for (let at = hint; at >= 0 && at >= hint - NEAR; at--) {
    if (begin[at] >= time) continue;
    if (at + 1 < length && begin[at + 1] < time) break;
    return (edges.hint = at);
  }
  return (edges.hint = lowerBound(begin, time, length) - 1);
}

/** Rows of received packets with a known sender, in order of time: by interrupt, and the others by row of the thread. */
interface ReceivedPackets {
  readonly byFrame: ReadonlyMap<number, readonly number[]>;
  readonly byThread: ReadonlyMap<number, readonly number[]>;
}

function receivedPackets(matched: MatchedPackets | undefined): ReceivedPackets {
  const byFrame = new Map<number, number[]>();
  const byThread = new Map<number, number[]>();
  if (matched === undefined) return { byFrame, byThread };
  const { direction, frame, worker, length } = matched.packets;
  for (let row = 0; row < length; row++) {
    if (direction[row] !== PACKET_RECEIVED || matched.senderHost[row] < 0) continue;
    if (frame[row] > 0) addTo(byFrame, frame[row], row);
    else addTo(byThread, worker[row], row);
  }
  return { byFrame, byThread };
}

function receivedAt({ packets, toGraph }: HostPart, row: number): number {
  return toGraph(packets?.packets.time[row] ?? NaN);
}

/**
 * Active paths of an open trace, and virtual machines on them. The graph of its hosts is cached between questions, so
 * that dragging a range decodes nothing twice; while the trace is read the graph is rebuilt when more is known.
 */
import type { LockGraph } from '../../graph/lock-graph.ts';
import { assert } from '../../base/assert.ts';
import type { Criterion, PathRequest, Path } from '../../graph/path.ts';
import type { GraphWorker } from '../../graph/execution-graph.ts';
import { findPath } from '../../graph/find-path.ts';
import { graphHost, HistoryGraph } from '../../graph/history-graph.ts';
import { cpuTotals } from '../../linux/states/read/cpu-totals.ts';
import type { KernelTables } from '../../linux/states/reduce/kernel-tables.ts';
import type { MatchedPackets } from '../../linux/states/reduce/packet-rows.ts';
import { CPU_HARDIRQ, CPU_SOFTIRQ, CPU_TIMER } from '../../linux/events/values.ts';
import { areSynchronised, type ExperimentClock } from '../../sync/host-clocks.ts';
import { matchedPackets } from '../../sync/matched-packets.ts';
import type { PacketMatches } from '../../sync/packet-matches.ts';
import type { DisplayTime } from '../context/display-time.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../context/host.ts';
import type { HostSync } from '../sync/host-sync.ts';
import { threadOfKey } from '../context/thread-rows.ts';

import type { TimeRange } from '../../protocol/range.ts';
import { findGuests, type Guest, type GuestChoice } from '../../graph/guests.ts';
import { RUNNING } from '../../graph/path-codes.ts';
import type { VirtualCpus } from '../../graph/virtual-cpus.ts';

export interface PathLocks {
  readonly graph: LockGraph;
  /** Whether any wait for a lock or a futex was recorded. */
  readonly hasWaits: boolean;
  readonly hostOf: (worker: GraphWorker) => number;
  /** The lock that a cause or value of a worker's wait names: in output, and as a display name. */
  readonly keyOf: (worker: GraphWorker, cause: number) => string;
  readonly wordsOf: (worker: GraphWorker, cause: number) => string;
  /** Its id in answers about locks; undefined: none is named. */
  readonly idOf: (worker: GraphWorker, cause: number) => string | undefined;
}

/** A host as it is now, with what paths need. */
export interface PathHost extends KernelHost {
  readonly tables: KernelTables;
  /** Whether any interrupt, softirq or timer was recorded: they end many waits. */
  readonly hasInterrupts: boolean;
}

/** The graph of the hosts as they are now. */
export interface PathGraph {
  readonly graph: HistoryGraph;
  /** Hosts in the order of the graph's. */
  readonly hosts: readonly PathHost[];
  /** How their clocks relate; undefined while packets are being read. */
  readonly sync: HostSync | undefined;
  /** Clock of the experiment's hosts, by their index there, as are `names`. */
  readonly clock: ExperimentClock;
  readonly names: readonly string[];
  /** Worker of a thread's row ('thread:0:1234'); undefined: no such thread. */
  workerOfRow(row: string): GraphWorker | undefined;
}

/** Question about a worker; an end that is undefined or infinite is that of the worker's life. */
export interface PathQuestion {
  readonly worker: GraphWorker;
  readonly range: TimeRange | undefined;
  readonly criterion: Criterion;
  readonly marked: ReadonlySet<GraphWorker>;
  readonly foldLoops: boolean;
  /** Locks for criterion `lock holder`. */
  readonly locks?: PathLocks;
}

export class PathFinder {
  #known: { readonly key: readonly unknown[]; readonly made: Promise<PathGraph> } | undefined = undefined;
  /** Number of questions so far, by criterion: paths of several criteria are compared with each other. */
  readonly #asked = new Map<Criterion, number>();

  /** @param sync matches of packets; undefined while they are being read */
  constructor(
    private readonly hosts: readonly HostHistory[],
    private readonly sync: () => HostSync | undefined,
    private readonly time: DisplayTime,
  ) {}

  graph(): Promise<PathGraph> {
    const hosts = this.hosts.filter(isKernelHost);
    const sync = this.sync();
    const key = [
      sync,
      this.time.clock,
      ...hosts.flatMap(({ tables, query, clock }) => [tables, query.extent().to, clock]),
    ];
    const known = this.#known;
    if (
      known !== undefined &&
      key.length === known.key.length &&
      key.every((part, i) => part === known.key[i])
    )
      return known.made;
    const made = makeGraph(hosts, sync, this.time);
    this.#known = { key, made };
    // A failed reading is tried again with the next question.
    made.catch(() => {
      if (this.#known?.made === made) this.#known = undefined;
    });
    return made;
  }

  /**
   * Registers a question of a criterion, which replaces earlier ones.
   * @returns whether it is still the latest one
   */
  ask(criterion: Criterion): () => boolean {
    const number = (this.#asked.get(criterion) ?? 0) + 1;
    this.#asked.set(criterion, number);
    return () => number === this.#asked.get(criterion);
  }

  /** Interval of a question; an end that is undefined or infinite becomes that of the worker's life. */
  async rangeOf(
    { graph }: PathGraph,
    worker: GraphWorker,
    { from, to }: TimeRange = { from: -Infinity, to: Infinity },
  ): Promise<TimeRange> {
    const isWhole = Number.isFinite(from) && Number.isFinite(to);
    const life = isWhole ? { from, to } : await graph.lifeOf(worker);
    const begin = Number.isFinite(from) ? from : life.from;
    const end = Number.isFinite(to) ? to : life.to;
    return { from: begin, to: Math.max(begin, end) };
  }

  /** @returns undefined when the question was given up */
  async find(known: PathGraph, question: PathQuestion, isWanted: () => boolean): Promise<Path | undefined> {
    const { graph } = known;
    const range = await this.rangeOf(known, question.worker, question.range);
    const request: PathRequest = { ...question, ...range };
    if (request.criterion !== 'lock holder') return findPath(graph, request, isWanted);
    assert(question.locks !== undefined, 'locks are known');
    return findPath(question.locks.graph, request, isWanted);
  }
}

/**
 * The packets of a host, with senders by place among `hosts`, the hosts of the graph. Where the relation of two clocks
 * is not known no path goes from one host to the other, as all times beyond would be invented.
 */
function packetsOf(
  { index, tables }: PathHost,
  hosts: readonly PathHost[],
  matches: readonly PacketMatches[],
  clock: ExperimentClock,
): MatchedPackets {
  const matched = matchedPackets(tables.packets, matches[index]);
  const places = new Map(
    hosts.flatMap((host, place) =>
      host.index === index || areSynchronised(clock, index, host.index) ? [[host.index, place]] : [],
    ),
  );
  return { ...matched, senderHost: matched.senderHost.map((host) => places.get(host) ?? -1) };
}

async function pathHost(host: KernelHost): Promise<PathHost> {
  const { index, eventNames, recorder, tables, logs, query, clock } = host;
  const { from, to } = query.extent();
  const totals = await cpuTotals(query, tables, { from, to });
  const hasInterrupts = totals.some((ns) => ns[CPU_HARDIRQ] + ns[CPU_SOFTIRQ] + ns[CPU_TIMER] > 0);
  const whole = { ...tables, ...(await logs()) };
  return { index, eventNames, recorder, tables: whole, logs, query, clock, hasInterrupts };
}

async function makeGraph(
  known: readonly KernelHost[],
  sync: HostSync | undefined,
  time: DisplayTime,
): Promise<PathGraph> {
  const { clock: shown } = time;
  const hosts = await Promise.all(known.map(pathHost));
  const matches = await sync?.matches();
  const matched = hosts.map((host) => matches && packetsOf(host, hosts, matches, shown));
  const graphHosts = hosts.map((host, i) => {
    return graphHost(host, (ns) => host.clock.toExperiment(ns), matched[i]);
  });
  const graph = new HistoryGraph(await Promise.all(graphHosts));
  return {
    graph,
    hosts,
    sync,
    clock: shown,
    names: time.hosts.map(({ name }) => name),
    workerOfRow(row) {
      const [kind, host, ...rest] = row.split(':');
      const place = hosts.findIndex(({ index }) => index === Number(host));
      if (kind !== 'thread' || place < 0) return undefined;
      const thread = threadOfKey(hosts[place].tables, rest.join(':'));
      return thread < 0 ? undefined : graph.workerOfThread(place, thread);
    },
  };
}

/** The virtual CPUs of the graph's hosts whose clocks are known relative to their host's. */
export function virtualCpusOf(known: PathGraph, choices: readonly GuestChoice[] = []): VirtualCpus {
  const { graph, hosts, clock } = known;
  const placeOf = (host: number): number => hosts.findIndex(({ index }) => index === host);
  const found = new Map<number, Map<number, number>>();
  for (const { guest, machine } of findGuests(hosts, choices)) {
    if (machine === undefined || !areSynchronised(clock, guest, machine.host)) continue;
    const threads = Array.from(machine.threads, ([cpu, row]): [number, number] => {
      return [cpu, graph.workerOfThread(placeOf(machine.host), row)];
    });
    found.set(placeOf(guest), new Map(threads));
  }
  return found;
}

export interface GuestOnPath extends Guest {
  /** Whether its clock is known relative to its host's, and so the time that the host took from it. */
  readonly isSynchronised: boolean;
}

/** Hosts with running time on a path that may be virtual machines. */
export function guestsOnPath(
  { graph, hosts, clock }: PathGraph,
  { segments: s }: Path,
  choices: readonly GuestChoice[] = [],
): GuestOnPath[] {
  const running = new Set<number>();
  for (let i = 0; i < s.length; i++)
    if (s.label[i] === RUNNING) running.add(hosts[graph.place(s.worker[i]).host].index);
  return findGuests(hosts, choices)
    .filter(({ guest }) => running.has(guest))
    .map((guest) => {
      const { machine } = guest;
      const isSynchronised = machine !== undefined && areSynchronised(clock, guest.guest, machine.host);
      return { ...guest, isSynchronised };
    });
}

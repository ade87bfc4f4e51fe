/** The execution graph of some traces, as a session has it: histories in segments, edges decoded from them. */
import { graphHost, HistoryGraph } from '../../src/engine/graph/history-graph.ts';
import { LABELS } from '../../src/engine/graph/path-codes.ts';
import { pathNames, type PathNames } from '../../src/engine/graph/path-names.ts';
import type { Path } from '../../src/engine/graph/path.ts';
import type { HistoryQuery } from '../../src/engine/history/query-types.ts';
import { createQuery } from '../../src/engine/history/query.ts';
import type { KernelTables } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import type { MatchedPackets } from '../../src/engine/linux/states/reduce/packet-rows.ts';
import { threadKey } from '../../src/engine/linux/states/reduce/thread-table.ts';
import { matchedPackets } from '../../src/engine/sync/matched-packets.ts';
import { synchronise } from '../../src/engine/sync/synchronise.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import { runStored } from './engine-run.ts';
import { lateIntervals } from '../../src/engine/linux/states/read/late-intervals.ts';

export interface TracedHost {
  /** In front of its workers' names: `client:`. */
  readonly prefix?: string;
  readonly files: TraceFiles;
  /** Time of the graph at the first event, default 0. */
  readonly firstEvent?: number;
  /** Instead: time of the graph for a HostNs. */
  readonly toGraph?: (time: number) => number;
}

export interface RunHost {
  readonly tables: KernelTables;
  readonly query: HistoryQuery;
  readonly prefix: string;
  readonly toGraph: (time: number) => number;
}

export interface GraphRun {
  readonly graph: HistoryGraph;
  readonly names: PathNames;
  readonly hosts: readonly RunHost[];
  /** Worker by name; throws for one that is not there. */
  workerOf(key: string): number;
}

export async function runGraph(traced: readonly TracedHost[], segmentIntervals?: number): Promise<GraphRun> {
  const hosts: RunHost[] = [];
  for (const host of traced) hosts.push(await runHost(host, segmentIntervals));
  return graphOfHosts(hosts);
}

/** @param matches default: those of synchronisation */
export async function graphOfHosts(
  hosts: readonly RunHost[],
  matches: readonly MatchedPackets[] = matchesOf(hosts),
): Promise<GraphRun> {
  const graph = new HistoryGraph(
    await Promise.all(hosts.map((host, i) => graphHost(host, host.toGraph, matches[i]))),
  );
  const workers = new Map<string, number>();
  hosts.forEach(({ tables: { threads }, prefix }, host) => {
    for (let row = 0; row < threads.length; row++)
      workers.set(prefix + threadKey(threads, row), graph.workerOfThread(host, row));
  });
  return {
    graph,
    names: pathNames(graph, hosts),
    hosts,
    workerOf(key) {
      const worker = workers.get(key);
      if (worker === undefined) throw new Error(`no thread ${key}`);
      return worker;
    },
  };
}

/** By place among the hosts, whatever their names. */
function matchesOf(hosts: readonly RunHost[]): MatchedPackets[] {
  const { matches } = synchronise(
    hosts.map(({ tables: { packets, cpus } }, i) => {
      return { name: String(i), packets, start: Math.min(...cpus.map(({ first }) => first)) };
    }),
  );
  return hosts.map(({ tables: { packets } }, i) => matchedPackets(packets, matches[i]));
}

export async function runHost(host: TracedHost, segmentIntervals?: number): Promise<RunHost> {
  const { prefix = '', files, firstEvent = 0 } = host;
  const { builder, tables } = await runStored(files, {}, segmentIntervals);
  const shift = firstEvent - Math.min(...tables.cpus.map((cpu) => cpu.first));
  const { toGraph = (time: number) => time + shift } = host;
  return { tables, query: createQuery(builder, lateIntervals(tables)), prefix, toGraph };
}

/** `WORKER FROM TO LABEL CAUSE` of each segment. */
export function segmentLines({ segments: s }: Path, names: PathNames): string[] {
  return Array.from({ length: s.length }, (_, i) => {
    const cause = names.cause(s.worker[i], s.label[i], s.cause[i]);
    return `${names.worker(s.worker[i])} ${s.from[i]} ${s.to[i]} ${LABELS[s.label[i]]} ${cause}`;
  });
}

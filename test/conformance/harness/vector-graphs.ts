/** Graphs of fixtures: given edge by edge, or made of events, which go through the state reducer of each host as a trace's would. */
import { HistoryBuilder } from '../../../src/engine/history/builder.ts';
import type { HistoryQuery } from '../../../src/engine/history/query-types.ts';
import { createQuery } from '../../../src/engine/history/query.ts';
import { kernelState } from '../../../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../../../src/engine/linux/states/reduce/kernel-tables.ts';
import {
  KEY_TCP,
  type MatchedPackets,
  PACKET_KEY_WORDS,
  PACKET_SENT,
  type PacketRows,
} from '../../../src/engine/linux/states/reduce/packet-rows.ts';
import { kernelSchemeOf } from '../../../src/engine/linux/events/schemes.ts';
import * as transitions from '../../../src/engine/linux/states/map/transitions.ts';
import { graphHost, HistoryGraph } from '../../../src/engine/graph/history-graph.ts';
import { LABELS } from '../../../src/engine/graph/path-codes.ts';
import { pathNames, type PathNames } from '../../../src/engine/graph/path-names.ts';
import { LiteralGraph } from '../../support/literal-graph.ts';
import { labelOfType, type VectorEvent, vertexOf, type VectorGraph } from './fixture.ts';
import { lateIntervals } from '../../../src/engine/linux/states/read/late-intervals.ts';

export interface NamedLiteralGraph {
  readonly graph: LiteralGraph;
  /** Worker by number. */
  readonly names: readonly string[];
}

export function literalGraphOf({ edges }: VectorGraph): NamedLiteralGraph {
  const graph = new LiteralGraph();
  const names: string[] = [];
  const numberOf = (worker: string): number => {
    const known = names.indexOf(worker);
    return known >= 0 ? known : names.push(worker) - 1;
  };
  const ends = new Map<string, string>();
  const begins = new Set<string>();
  for (const { kind, from, to, type, qualifier } of edges) {
    if (kind !== 'horizontal') continue;
    const { worker, ts: begin } = vertexOf(from);
    const [label, cause] = labelOfType(type, qualifier);
    graph.edges(numberOf(worker), { begin, end: vertexOf(to).ts, label: LABELS.indexOf(label), cause });
    ends.set(to, label);
    begins.add(from);
  }
  for (const { kind, from, to } of edges) {
    if (kind !== 'vertical') continue;
    const [source, target] = [vertexOf(from), vertexOf(to)];
    const [giver, taker] = [numberOf(source.worker), numberOf(target.worker)];
    const ended = ends.get(to);
    if (ended === 'blocked') graph.wakeUp(giver, source.ts, taker, target.ts);
    else if (ended !== undefined) graph.packet(giver, source.ts, taker, target.ts);
    else if (begins.has(to)) graph.fork(giver, target.ts, taker);
  }
  return { graph, names };
}

export interface TracedGraph {
  readonly graph: HistoryGraph;
  readonly names: PathNames;
  /** Number of thread `HOST:TID`; undefined: not mentioned. */
  workerOf(name: string): number | undefined;
}

interface VectorHost {
  readonly tables: KernelTables;
  readonly query: HistoryQuery;
  readonly prefix: string;
}

export async function graphOfEvents(events: readonly VectorEvent[]): Promise<TracedGraph> {
  const hosts: VectorHost[] = [];
  for (const name of new Set(events.map(({ host }) => host)))
    hosts.push(
      reduceHost(
        name,
        events.filter(({ host }) => host === name),
      ),
    );
  const matched = matchByNumber(hosts.map(({ tables }) => tables.packets));
  const graph = new HistoryGraph(
    await Promise.all(hosts.map((host, i) => graphHost(host, (time) => time, matched[i]))),
  );
  const names = pathNames(graph, hosts);
  const workers = new Map<string, number>();
  hosts.forEach(({ tables }, host) => {
    for (let row = 0; row < tables.threads.length; row++) {
      const worker = graph.workerOfThread(host, row);
      workers.set(names.worker(worker), worker);
    }
  });
  return { graph, names, workerOf: (name) => workers.get(name) };
}

function reduceHost(name: string, events: readonly VectorEvent[]): VectorHost {
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf });
  const cpus = [...new Set(events.map(({ cpu }) => cpu))].sort((a, b) => a - b);
  const begin = events[0]?.ts ?? 0;
  const host = {
    index: 0,
    name,
    kernelRelease: '',
    cpus,
    hasWaking: false,
    tellsQueues: true,
    recordsCalls: true,
    begin,
  };
  const reducer = kernelState.reducer(builder, host);
  const chunkResult = chunkResultOf(events);
  reducer.run(chunkResult, 0, chunkResult.length);
  const tables = reducer.finish(events.at(-1)?.ts ?? begin);
  builder.finish(tables.end);
  return { tables, query: createQuery(builder, lateIntervals(tables)), prefix: `${name}:` };
}

/** What an event of the vectors' layout changes; others change nothing. */
function transitionOf(
  { name, fields }: VectorEvent,
  text: (text: string) => number,
): readonly number[] | undefined {
  const number = (field: string): number => Number(fields[field]);
  switch (name) {
    case 'sched_switch':
      return [
        transitions.T_SWITCH,
        number('prev_tid'),
        number('next_tid'),
        number('prev_state'),
        text(String(fields.prev_comm)),
        text(String(fields.next_comm)),
        transitions.ABSENT,
      ];
    case 'sched_wakeup':
      return [transitions.T_WAKEUP, number('tid'), number('target_cpu'), text(String(fields.comm))];
    case 'softirq_entry':
      return [transitions.T_ENTER, transitions.FRAME_SOFTIRQ, number('vec'), 0, transitions.ABSENT];
    case 'softirq_exit':
      return [transitions.T_LEAVE, transitions.FRAME_SOFTIRQ, number('vec'), 0, transitions.ABSENT];
    case 'irq_handler_entry':
      return [transitions.T_ENTER, transitions.FRAME_IRQ, number('irq'), 0, text(String(fields.name))];
    case 'irq_handler_exit':
      return [transitions.T_LEAVE, transitions.FRAME_IRQ, number('irq'), 0, transitions.ABSENT];
    case 'packet_sent':
      return [transitions.T_SENT];
    case 'packet_received':
      return [transitions.T_RECEIVED];
    default:
      return undefined;
  }
}

function chunkResultOf(events: readonly VectorEvent[]): transitions.StateChunk {
  const writer = new transitions.ChunkResultWriter();
  const texts: string[] = [];
  const keys: number[] = [];
  for (const event of events) {
    const transition = transitionOf(event, (text) => texts.push(text) - 1);
    if (transition === undefined) continue;
    const [kind, ...args] = transition;
    if (kind === transitions.T_SENT || kind === transitions.T_RECEIVED)
      args.push(keys.push(Number(event.fields.msgid)) - 1);
    const at = writer.append(event.ts, kind, event.cpu);
    args.forEach((arg, i) => (writer.args[at + i] = arg));
  }
  const key = new Uint32Array(keys.length * PACKET_KEY_WORDS);
  keys.forEach((number, i) => (key[i * PACKET_KEY_WORDS] = number));
  const packets = { kind: new Uint8Array(keys.length).fill(KEY_TCP), key };
  const historyText = new Int32Array(texts.length).fill(-1);
  return { ...writer.columns(), texts, packets, historyText, windows: [] };
}

/** A packet's first word is its number, which no other has. */
function matchByNumber(hosts: readonly PacketRows[]): MatchedPackets[] {
  const sent = new Map<number, { readonly host: number; readonly row: number }>();
  hosts.forEach(({ direction, key }, host) =>
    direction.forEach((way, row) => {
      if (way === PACKET_SENT) sent.set(key[row * PACKET_KEY_WORDS], { host, row });
    }),
  );
  return hosts.map((packets) => {
    const senders = Array.from(packets.direction, (way, row) =>
      way === PACKET_SENT ? undefined : sent.get(packets.key[row * PACKET_KEY_WORDS]),
    );
    return {
      packets,
      senderHost: Int32Array.from(senders, (sender) => sender?.host ?? -1),
      senderRow: Int32Array.from(senders, (sender) => sender?.row ?? -1),
      copyBefore: new Int32Array(packets.length).fill(-1),
    };
  });
}

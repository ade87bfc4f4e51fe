/** What the engine makes of the traces of a play, beside what the play knows. */
import { findPath } from '../../src/engine/graph/find-path.ts';
import { BLOCKED } from '../../src/engine/graph/path-codes.ts';
import { causeNumber } from '../../src/engine/graph/thread-edges.ts';
import { stateOf, STATE_BLOCKED_S, STATE_PARKED } from '../../src/engine/linux/events/values.ts';
import { matchedPackets } from '../../src/engine/sync/matched-packets.ts';
import { synchronise, type Synchronisation } from '../../src/engine/sync/synchronise.ts';
import { graphOfHosts, runHost, segmentLines, type GraphRun, type RunHost } from '../support/graph-run.ts';
import { splitPackets } from '../support/packet-splitter.ts';
import { shownAt } from '../support/simulator/clocks.ts';
import type { Machine, Thread } from '../support/simulator/machine.ts';
import { play, type Play, type Played } from '../support/simulator/play.ts';
import { TruePath, type TrueNames } from '../support/simulator/true-path.ts';

export interface PlayedRun {
  readonly story: Play;
  readonly played: Played;
  readonly graph: GraphRun;
  readonly sync: Synchronisation;
  readonly truth: TruePath;
  /** Name of a thread in the graph. */
  keyOf(thread: Thread): string;
}

export interface RunForm {
  /** Whether the graph's times are those of the hosts' clocks (HostNs); default: true times. */
  readonly ownTime?: boolean;
  /** Events of a packet at most. */
  readonly perPacket?: number;
  readonly segmentIntervals?: number;
}

export async function runPlay(story: Play, form: RunForm = {}): Promise<PlayedRun> {
  const played = play(story);
  const hosts: RunHost[] = [];
  for (const { files, machine, trueTimes, name } of played.hosts) {
    const { perPacket, segmentIntervals, ownTime = false } = form;
    const given = perPacket === undefined ? files : splitPackets(machine.tracer.model, files, perPacket);
    const toGraph = (time: number): number => (ownTime ? time : (trueTimes.get(time) ?? NaN));
    const prefix = played.hosts.length > 1 ? `${name}:` : '';
    hosts.push(await runHost({ files: given, prefix, toGraph }, segmentIntervals));
  }
  const sync = synchronise(
    hosts.map(({ tables }, i) => ({
      name: played.hosts[i].name,
      packets: tables.packets,
      start: Math.min(...tables.cpus.map((cpu) => cpu.first)),
    })),
  );
  const matches = hosts.map(({ tables }, i) => matchedPackets(tables.packets, sync.matches[i]));
  const homes = new Map(
    played.hosts.flatMap(({ machine }) => machine.threads.map((thread) => [thread, machine])),
  );
  const names = namesOf(played);
  const home = (thread: Thread): Machine => {
    const machine = homes.get(thread);
    if (machine === undefined) throw new Error('a thread belongs to a machine');
    return machine;
  };
  return {
    story,
    played,
    graph: await graphOfHosts(hosts, matches),
    sync,
    truth: new TruePath(home, names),
    keyOf: (thread) => names.thread(home(thread), thread.tid),
  };
}

function namesOf({ hosts }: Played): TrueNames {
  const prefix = ({ settings }: Machine): string => (hosts.length > 1 ? `${settings.hostname}:` : '');
  return {
    thread: (machine, tid) => `${prefix(machine)}${machine.settings.disguise?.tid(tid) ?? tid}`,
    interrupts: (machine, cpu) => `${prefix(machine)}irq/cpu${machine.settings.disguise?.cpu(cpu) ?? cpu}`,
  };
}

/** `WORKER FROM TO LABEL CAUSE` of the path that the engine finds. */
export async function foundPath(run: PlayedRun, thread: Thread, from: number, to: number): Promise<string[]> {
  const worker = run.graph.workerOf(run.keyOf(thread));
  const path = await findPath(run.graph.graph, { worker, from, to, criterion: 'main task' });
  if (path === undefined) throw new Error('the path was wanted');
  return segmentLines(path, run.graph.names);
}

/** The same of the true one. */
export function truePath({ truth }: PlayedRun, thread: Thread, from: number, to: number): string[] {
  return truth
    .of(thread, from, to)
    .map((segment) => `${segment.worker} ${segment.from} ${segment.to} ${segment.label} ${segment.cause}`);
}

/** `THREAD FROM TO CAUSE` of all waits in the histories. */
export async function foundWaits({ graph }: PlayedRun): Promise<string[]> {
  const lines: string[] = [];
  for (const [host, { tables, query, toGraph }] of graph.hosts.entries()) {
    for (let row = 0; row < tables.threads.length; row++) {
      const worker = graph.graph.workerOfThread(host, row);
      const intervals = await query.intervals(tables.threads.stateAttribute[row], 0, Infinity);
      for (const { from, to, value } of intervals) {
        if (stateOf(value) < STATE_BLOCKED_S || stateOf(value) > STATE_PARKED) continue;
        const cause = graph.names.cause(worker, BLOCKED, causeNumber(value));
        lines.push(`${graph.names.worker(worker)} ${toGraph(from)} ${toGraph(to)} ${cause}`);
      }
    }
  }
  return lines.sort();
}

/** The same of all true ones. */
export function trueWaits({ played, truth, keyOf }: PlayedRun): string[] {
  return played.hosts
    .flatMap(({ machine }) =>
      machine.threads.flatMap((thread) =>
        thread.stays.flatMap(({ from, state, source }, i) => {
          const to = thread.stays[i + 1]?.from ?? machine.tracer.last;
          return state === 'blocked' && from < to
            ? [`${keyOf(thread)} ${from} ${to} ${truth.causeOf(source)}`]
            : [];
        }),
      ),
    )
    .sort();
}

/** True times of a thread of the first host: from birth to death, or the end of the trace. */
export function lifeOf({ played }: PlayedRun, { stays }: Thread): [number, number] {
  const last = stays[stays.length - 1];
  const end = played.hosts[0].machine.tracer.last;
  return [stays[0].from, last.state === 'gone' ? Math.min(last.from, end) : end];
}

/** A clock shows whole ns: two of them differ by that much from what they would show. */
export const RESOLUTION_NS = 2;

/** HostNs of a host at a true time. */
export function shownTo({ hosts }: Play, host: number, time: number): number {
  const { clock } = hosts[host];
  return clock === undefined ? time : shownAt(clock, time) - shownAt(clock, 0);
}

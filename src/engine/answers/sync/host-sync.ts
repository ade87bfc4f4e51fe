/** How the hosts of an open trace are synchronised: computed once all packets are known, and reported to the page. */
import type { Fault } from '../../base/fault.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import { laterCode } from '../../base/later-code.ts';
import { type GuestChoice, type HostedMachine, findGuests, machinesFor } from '../../graph/guests.ts';
import type { KernelLogs } from '../../linux/states/reduce/kernel-model.ts';
import * as packetRows from '../../linux/states/reduce/packet-rows.ts';
import { lineAt, valueAt } from '../../sync/clock-transform.ts';
import { type ExperimentClock, type OwnClock, areSynchronised } from '../../sync/host-clocks.ts';
import { MARK_AMBIGUOUS, MARK_REPEATED, type PacketMatches } from '../../sync/packet-matches.ts';
import type { PairSync } from '../../sync/pair-sync.ts';
import type { SyncHost, Synchronisation } from '../../sync/synchronise.ts';
import { type HostHistory, isKernelHost, type KernelHost } from '../context/host.ts';
import type * as protocol from '../../protocol/sync.ts';

/** Code that matches packets; with several hosts it is needed when all is read. */
export const matcher = laterCode(() => import('../../sync/synchronise.ts'));

/** Maximum number of points in a pair's scatter plot. */
const MOST_POINTS = 2000;

/** Relations between clocks from packets, and the matches of packets. */
export interface HostSync {
  readonly pairs: readonly PairSync[];
  /** Matches of packets by host; made, or read from the store, on first use. */
  readonly matches: () => Promise<readonly PacketMatches[]>;
}

type Packets = { readonly logs: () => Promise<KernelLogs> };

/** Matches the packets of all hosts in the order of `clocks`. With a single host only paths need them. */
export async function synchroniseHosts(
  clocks: readonly OwnClock[],
  hosts: readonly Packets[],
): Promise<HostSync> {
  const run = async () => {
    const { synchronise } = await matcher();
    return synchronise(await syncHosts(clocks, hosts));
  };
  if (hosts.length < 2) return knownSync([], async () => (await run()).matches);
  const { pairs, matches } = await run();
  return knownSync(pairs, () => Promise.resolve(matches));
}

/** Recordings of one machine: packets stay within each recording, and say nothing about the others' times. */
export function recordingsApart(clocks: readonly OwnClock[], hosts: readonly Packets[]): HostSync {
  return knownSync([], () => {
    return Promise.all(
      hosts.map(async (host, own) => {
        const [alone] = await (await synchroniseHosts([clocks[own]], [host])).matches();
        return { ...alone, peerHost: alone.peerHost.map((other) => (other < 0 ? -1 : own)) };
      }),
    );
  });
}

/** @param read called once, and again after a failure */
export function knownSync(pairs: readonly PairSync[], read: HostSync['matches']): HostSync {
  let matches: ReturnType<typeof read> | undefined;
  const failed = (error: unknown): never => {
    matches = undefined;
    throw error;
  };
  return { pairs, matches: () => (matches ??= read().catch(failed)) };
}

/** The clock without other properties, as it is stored. */
export function ownClock({ name, recordings, joined, baseNs, offsetNs, firstEvent }: OwnClock): OwnClock {
  return { name, ...(recordings && { recordings }), ...(joined && { joined }), baseNs, offsetNs, firstEvent };
}

/**
 * @param hosts in the order of `clocks`
 * @param guests the user's statements about virtual machines
 */
export async function syncInfo(
  clocks: readonly OwnClock[],
  hosts: readonly HostHistory[],
  { pairs, matches }: HostSync,
  clock: ExperimentClock,
  guests?: readonly GuestChoice[],
): Promise<protocol.SyncInfo> {
  const rows = await syncHosts(clocks, hosts);
  const sync = { pairs, matches: await matches() };
  const infos = pairs.map((pair) => pairInfo(clocks, rows, sync.matches, clock, pair));
  return {
    reference: clock.reference,
    hosts: clocks.map((own, host) => hostInfo(own, host, clock)),
    pairs: infos,
    joined: clocks.flatMap(({ joined = [] }) => joined),
    guests: guestInfos(hosts.filter(isKernelHost), clock, guests),
    faults: [...syncFaults(rows, sync), ...offsetFaults(clocks, infos, clock)],
  };
}

/** Packets that seem to arrive before they were sent because of an offset that the user gave. */
function offsetFaults(
  clocks: readonly OwnClock[],
  pairs: readonly protocol.SyncPairInfo[],
  { hosts }: ExperimentClock,
): Fault[] {
  const isGiven = (host: number) => hosts[hosts[host].via.at(-1) ?? host].source === 'offset';
  return pairs
    .filter(({ from, to, inversionsAfter }) => inversionsAfter > 0 && (isGiven(from) || isGiven(to)))
    .map(({ from, to, inversionsAfter }) => {
      const found = `${inversionsAfter} packets of ${clocks[from].name} and ${clocks[to].name}`;
      return { code: 'sync-offset-wrong', place: {}, found };
    });
}

async function syncHosts(clocks: readonly OwnClock[], hosts: readonly Packets[]): Promise<SyncHost[]> {
  const logs = await Promise.all(hosts.map((host) => host.logs()));
  return clocks.map(({ name, firstEvent }, host) => {
    return { name, start: firstEvent, packets: logs[host].packets };
  });
}

function hostInfo(own: OwnClock, host: number, { hosts, originNs }: ExperimentClock): protocol.SyncHostInfo {
  const { transform, source, via, uncertaintyNs } = hosts[host];
  const { baseNs, offsetNs, firstEvent, name } = own;
  const apart = Number(originNs - baseNs - offsetNs);
  return {
    host,
    name,
    source,
    slope: 1 + lineAt(transform.lines, firstEvent).drift,
    offsetNs: apart + transform.toExperiment(firstEvent) - firstEvent,
    uncertaintyNs,
    via,
  };
}

function pairInfo(
  clocks: readonly OwnClock[],
  rows: readonly SyncHost[],
  matches: readonly PacketMatches[],
  clock: ExperimentClock,
  pair: PairSync,
): protocol.SyncPairInfo {
  const { a, b, lines, from, to } = pair;
  const middle = Math.round((from + to) / 2);
  const line = lines && lineAt(lines, middle);
  const apart = epochOf(clocks[b]) - epochOf(clocks[a]);
  return {
    from: a,
    to: b,
    state: pair.state,
    matched: pair.matched,
    ambiguous: pair.ambiguous,
    weak: pair.weak,
    oneWay: pair.oneWay,
    slope: line && 1 + line.drift,
    offsetNs: line && Number(apart) + valueAt(line, middle) - middle,
    atNs: line && clock.hosts[a].transform.toExperiment(middle),
    uncertaintyNs: pair.uncertaintyNs,
    driftUncertainty: pair.driftUncertainty,
    stretches: lines?.length ?? 0,
    ...inversions(rows, matches, clock, pair, Number(apart)),
    residuals: residuals(rows, matches, clock, pair),
  };
}

function epochOf({ baseNs, offsetNs }: OwnClock): bigint {
  return baseNs + offsetNs;
}

type MatchVisitor = (sent: HostNs, received: HostNs, isForward: boolean, marks: number) => void;

/** Calls `visit` for every packet between two hosts, with the times of sender and receiver; forward: from a to b. */
function eachMatch(
  rows: readonly SyncHost[],
  matches: readonly PacketMatches[],
  pair: PairSync,
  visit: MatchVisitor,
): void {
  const oneWay = (
    sender: packetRows.PacketRows,
    host: number,
    receiver: packetRows.PacketRows,
    own: number,
  ): void => {
    const { peer, peerHost, marks } = matches[own];
    for (let row = 0; row < receiver.length; row++) {
      if (receiver.direction[row] !== packetRows.PACKET_RECEIVED || peerHost[row] !== host) continue;
      if ((marks[row] & MARK_REPEATED) !== 0) continue;
      visit(sender.time[peer[row]], receiver.time[row], host === pair.a, marks[row]);
    }
  };
  oneWay(rows[pair.a].packets, pair.a, rows[pair.b].packets, pair.b);
  oneWay(rows[pair.b].packets, pair.b, rows[pair.a].packets, pair.a);
}

/**
 * Number of packets received before they were sent: by the hosts' own clocks, and in the experiment's time.
 * @param apart HostNs 0 of b minus that of a, by their own clocks, ns
 */
function inversions(
  rows: readonly SyncHost[],
  matches: readonly PacketMatches[],
  { hosts }: ExperimentClock,
  pair: PairSync,
  apart: number,
): { readonly inversionsBefore: number; readonly inversionsAfter: number } {
  const toExperiment = [hosts[pair.a].transform, hosts[pair.b].transform];
  let inversionsBefore = 0;
  let inversionsAfter = 0;
  eachMatch(rows, matches, pair, (sent, received, isForward) => {
    const [from, to] = isForward ? toExperiment : [toExperiment[1], toExperiment[0]];
    if (received - sent + (isForward ? apart : -apart) < 0) inversionsBefore++;
    if (to.toExperiment(received) < from.toExperiment(sent)) inversionsAfter++;
  });
  return { inversionsBefore, inversionsAfter };
}

/** Distance of packets from the line: the delay of those that a sent, the negative delay of those that it received. */
function residuals(
  rows: readonly SyncHost[],
  matches: readonly PacketMatches[],
  { hosts }: ExperimentClock,
  pair: PairSync,
): protocol.SyncResiduals {
  const { lines, a, matched } = pair;
  const step = Math.max(1, Math.ceil(matched / MOST_POINTS));
  const points: { readonly time: DisplayNs; readonly residual: number; readonly isUsed: boolean }[] = [];
  let seen = 0;
  eachMatch(rows, matches, pair, (sent, received, isForward, marks) => {
    if (lines === undefined || seen++ % step !== 0) return;
    const [x, y] = isForward ? [sent, received] : [received, sent];
    const residual = y - valueAt(lineAt(lines, x), x);
    points.push({
      time: hosts[a].transform.toExperiment(x),
      residual,
      isUsed: (marks & MARK_AMBIGUOUS) === 0,
    });
  });
  points.sort((p, q) => p.time - q.time);
  return {
    timeNs: Float64Array.from(points, ({ time }) => time),
    residualNs: Float64Array.from(points, ({ residual }) => residual),
    isUsed: Uint8Array.from(points, ({ isUsed }) => (isUsed ? 1 : 0)),
  };
}

/** Reasons why hosts' clocks are unknown or inexact, as faults that say what to record (docs/errors.md). @internal */
export function syncFaults(
  hosts: readonly SyncHost[],
  { pairs, matches }: Pick<Synchronisation, 'pairs' | 'matches'>,
): Fault[] {
  const faults: Fault[] = [];
  const silent = hosts.filter(({ packets }) => packets.length === 0);
  if (hosts.length > 1) {
    for (const { name } of silent) faults.push({ code: 'sync-no-packets', place: {}, found: `host ${name}` });
  }
  const isUnclear = matches.map(({ marks }) => marks.some((mark) => (mark & MARK_AMBIGUOUS) !== 0));
  for (const { a, b, state, matched } of pairs) {
    const found = `${hosts[a].name} and ${hosts[b].name}`;
    if (state === 'failed') faults.push({ code: 'sync-failed', place: {}, found });
    if (isConnected(a, b, pairs)) continue;
    const isMet = matched > 0 || (isUnclear[a] && isUnclear[b]);
    faults.push({ code: isMet ? 'sync-unclear' : 'sync-no-match', place: {}, found });
  }
  hosts.forEach(({ name, packets }, host) => {
    const unmatched = unmatchedPackets(packets, matches[host]);
    const hasMatch = matches[host].peerHost.some((other) => other >= 0 && other !== host);
    if (unmatched === 0 || hasMatch || pairs.some(({ a, b }) => a === host || b === host)) return;
    faults.push({ code: 'sync-peer-missing', place: {}, found: `${unmatched} packets of host ${name}` });
  });
  return faults;
}

/** Whether the relation of two hosts' clocks is known, directly or by way of other hosts. */
function isConnected(a: number, b: number, pairs: Synchronisation['pairs']): boolean {
  const known = new Set([a]);
  for (const host of known) {
    for (const pair of pairs) {
      if (pair.lines === undefined || (pair.a !== host && pair.b !== host)) continue;
      known.add(pair.a).add(pair.b);
    }
  }
  return known.has(b);
}

const LOOPBACK_NET = 127;

/** Number of packets to or from other hosts whose other end is in no trace. */
function unmatchedPackets(
  { length, key, keyKind }: packetRows.PacketRows,
  { peerHost }: PacketMatches,
): number {
  let count = 0;
  for (let row = 0; row < length; row++) {
    if (peerHost[row] >= 0 || (keyKind[row] & packetRows.KEY_PROTOCOL) === packetRows.KEY_BUFFER) continue;
    const at = row * packetRows.PACKET_KEY_WORDS;
    const isOwn =
      key[at + packetRows.WORD_SOURCE] === key[at + packetRows.WORD_DESTINATION] &&
      key[at + packetRows.WORD_SOURCE] !== 0;
    const isLoopback =
      key[at + packetRows.WORD_SOURCE] >>> 24 === LOOPBACK_NET &&
      (keyKind[row] & packetRows.KEY_LONG_ADDRESSES) === 0;
    if (!isOwn && !isLoopback) count++;
  }
  return count;
}

/** Guests (hosts that are a virtual machine on another host), in their order. */
function guestInfos(
  hosts: readonly KernelHost[],
  clock: ExperimentClock,
  choices?: readonly GuestChoice[],
): protocol.GuestInfo[] {
  const found = findGuests(hosts, choices);
  return hosts.flatMap(({ index }): protocol.GuestInfo[] => {
    const machines = machinesFor(index, hosts).map(machineInfo);
    if (machines.length === 0) return [];
    const { machine, isGiven = false } = found.find(({ guest }) => guest === index) ?? {};
    return [
      {
        guest: index,
        machine: machine && machineInfo(machine),
        isGiven,
        machines,
        isSynchronised: machine !== undefined && areSynchronised(clock, index, machine.host),
      },
    ];
  });
}

function machineInfo({ host, pid, name, threads }: HostedMachine): protocol.MachineInfo {
  return { host, pid, name, cpus: threads.size };
}

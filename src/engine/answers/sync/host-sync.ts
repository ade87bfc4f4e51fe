/** How the hosts of an open trace are synchronised: known once all packets are, and reported to the page. */
import type { Fault } from '../../base/fault.ts';
import type { DisplayNs, HostNs } from '../../base/units.ts';
import { laterCode } from '../../base/later-code.ts';
import type { GuestChoice } from '../../graph/guests.ts';
import type { KernelLogs } from '../../linux/states/reduce/kernel-model.ts';
import { PACKET_RECEIVED, type PacketRows } from '../../linux/states/reduce/packet-rows.ts';
import { lineAt, valueAt } from '../../sync/clock-transform.ts';
import type { ExperimentClock, OwnClock } from '../../sync/host-clocks.ts';
import { MARK_AMBIGUOUS, MARK_REPEATED, type PacketMatches } from '../../sync/packet-matches.ts';
import type { PairSync } from '../../sync/pair-sync.ts';
import { syncFaults } from '../../sync/sync-faults.ts';
import type { SyncHost } from '../../sync/synchronise.ts';
import { guestInfos } from './guest-infos.ts';
import { type HostHistory, isKernelHost } from '../context/host.ts';
import type { SyncHostInfo, SyncInfo, SyncPairInfo, SyncResiduals } from '../../protocol/sync.ts';

/** Code that matches packets: of several hosts it is needed once all is read. */
export const matcher = laterCode(() => import('../../sync/synchronise.ts'));

/** Points of a pair's scatter plot. */
const MOST_POINTS = 2000;

/** Relations between clocks as packets tell them, and the packets that belong together. */
export interface HostSync {
  readonly pairs: readonly PairSync[];
  /** Matches of packets by host; matched, or read from the store, when they are first asked for. */
  readonly matches: () => Promise<readonly PacketMatches[]>;
}

type Packets = { readonly logs: () => Promise<KernelLogs> };

/**
 * Matches the packets of all hosts. Those of a single one say nothing about clocks: only paths need them.
 * @param hosts in the order of `clocks`; their packets are known
 */
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

/** Recordings of one machine: packets went within each alone, and say nothing about the times of the others. */
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

/** @param read is called once, and again where it failed */
export function knownSync(pairs: readonly PairSync[], read: HostSync['matches']): HostSync {
  let matches: ReturnType<typeof read> | undefined;
  const failed = (error: unknown): never => {
    matches = undefined;
    throw error;
  };
  return { pairs, matches: () => (matches ??= read().catch(failed)) };
}

/** The clock alone, as it is stored. */
export function ownClock({ name, recordings, joined, baseNs, offsetNs, firstEvent }: OwnClock): OwnClock {
  return { name, ...(recordings && { recordings }), ...(joined && { joined }), baseNs, offsetNs, firstEvent };
}

/**
 * @param hosts in the order of `clocks`
 * @param guests what the user knows of virtual machines
 */
export async function syncInfo(
  clocks: readonly OwnClock[],
  hosts: readonly HostHistory[],
  { pairs, matches }: HostSync,
  clock: ExperimentClock,
  guests?: readonly GuestChoice[],
): Promise<SyncInfo> {
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

/** Packets that arrive before they were sent by an offset that the user gave. */
function offsetFaults(
  clocks: readonly OwnClock[],
  pairs: readonly SyncPairInfo[],
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

function hostInfo(own: OwnClock, host: number, { hosts, originNs }: ExperimentClock): SyncHostInfo {
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
): SyncPairInfo {
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

/** Every packet that went between the two, by the clocks of sender and receiver; forward: from a to b. */
function eachMatch(
  rows: readonly SyncHost[],
  matches: readonly PacketMatches[],
  pair: PairSync,
  visit: MatchVisitor,
): void {
  const oneWay = (sender: PacketRows, host: number, receiver: PacketRows, own: number): void => {
    const { peer, peerHost, marks } = matches[own];
    for (let row = 0; row < receiver.length; row++) {
      if (receiver.direction[row] !== PACKET_RECEIVED || peerHost[row] !== host) continue;
      if ((marks[row] & MARK_REPEATED) !== 0) continue;
      visit(sender.time[peer[row]], receiver.time[row], host === pair.a, marks[row]);
    }
  };
  oneWay(rows[pair.a].packets, pair.a, rows[pair.b].packets, pair.b);
  oneWay(rows[pair.b].packets, pair.b, rows[pair.a].packets, pair.a);
}

/**
 * Packets received before they were sent: by the hosts' own clocks, and in the experiment's time.
 * @param apart what b's HostNs 0 is later than a's by their own clocks, ns
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

/** How far packets lie from the line: the delay of those that a sent, the negative one of those it received. */
function residuals(
  rows: readonly SyncHost[],
  matches: readonly PacketMatches[],
  { hosts }: ExperimentClock,
  pair: PairSync,
): SyncResiduals {
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

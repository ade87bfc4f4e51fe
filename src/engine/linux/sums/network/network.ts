/**
 * Packets and bytes by network interface and peer. An aggregate: each event says all that is needed. The peer is the
 * address that a packet goes to or comes from, where its IP header is recorded. Bytes are those that the event gives: a
 * sent packet has the header of its link, a received one has it no more.
 */
import type { Analysis, EventBatch, ProjectionPlan } from '../../../analysis/contract.ts';
import { compareText } from '../../../base/compare-text.ts';
import { cachedByKey } from '../../../base/cached-by-key.ts';
import { kernelKind } from '../../events/kernel-events.ts';
import { PacketTally } from './packet-chunk-reader.ts';

export interface PacketSum {
  packets: number;
  bytes: number;
}

/** What an interface exchanged with one peer. */
export interface PeerTraffic {
  readonly host: number;
  readonly interface: string;
  /** Address as text; '' where the packet has no IP header, or none is recorded. */
  readonly peer: string;
  readonly sent: Readonly<PacketSum>;
  readonly received: Readonly<PacketSum>;
}

/** In order of host, interface, peer; none twice. */
export type NetworkLeaf = readonly PeerTraffic[];

export const network: Analysis<NetworkLeaf, NetworkLeaf> = {
  id: 'network',
  version: 1,
  reads: {
    kinds: [
      kernelKind('packet-sent', 'destination', 'interface', 'length'),
      kernelKind('packet-transmitted', 'rc', 'interface', 'length'),
      kernelKind('packet-received', 'source', 'interface', 'length'),
    ],
  },
  map: (batch: EventBatch) =>
    batch.domain === 'kernel' ? mergeTraffic(tallyOf(batch.plan).count(batch)) : [],
  merge: (leaves) => mergeTraffic(leaves.flat()),
  empty: [],
  finish: (leaf) => leaf,
};

const tallyOf = cachedByKey((plan: ProjectionPlan) => new PacketTally(plan));

function mergeTraffic(parts: NetworkLeaf): NetworkLeaf {
  const sums = new Map<string, PeerTraffic>();
  for (const part of parts) {
    const key = JSON.stringify([part.host, part.interface, part.peer]);
    const known = sums.get(key);
    sums.set(key, known === undefined ? part : addTraffic(known, part));
  }
  return [...sums.values()].sort(
    (a, b) => a.host - b.host || compareText(a.interface, b.interface) || compareText(a.peer, b.peer),
  );
}

/** What both are, of the interface and the peer of the first. */
export function addTraffic<Row extends Pick<PeerTraffic, 'sent' | 'received'>>(
  a: Row,
  b: Pick<PeerTraffic, 'sent' | 'received'>,
): Row {
  return { ...a, sent: addSums(a.sent, b.sent), received: addSums(a.received, b.received) };
}

function addSums(a: Readonly<PacketSum>, b: Readonly<PacketSum>): PacketSum {
  return { packets: a.packets + b.packets, bytes: a.bytes + b.bytes };
}

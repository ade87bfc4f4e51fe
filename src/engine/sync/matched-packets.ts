/** Matches as the execution graph asks for them: which packet each received one is. */
import { PACKET_RECEIVED } from '../linux/states/reduce/packet-rows.ts';
import type { MatchedPackets, PacketRows } from '../linux/states/reduce/packet-rows.ts';
import type { PacketMatches } from './packet-matches.ts';

export function matchedPackets(packets: PacketRows, { peerHost, peer }: PacketMatches): MatchedPackets {
  const isReceived = (row: number) => packets.direction[row] === PACKET_RECEIVED;
  return {
    packets,
    senderHost: Int32Array.from(peerHost, (host, row) => (isReceived(row) ? host : -1)),
    senderRow: peer.map((sent, row) => (isReceived(row) ? sent : -1)),
  };
}

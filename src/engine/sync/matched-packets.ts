/** Matches in the form of the execution graph: the sending of each received packet, and retransmissions. */
import { addTo } from '../base/group-by.ts';
import { KEY_TCP, PACKET_RECEIVED } from '../linux/states/reduce/packet-rows.ts';
import type { MatchedPackets, PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { KeyGroups } from './packet-window.ts';
import { copiesOf } from './packet-copies.ts';
import { type PacketEvent, PacketKeys } from './packet-keys.ts';
import type { PacketMatches } from './packet-matches.ts';

export function matchedPackets(packets: PacketRows, { peerHost, peer }: PacketMatches): MatchedPackets {
  const isReceived = (row: number) => packets.direction[row] === PACKET_RECEIVED;
  return {
    packets,
    senderHost: Int32Array.from(peerHost, (host, row) => (isReceived(row) ? host : -1)),
    senderRow: peer.map((sent, row) => (isReceived(row) ? sent : -1)),
    copyBefore: copiesBefore(packets),
  };
}

/** Row of the last sending of the previous copy, by row; -1: received, sent once, or sent by a thread. */
function copiesBefore(packets: PacketRows): Int32Array {
  const keys = new PacketKeys([packets]);
  const groups = new KeyGroups();
  const groupOf = new Int32Array(packets.length).fill(-1);
  for (let row = 0; row < packets.length; row++) {
    if (packets.direction[row] === PACKET_RECEIVED || keys.protocol(0, row) !== KEY_TCP) continue;
    groupOf[row] = groups.join(keys.hash(0, row), row, (newest) => keys.areEqual(0, row, 0, newest));
  }
  const shared = new Map<number, PacketEvent[]>();
  groupOf.forEach((group, row) => {
    if (group >= 0 && groups.members[group] > 1) addTo(shared, group, keys.event(0, row));
  });
  const before = new Int32Array(packets.length).fill(-1);
  for (const events of shared.values()) {
    copiesOf(events, keys).forEach(({ events: own }, i, copies) => {
      const last = copies[i - 1]?.events.at(-1);
      if (last !== undefined) for (const { row } of own) if (packets.frame[row] > 0) before[row] = last.row;
    });
  }
  return withoutAnswers(packets, before);
}

/** Copies without those that an interrupt sent after it had received a packet, which no timer sent. */
function withoutAnswers({ direction, frame }: PacketRows, before: Int32Array): Int32Array {
  const again = new Set<number>();
  before.forEach((copy, row) => copy >= 0 && again.add(frame[row]));
  const answers = new Set<number>();
  if (again.size === 0) return before;
  direction.forEach((way, row) => {
    if (way === PACKET_RECEIVED && again.has(frame[row])) answers.add(frame[row]);
    else if (before[row] >= 0 && answers.has(frame[row])) before[row] = -1;
  });
  return before;
}

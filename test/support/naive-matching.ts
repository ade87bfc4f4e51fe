/** Packets matched in the plainest way: equal keys, first sent first. What synchronisation finds is compared with it. */
import {
  type MatchedPackets,
  PACKET_KEY_WORDS,
  PACKET_RECEIVED,
  type PacketRows,
} from '../../src/engine/linux/states/reduce/packet-rows.ts';

/** @param hosts their packets, in the order of the graph's hosts */
export function matchNaively(hosts: readonly PacketRows[]): MatchedPackets[] {
  const sent = new Map<string, { readonly host: number; readonly row: number }[]>();
  hosts.forEach((packets, host) => {
    for (let row = 0; row < packets.length; row++) {
      if (packets.direction[row] === PACKET_RECEIVED) continue;
      const key = keyOf(packets, row);
      sent.set(key, [...(sent.get(key) ?? []), { host, row }]);
    }
  });
  return hosts.map((packets) => {
    const senderHost = new Int32Array(packets.length).fill(-1);
    const senderRow = new Int32Array(packets.length).fill(-1);
    for (let row = 0; row < packets.length; row++) {
      if (packets.direction[row] !== PACKET_RECEIVED) continue;
      const first = sent.get(keyOf(packets, row))?.shift();
      if (first === undefined) continue;
      senderHost[row] = first.host;
      senderRow[row] = first.row;
    }
    return { packets, senderHost, senderRow };
  });
}

/** Without the length and check sum, which offloading changes on the way. */
function keyOf({ key, keyKind }: PacketRows, row: number): string {
  const words = key.subarray(row * PACKET_KEY_WORDS, row * PACKET_KEY_WORDS + PACKET_KEY_WORDS - 2);
  return `${keyKind[row]} ${words.join(' ')}`;
}

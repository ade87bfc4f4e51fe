import { expect, test } from 'vitest';
import * as packetRows from '../linux/states/reduce/packet-rows.ts';
import { KeyGroups } from './packet-window.ts';
import { PacketKeys } from './packet-keys.ts';

const PACKETS = 10_000;

/** Packets whose ports differ, and whose length takes that back in a mark that is known (`PacketKeys.mark`). */
function chosenKeys(): PacketKeys {
  const rows = { ...packetRows.NO_PACKETS, keyKind: new Uint8Array(PACKETS).fill(packetRows.KEY_UDP) };
  const key = new Uint32Array(PACKETS * packetRows.PACKET_KEY_WORDS);
  for (let packet = 0; packet < PACKETS; packet++) {
    const product = Math.imul(afterAddresses() ^ packet, 0x9e3779b1);
    key[packet * packetRows.PACKET_KEY_WORDS + packetRows.WORD_PORTS] = packet;
    key[packet * packetRows.PACKET_KEY_WORDS + packetRows.WORD_LENGTH] = product ^ (product >>> 15);
  }
  return new PacketKeys([{ ...rows, key }]);
}

/** What a mark is behind two addresses that are 0. */
function afterAddresses(): number {
  let mark = packetRows.KEY_UDP;
  for (let address = 0; address < 2; address++) {
    const product = Math.imul(mark, 0x9e3779b1);
    mark = product ^ (product >>> 15);
  }
  return mark;
}

test('packets chosen to collide are told apart without comparing many', () => {
  const keys = chosenKeys();
  expect(keys.mark(0, 1)).toBe(keys.mark(0, PACKETS - 1));
  const groups = new KeyGroups();
  let compared = 0;
  const joined = Array.from({ length: PACKETS }, (_, packet) =>
    groups.join(keys.hash(0, packet), packet, (newest) => {
      compared++;
      return keys.areEqual(0, packet, 0, newest);
    }),
  );
  expect(new Set(joined).size).toBe(PACKETS);
  expect(compared).toBeLessThan(1000);
});

import { expect, test } from 'vitest';
import { PacketTableBuilder, type PacketTable } from '../../packets/packet-table.ts';
import { createSpans } from './packet-spans.ts';

function table(discarded: readonly bigint[], sequence: readonly bigint[], bits: number): PacketTable {
  const builder = new PacketTableBuilder();
  discarded.forEach((count, i) => {
    const head = { streamClass: 0, eventsBits: 0, cpu: 0, discarded: count, sequence: sequence[i] };
    builder.add(head, 0, 0, 0);
  });
  return { ...builder.finish(undefined, false), discardedBits: bits, sequenceBits: bits };
}

function losses(packets: PacketTable, before?: Parameters<typeof createSpans>[2]): [number, number][] {
  const spans = createSpans(packets.length, undefined, before);
  for (let packet = 0; packet < packets.length; packet++) {
    spans.begin(packets, packet, 0);
    spans.end({ events: 0, firstEvent: Number.NaN, lastEvent: Number.NaN, backwards: 0, late: 0 }, true);
  }
  const { discardedEvents, lostPackets } = spans.finish(0);
  return Array.from(discardedEvents, (events, index) => [events, lostPackets[index]]);
}

test('growth since the packet before; the first packet of a stream counts nothing', () => {
  expect(losses(table([7n, 7n, 10n], [4n, 5n, 8n], 64))).toEqual([
    [0, 0],
    [0, 0],
    [3, 2],
  ]);
});

test('the packet before the chunk counts', () => {
  expect(losses(table([7n], [4n], 64), { discarded: 5n, sequence: 1n })).toEqual([[2, 2]]);
});

test('counters wrap at their width', () => {
  expect(losses(table([250n, 4n], [255n, 1n], 8))).toEqual([
    [0, 0],
    [10, 1],
  ]);
});

test('a counter of 64 bits that shrinks and a sequence number that goes back are no loss', () => {
  expect(losses(table([9n, 0n], [9n, 0n], 64))).toEqual([
    [0, 0],
    [0, 0],
  ]);
});

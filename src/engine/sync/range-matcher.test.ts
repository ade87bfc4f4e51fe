import { expect, test } from 'vitest';
import * as packetRows from '../linux/states/reduce/packet-rows.ts';
import type { PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { MARK_AMBIGUOUS, MARK_RANGE } from './packet-matches.ts';
import { synchronise } from './synchronise.ts';

interface Segment {
  readonly time: number;
  readonly seq: number;
  readonly ack: number;
  readonly bytes: number;
}

/** Segments of one direction of a connection. */
function packetsOf(direction: number, segments: readonly Segment[]): PacketRows {
  const { length } = segments;
  return {
    ...packetRows.NO_PACKETS,
    length,
    time: Float64Array.from(segments, ({ time }) => time),
    direction: new Uint8Array(length).fill(direction),
    keyKind: new Uint8Array(length).fill(packetRows.KEY_TCP),
    worker: new Int32Array(length),
    frame: new Int32Array(length),
    key: Uint32Array.from(
      segments.flatMap(({ seq, ack, bytes }) => [1, 2, 3, seq, ack, 0, bytes, 0, 0, 0, 0]),
    ),
  };
}

/** What the receiver's first segment is matched with. */
function matchOf(sent: readonly Segment[], received: Segment): { row: number; marks: number } {
  const { matches } = synchronise([
    { name: 'a', packets: packetsOf(packetRows.PACKET_SENT, sent), start: 0 },
    { name: 'b', packets: packetsOf(packetRows.PACKET_RECEIVED, [received]), start: 0 },
  ]);
  return { row: matches[1].peer[0], marks: matches[1].marks[0] };
}

const FIRST = { time: 10, seq: 100, ack: 5, bytes: 1000 };
const AGAIN = { ...FIRST, time: 50, ack: 9 };

test('a piece belongs to the packet that held its last byte', () => {
  expect(matchOf([FIRST], { ...FIRST, time: 30, seq: 600, bytes: 500 })).toEqual({
    row: 0,
    marks: MARK_RANGE,
  });
});

test('the same bytes sent again are a packet of their own, also by clocks that show it arrived before', () => {
  expect(matchOf([FIRST, AGAIN], { ...AGAIN, time: 60 })).toEqual({ row: 1, marks: 0 });
  expect(matchOf([FIRST, AGAIN], { ...AGAIN, time: 40 })).toEqual({ row: 1, marks: 0 });
});

test('a piece that was sent again whole came with the packet before it', () => {
  const piece = { ...FIRST, seq: 600, bytes: 500 };
  expect(matchOf([FIRST, { ...piece, time: 50 }], { ...piece, time: 40 })).toEqual({
    row: 0,
    marks: MARK_RANGE | MARK_AMBIGUOUS,
  });
});

import { describe, expect, test } from 'vitest';
import * as packetRows from '../linux/states/reduce/packet-rows.ts';
import type { PacketRows } from '../linux/states/reduce/packet-rows.ts';
import { matchedPackets } from './matched-packets.ts';
import { MARK_AMBIGUOUS, MARK_REPEATED, MARK_WEAK } from './packet-matches.ts';
import { synchronise } from './synchronise.ts';

interface Event {
  readonly at: number;
  readonly isSent: boolean;
  readonly seq: number;
  readonly id: number;
  readonly buffer: number;
  readonly device: number;
  readonly source: number;
  readonly frame: number;
}

type Some = Partial<Event>;

const sent = (at: number, some: Some = {}): Some => ({ at, isSent: true, ...some });
const received = (at: number, some: Some = {}): Some => ({ at, ...some });

function rowsOf(events: readonly Some[]): PacketRows {
  const all = events.map((some): Event => {
    return { at: 0, isSent: false, seq: 1, id: 0, buffer: 0, device: 0, source: 1, frame: 0, ...some };
  });
  return {
    ...packetRows.NO_PACKETS,
    length: all.length,
    time: Float64Array.from(all, ({ at }) => at),
    direction: Uint8Array.from(all, ({ isSent }) =>
      isSent ? packetRows.PACKET_SENT : packetRows.PACKET_RECEIVED,
    ),
    keyKind: new Uint8Array(all.length).fill(packetRows.KEY_TCP),
    worker: new Int32Array(all.length),
    frame: Int32Array.from(all, ({ frame }) => frame),
    key: Uint32Array.from(
      all.flatMap(({ seq, id, buffer, device, source }) => [
        source,
        9,
        3,
        seq,
        5,
        0,
        0,
        0,
        id,
        buffer,
        device,
      ]),
    ),
  };
}

/** `HOST ROW` of the sender of each received packet, '-' none, by host; '~' weak, '?' ambiguous, '+' repeated. */
function sendersOf(...hosts: readonly (readonly Some[])[]): string[][] {
  const given = hosts.map((events, i) => ({ name: `h${i}`, start: 0, packets: rowsOf(events) }));
  const { matches } = synchronise(given);
  return given.map(({ packets }, host) => {
    const { peerHost, peer, marks } = matches[host];
    return Array.from(peer, (row, i) => {
      if (packets.direction[i] === packetRows.PACKET_SENT) return '';
      const flags = [
        [MARK_WEAK, '~'],
        [MARK_AMBIGUOUS, '?'],
        [MARK_REPEATED, '+'],
      ] as const;
      const signs = flags.map(([mark, sign]) => ((marks[i] & mark) !== 0 ? sign : '')).join('');
      return row < 0 ? '-' : `${peerHost[i]} ${row}${signs}`;
    }).filter((text) => text !== '');
  });
}

describe('one packet', () => {
  test('passes several devices of its sender: the last sending counts', () => {
    const [, there] = sendersOf([sent(10, { id: 7 }), sent(12, { id: 7 })], [received(50, { id: 7 })]);
    expect(there).toEqual(['0 1']);
  });

  test('is known by its buffer where it has no identification, at another device each', () => {
    const bond = [sent(10, { buffer: 4, device: 1 }), sent(12, { buffer: 4, device: 2 })];
    expect(sendersOf(bond, [received(50)])[1]).toEqual(['0 1']);
    const bridge = [received(50, { buffer: 6, device: 1 }), received(51, { buffer: 6, device: 2 })];
    expect(sendersOf(bond, bridge)[1]).toEqual(['0 1', '0 1+']);
    const again = [sent(10, { buffer: 4, device: 1 }), sent(12, { buffer: 4, device: 1 })];
    expect(sendersOf(again, [received(50)])[1]).toEqual(['-']);
  });

  test('of a container is received on its own host and, once, on another', () => {
    const id = { id: 7 };
    const container = [sent(10, id), received(11, id), received(12, id), sent(13, id)];
    expect(sendersOf(container, [received(50, id)])).toEqual([['0 0', '0 0'], ['0 3']]);
  });

  test('that a host passes on comes from that host', () => {
    const id = { id: 7 };
    expect(sendersOf([sent(10, id)], [received(20, id), sent(21, id)], [received(30, id)])).toEqual([
      [],
      ['0 0'],
      ['1 1'],
    ]);
  });
});

describe('a packet that was sent again', () => {
  const toAndFro = [sent(100, { seq: 50 }), received(140, { seq: 60 })];
  const froAndTo = [received(120, { seq: 50 }), sent(120, { seq: 60 })];

  test('is the copy with its identification; the other one was lost', () => {
    expect(sendersOf([sent(10, { id: 7 }), sent(210, { id: 8 })], [received(250, { id: 8 })])[1]).toEqual([
      '0 1',
    ]);
    expect(sendersOf([sent(10, { id: 7 }), sent(210, { id: 8 })], [received(50, { id: 7 })])[1]).toEqual([
      '0 0',
    ]);
  });

  test('is, without one, the last that was sent early enough', () => {
    const copies = [...toAndFro, sent(210), sent(410)];
    expect(sendersOf(copies, [...froAndTo, received(240)])[1]).toEqual(['0 0', '0 2?']);
    expect(sendersOf(copies, [...froAndTo, received(440)])[1]).toEqual(['0 0', '0 3?']);
    expect(sendersOf(copies, [...froAndTo, received(415)])[1]).toEqual(['0 0', '0 2?']);
    expect(sendersOf(copies, [...froAndTo, received(240), received(440)])[1]).toEqual([
      '0 0',
      '0 2?',
      '0 3?',
    ]);
  });

  test('is nobody’s where clocks are not joined', () => {
    expect(sendersOf([sent(210), sent(410)], [received(440)])[1]).toEqual(['-']);
  });

  test('goes back to the copy before where a timer sent it, and not where an answer did', () => {
    const copies = [sent(10, { id: 7, frame: 0 }), sent(210, { id: 8, frame: 3 })];
    const before = (events: readonly Some[]) => {
      const rows = rowsOf(events);
      const none = {
        peerHost: new Int16Array(3).fill(-1),
        peer: new Int32Array(3).fill(-1),
        marks: new Uint8Array(3),
      };
      return [...matchedPackets(rows, none).copyBefore];
    };
    expect(before(copies)).toEqual([-1, 0]);
    expect(before([copies[0], received(205, { seq: 99, frame: 3 }), copies[1]])).toEqual([-1, -1, -1]);
  });
});

describe('translated addresses', () => {
  test('leave numbers and identification, which match where they are the only ones', () => {
    const bond = [sent(10, { id: 7, source: 1 }), sent(12, { id: 7, source: 1 })];
    expect(sendersOf(bond, [received(50, { id: 7, source: 2 })])[1]).toEqual(['0 1~']);
    expect(sendersOf(bond, [received(50, { id: 8, source: 2 })])[1]).toEqual(['-']);
    const two = [received(50, { id: 7, source: 2 }), received(51, { id: 7, source: 4 })];
    expect(sendersOf(bond, two)[1]).toEqual(['-', '-']);
  });

  test('are not looked behind where a packet with the same addresses is there', () => {
    const there = [received(50, { id: 7, source: 2 }), received(51, { id: 7, source: 1 })];
    expect(sendersOf([sent(10, { id: 7 })], there)[1]).toEqual(['-', '0 0']);
  });
});

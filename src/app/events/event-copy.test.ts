import { expect, it } from 'vitest';
import type { EventDetails, EventRow } from '../../engine/protocol/events.ts';
import type { EventField } from '../../engine/export/event-fields.ts';
import { eventJson, eventText } from './event-copy.ts';
import { hexDump } from './hex-dump.ts';

const field = (name: string, text: string, json = text, labels: readonly string[] = []): EventField => ({
  name,
  type: 'u64',
  text,
  json,
  labels,
});
const scope = (...fields: EventField[]) => ({ fields, total: fields.length });
const EVENT = { timeNs: 5, cpu: 1, name: 'a "b"' } as EventRow;
const DETAILS: EventDetails = {
  payload: scope(field('n', '0xffffffffffffffff', '18446744073709551615'), field('way', '1', '1', ['in'])),
  context: scope(),
  common: scope(field('tid', '7')),
  header: scope(),
  packet: scope(field('cpu_id', '1')),
  packetHeader: scope(),
  bytes: { offset: 0, length: 0, bytes: new Uint8Array(0) },
};

it('is copied as text and as JSON with all digits', () => {
  expect(eventText(EVENT, DETAILS)).toBe(
    '5 ns, CPU 1: a "b"\nn = 0xffffffffffffffff\nway = 1 (in)\ntid = 7\ncpu_id = 1',
  );
  expect(eventJson(EVENT, DETAILS)).toBe(
    '{"time":5,"cpu":1,"name":"a \\"b\\"","payload":{"n":18446744073709551615,"way":1},"common":{"tid":7},"packet":{"cpu_id":1}}',
  );
});

it('bytes have their places in the file', () => {
  expect(hexDump(Uint8Array.from([0x41, 0, 0xff, 0x3c, 1, 2, 3, 4, 0x7e]), 0x1f8)).toBe(
    '000001f8  41 00 ff 3c 01 02 03 04  A..<....\n00000200  7e                       ~',
  );
  expect(hexDump(new Uint8Array(0), 7)).toBe('');
});

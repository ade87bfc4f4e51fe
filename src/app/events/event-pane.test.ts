import { expect, it } from 'vitest';
import { parseFilter } from '../../engine/events/filter/parse.ts';
import { filterWith, eventJson, eventText, hexDump } from './event-pane.tsx';
import type { EventDetails, EventRow } from '../../engine/protocol/events.ts';
import type { EventField } from '../../engine/export/event-fields.ts';

it('a value narrows a filter down, whatever it is', () => {
  expect(filterWith('', 'payload', 'prev_tid', '12')).toBe('prev_tid=12');
  expect(filterWith('name=a or name=b', 'payload', 'ret', '-2')).toBe('(name=a or name=b) and ret=-2');
  expect(filterWith('name=a', 'common', 'tid', '7')).toBe('name=a and context.tid=7');
  expect(filterWith('cpu=1', 'payload', 'tid', '7')).toBe('cpu=1 and payload.tid=7');
  expect(filterWith(' ', 'payload', 'comm', '"a \\"b\\""')).toBe('comm="a \\"b\\""');
  expect(filterWith('', 'payload', 'comm', '"\\u202e<b>\\n"')).toBe('comm="\u202e<b>\n"');
});

it('what cannot be compared, or is no field of events, has none', () => {
  expect(filterWith('', 'payload', 'odd name', '1')).toBeUndefined();
  expect(filterWith('', 'payload', 'list', '[1,2]')).toBeUndefined();
  expect(filterWith('', 'payload', 'ratio', '0.5')).toBeUndefined();
  expect(filterWith('', 'payload', 'long', `"${'a'.repeat(65_536)}"`)).toBeUndefined();
  expect(filterWith('', 'packet', 'cpu_id', '1')).toBeUndefined();
});

it('is a filter', () => {
  for (const json of ['"a \\\\ \\"b"', '"and"', '-5', '18446744073709551615'])
    expect(parseFilter(filterWith('a=1 or b=2', 'payload', 'f', json) ?? '(').ok).toBe(true);
});

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

import { describe, expect, test } from 'vitest';
import { integer, lttngModel, signed, struct, text } from '../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace, type PacketToWrite } from '../../../test/support/ctf-writer/trace-writer.ts';
import type { FloatClass } from '../ctf/model.ts';
import { indexStreamFile } from '../ctf/packets/packet-index.ts';
import { memorySource } from '../io/memory-source.ts';
import { jsonString } from './canonical.ts';
import { summariseTraces } from './canonical-streams.ts';
import { createEventReader } from './event-list.ts';

test('strings are escaped as json.dumps does', () => {
  expect(jsonString('plain /text~')).toBe('"plain /text~"');
  expect(jsonString('"\\\b\f\n\r\t')).toBe('"\\"\\\\\\b\\f\\n\\r\\t"');
  expect(jsonString('\u0000\u001f\u007f')).toBe('"\\u0000\\u001f\\u007f"');
  expect(jsonString('é€\u{1f600}')).toBe('"\\u00e9\\u20ac\\ud83d\\ude00"');
});

const labels = [
  { label: '\u{10000}', from: 0n, to: 9n },
  { label: '\uffff', from: 3n, to: 3n },
  { label: 'b', from: 2n, to: 3n },
];

const model = lttngModel({
  uuid: '01234567-89ab-cdef-0123-456789abcdef',
  clock: { name: 'c', frequency: 1_000_000_000n, offsetSeconds: 1n, offsetCycles: 5n, absolute: true },
  environment: {},
  header: 'compact',
  events: { 'a"b': struct({ kind: integer(8, { labels }), name: text }), none: struct({}) },
});

function packet(begin: bigint, count: number): PacketToWrite {
  const events = Array.from({ length: count }, (_, index) => ({
    eventClass: index % 2,
    time: begin + BigInt(10 * index),
    payload: index % 2 === 0 ? { kind: 3, name: new Uint8Array([0xef, 0xbb, 0xbf, 0x41, 0xff]) } : undefined,
  }));
  return { begin, end: begin + 1000n, cpu: 0, streamId: begin, events };
}

async function fileOf(begin: bigint, count: number) {
  const packets = [packet(begin, count)];
  const data = writeTrace(model, [{ file: 's', streamClass: 0, packets }]).get('s') ?? new Uint8Array();
  const source = memorySource(`s${begin}`, data);
  const indexed = await indexStreamFile(model, source);
  if (!indexed.ok) throw new Error(indexed.fault.code);
  return { source, packets: indexed.value.packets, data };
}

const FIRST = '1000001005 "a\\"b" - - {"kind":3["b","\\uffff","\\ud800\\udc00"],"name":"\\ufeffA\\ufffd"}\n';
const SECOND = '1000001015 "none" - - {}\n';

describe('streams', () => {
  test('the text has one line an event; labels are sorted by code point, byte order marks kept', async () => {
    let written = '';
    const summary = await summariseTraces([{ model, streams: [[await fileOf(1000n, 2)]] }], (piece) => {
      written += new TextDecoder().decode(piece);
    });
    expect(written).toBe(FIRST + SECOND);
    expect(summary).toMatchObject({ events: 2, firstNs: 1_000_001_005n, lastNs: 1_000_001_015n, faults: [] });
  });

  test('the digest of the whole does not depend on the order of streams, and passes over empty ones', async () => {
    const [a, b, empty] = [await fileOf(1000n, 3), await fileOf(2000n, 4), await fileOf(3000n, 0)];
    const one = await summariseTraces([{ model, streams: [[a], [b], [empty]] }]);
    const other = await summariseTraces([
      { model, streams: [[b]] },
      { model, streams: [[a]] },
    ]);
    expect(other.sha256).toBe(one.sha256);
    expect((await summariseTraces([])).sha256).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });
});

test('events of a packet are read by their numbers', async () => {
  const { packets, data } = await fileOf(1000n, 6);
  const reader = createEventReader(model, 0, { frequency: 1_000_000_000n, ticksOffset: 0n, baseNs: 1000n });
  const input = { bytes: data, extents: [{ table: packets, first: 0, count: 1, byteOffset: 0, path: 's' }] };
  expect(reader.of(input, [2, 3, 4]).map(({ timeNs, name }) => [timeNs, name])).toEqual([
    [20, 'a"b'],
    [30, 'none'],
    [40, 'a"b'],
  ]);
  expect(reader.of(input, [5, 0, 6]).map(({ timeNs }) => timeNs)).toEqual([50, 0]);
  expect(reader.faults()).toEqual([]);
});

test('events for people have numbers in the base that the trace asks for', async () => {
  const share: FloatClass = { kind: 'float', size: 64, byteOrder: 'le', align: 8 };
  const fields = struct({
    address: integer(64, { base: 16 }),
    code: signed(32, { base: 16 }),
    mode: integer(16, { base: 8 }),
    count: integer(8),
    share,
  });
  const readable = lttngModel({
    uuid: '01234567-89ab-cdef-0123-456789abcdef',
    clock: { name: 'c', frequency: 1_000_000_000n, offsetSeconds: 1n, offsetCycles: 5n, absolute: true },
    environment: {},
    header: 'compact',
    events: { a: fields },
  });
  const payload = { address: 0xffff_8880_0000_1000n, code: -1, mode: 0o644, count: 10, share: 0.5 };
  const events = [{ eventClass: 0, time: 1000n, payload }];
  const packets = [{ begin: 1000n, end: 2000n, cpu: 0, streamId: 0n, events }];
  const data = writeTrace(readable, [{ file: 's', streamClass: 0, packets }]).get('s') ?? new Uint8Array();
  const indexed = await indexStreamFile(readable, memorySource('s', data));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const table = indexed.value.packets;
  const reader = createEventReader(readable, 0, { frequency: 1_000_000_000n, ticksOffset: 0n, baseNs: 0n });
  const extents = [{ table, first: 0, count: 1, byteOffset: 0, path: 's' }];
  const [found] = reader.of({ bytes: data, extents }, [0]);
  expect(found.fields.payload).toBe(
    '{"address":0xffff888000001000,"code":0xffffffff,"mode":0644,"count":10,"share":0.5}',
  );
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bothDecoders } from '../../../../test/support/both-decoders.ts';
import { integer, lttngModel, struct, text } from '../../../../test/support/ctf-writer/model-builder.ts';
import { type PacketToWrite, writeTrace } from '../../../../test/support/ctf-writer/trace-writer.ts';
import type { StructValue } from '../../../../test/support/ctf-writer/value.ts';
import { modelOf } from '../../../../test/support/trace-files.ts';
import { memorySource } from '../../io/memory-source.ts';
import type { TraceModel } from '../model.ts';
import { indexStreamFile } from '../packets/packet-index.ts';
import type { PacketTable } from '../packets/packet-table.ts';
import { createChunkDecoder } from './chunk-decoder.ts';
import type { ChunkExtent, ChunkInput } from './decoder-input.ts';
import type { ClockMap } from './run/clock-map.ts';
import type { DecodeRequest } from './rows/rows.ts';
import { compileStream } from './program/stream-programs.ts';
import { forAll } from '../../../../test/support/for-all.ts';

const clock: ClockMap = { frequency: 1_000_000_000n, ticksOffset: 0n, baseNs: 1_000_000n };

/** Forty event classes, so that compact headers need their extended form for some. */
function modelWith(header: 'compact' | 'large', byteOrder: 'le' | 'be' = 'le'): TraceModel {
  const payload = (index: number) =>
    index % 2 === 0
      ? struct({ value: integer(32, { byteOrder }), name: text })
      : struct({ other: integer(16, { byteOrder }) });
  const events = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`event_${index}`, payload(index)]),
  );
  return lttngModel({
    uuid: '01234567-89ab-cdef-0123-456789abcdef',
    clock: { name: 'c', frequency: 1_000_000_000n, offsetSeconds: 0n, offsetCycles: 0n, absolute: true },
    environment: {},
    header,
    byteOrder,
    events,
  });
}

const everyEvent: DecodeRequest = {
  kinds: [
    { names: ['event_*'], table: 'events', fields: [{ names: ['value', 'other'], kind: 'int' }] },
    { names: ['event_2'], table: 'events', fields: [{ names: ['name'], kind: 'string' }] },
  ],
};

interface Stream {
  readonly model: TraceModel;
  readonly bytes: Uint8Array;
  readonly table: PacketTable;
}

async function streamOf(model: TraceModel, packets: readonly PacketToWrite[]): Promise<Stream> {
  const files = writeTrace(model, [{ file: 's', streamClass: 0, packets }], { padBytes: 8 });
  const bytes = files.get('s') ?? new Uint8Array();
  const indexed = await indexStreamFile(model, memorySource('s', bytes));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  return { model, bytes, table: indexed.value.packets };
}

function extent({ table }: Stream, first = 0, count = table.length): ChunkExtent {
  return { table, first, count, byteOffset: table.offset[first], path: 's' };
}

function decode(stream: Stream, input: Partial<ChunkInput> = {}, request = everyEvent) {
  const decoder = createChunkDecoder(stream.model, 0, request, clock);
  return decoder.decode({ bytes: stream.bytes, extents: [extent(stream)], ...input });
}

/** Times in cycles; gaps beyond 2^27 and 2^32 cycles, so that header times wrap and need their extended form. */
const times = fc.array(fc.constantFrom(0n, 1n, 1000n, 2n ** 27n - 1n, 2n ** 27n + 5n, 2n ** 33n), {
  maxLength: 12,
});

function packetsOf(gaps: readonly (readonly bigint[])[]): PacketToWrite[] {
  let time = 5_000_000n;
  return gaps.map((list, index) => {
    const begin = time;
    const events = list.map((gap, event) => {
      time += gap;
      const eventClass = (7 * event + index) % 40;
      const payload: StructValue =
        eventClass % 2 === 0 ? { value: event, name: `n${event}` } : { other: event };
      return { eventClass, time, payload };
    });
    return { begin, end: time, sequence: BigInt(index), cpu: 0, streamId: 1n, events };
  });
}

test('a fault lies in the file, also where alignment leads behind its end', async () => {
  const metadata = `/* CTF 1.8 */
    trace { major = 1; minor = 8; byte_order = le; };
    stream {
      packet.context := struct { integer { size = 8; } cpu_id; };
      event.header := struct { integer { size = 32; align = 32; } time; integer { size = 8; } id; };
    };`;
  const model = modelOf(new Map([['metadata', new TextEncoder().encode(metadata)]]));
  const bytes = Uint8Array.of(0, 0);
  const indexed = await indexStreamFile(model, memorySource('s', bytes));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const { faults } = decode({ model, bytes, table: indexed.value.packets });
  expect(faults).toMatchObject([{ code: 'event-beyond-packet', place: { byte: 2 }, expected: '40 bits' }]);
});

test('events that tell no id are of the only class, whatever its id', async () => {
  const metadata = `/* CTF 1.8 */
    trace { major = 1; minor = 8; byte_order = le; };
    stream { };
    event { name = e; id = 3; fields := struct { integer { size = 8; } v; }; };`;
  const model = modelOf(new Map([['metadata', new TextEncoder().encode(metadata)]]));
  const bytes = Uint8Array.of(5, 0, 7);
  const indexed = await indexStreamFile(model, memorySource('s', bytes));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const extents = [extent({ model, bytes, table: indexed.value.packets })];
  const request: DecodeRequest = { kinds: [{ names: ['e'], fields: [{ names: ['v'], kind: 'int' }] }] };
  const { rows, faults } = bothDecoders(model, 0, request, undefined).compare({ bytes, extents });
  expect(faults).toEqual([]);
  expect(Array.from(rows.at, (at) => rows.words[at + 1])).toEqual([5, 0, 7]);
});

describe('events of LTTng', () => {
  test.each([
    ['large', 'le', true],
    ['compact', 'le', true],
    ['large', 'be', false],
    ['compact', 'be', false],
  ] as const)('%s headers, %s: every event with its class, time and fields', async (header, order, fast) => {
    const model = modelWith(header, order);
    expect(compileStream(model, 0, everyEvent).fastHeader !== undefined).toBe(fast);
    await forAll(60, [fc.array(times, { minLength: 1, maxLength: 4 })], async (gaps) => {
      const packets = packetsOf(gaps);
      const { rows, faults } = decode(await streamOf(model, packets));
      const expected = packets.flatMap(({ events }) => events);
      expect(faults).toEqual([]);
      expect([...rows.eventClass]).toEqual(expected.map(({ eventClass }) => eventClass));
      expect([...rows.time]).toEqual(expected.map(({ time }) => Number(time - clock.baseNs)));
      expect([...rows.kind]).toEqual(expected.map(({ eventClass }) => (eventClass === 2 ? 1 : 0)));
      expected.forEach(({ eventClass, payload = {} }, row) => {
        const at = rows.at[row];
        expect(rows.words[at]).toBe(1);
        if (eventClass !== 2) expect(rows.words[at + 1]).toBe(payload.value ?? payload.other);
        else {
          const name = rows.bytes.subarray(rows.words[at + 1], rows.words[at + 1] + rows.words[at + 2]);
          expect(new TextDecoder().decode(name)).toBe(payload.name);
        }
      });
    });
  });

  test('times that go back, by a header with all their bits, stand still', async () => {
    const latest = 2n ** 64n - 4096n;
    const times = [5000n, 100n, 4000n, 5001n, latest, 100n, latest, 200n];
    const events = times.map((time) => ({ eventClass: 39, time, payload: { other: 1 } }));
    const model = modelWith('compact');
    const begun = { begin: 1000n, end: 2000n, sequence: 0n, cpu: 0, streamId: 1n, events };
    const stream = await streamOf(model, [begun]);
    const decoders = bothDecoders(model, 0, everyEvent, { ...clock, baseNs: 0n });
    const { rows, packets, faults } = decoders.compare({ bytes: stream.bytes, extents: [extent(stream)] });
    expect(faults).toEqual([]);
    expect([...rows.time]).toEqual([5000, 5000, 5000, 5001, ...Array<number>(4).fill(Number(latest))]);
    expect([packets.firstEvent[0], packets.lastEvent[0]]).toEqual([5000, Number(latest)]);
    expect([packets.backwards[0], packets.late[0]]).toEqual([4, 5]);
  });

  test('counts do not depend on what is asked for, nor on chunks', async () => {
    const model = modelWith('compact');
    const gaps = fc.array(times, { minLength: 2, maxLength: 5 });
    await forAll(50, [gaps, fc.nat()], async (list, cut) => {
      const stream = await streamOf(model, packetsOf(list));
      const whole = decode(stream);
      expect(decode(stream, {}, { kinds: [] }).counts).toEqual(whole.counts);
      const split = 1 + (cut % (list.length - 1));
      const parts = [extent(stream, 0, split), extent(stream, split, list.length - split)];
      const pieces = parts.map((part) => decode(stream, { extents: [part] }));
      expect(pieces.flatMap(({ rows }) => [...rows.time])).toEqual([...whole.rows.time]);
      expect(decode(stream, { extents: parts })).toEqual(whole);
      const counted = pieces.reduce((sum, { counts }) => sum + counts.events.reduce((a, b) => a + b, 0), 0);
      expect(counted).toBe(whole.rows.length);
    });
  });

  test('a window counts the events within and gives rows of all', async () => {
    const packets = packetsOf([[0n, 1000n, 1000n, 1000n]]);
    const from = Number(5_001_000n - clock.baseNs);
    const { rows, packets: spans } = decode(await streamOf(modelWith('large'), packets), {
      window: { from, to: from + 1001 },
    });
    expect(rows.length).toBe(4);
    expect([spans.events[0], spans.firstEvent[0], spans.lastEvent[0]]).toEqual([2, from, from + 1000]);
  });
});

describe('faults end their packet only', () => {
  const model = modelWith('large');
  const good = packetsOf([
    [10n, 10n, 10n],
    [10n, 10n, 10n],
  ]);

  test('an unknown event id', async () => {
    const stream = await streamOf(model, good);
    const second = stream.table.eventsBits[0] / 8 + 2 + 4 + 4 + 3;
    stream.bytes.set([0x50, 0], second);
    const { rows, faults, packets } = decode(stream);
    expect(faults).toMatchObject([
      { code: 'unknown-event-id', place: { file: 's', packet: 0, byte: second }, found: '80' },
    ]);
    expect([...packets.events]).toEqual([1, 3]);
    expect(rows.length).toBe(4);
  });

  test('zeros behind the last event are told as such', async () => {
    const metadata = `/* CTF 1.8 */
    trace { major = 1; minor = 8; byte_order = le; };
    stream { event.header := struct { integer { size = 8; } id; }; };
    event { name = e; id = 3; fields := struct { integer { size = 8; } v; }; };`;
    const ram = modelOf(new Map([['metadata', new TextEncoder().encode(metadata)]]));
    const bytes = Uint8Array.of(3, 5, 3, 0, 0, 0, 0, 0);
    const indexed = await indexStreamFile(ram, memorySource('s', bytes));
    if (!indexed.ok) throw new Error(indexed.fault.code);
    const { faults } = decode({ model: ram, bytes, table: indexed.value.packets });
    expect(faults).toMatchObject([
      { code: 'unknown-event-id', found: expect.stringContaining('zeros up to the end') },
    ]);
  });

  test('an event beyond the content', async () => {
    const stream = await streamOf(model, good);
    stream.table.contentBits[0] -= 8;
    const { faults, packets } = decode(stream);
    expect(faults.map(({ code }) => code)).toEqual(['unterminated-string']);
    expect(faults[0].place).toMatchObject({ packet: 0, event: 'event_14' });
    expect([...packets.events]).toEqual([2, 3]);
  });

  test('an event of no size', async () => {
    const empty = { id: 0n, name: 'empty', payload: struct({}) };
    const bare: TraceModel = { ...model, packetHeader: undefined, streams: [{ id: 0n, events: [empty] }] };
    const indexed = await indexStreamFile(bare, memorySource('s', new Uint8Array(4)));
    if (!indexed.ok) throw new Error(indexed.fault.code);
    const stream = { model: bare, bytes: new Uint8Array(4), table: indexed.value.packets };
    const { faults, rows } = decode(stream, {}, { kinds: [{ names: ['empty'], fields: [] }] });
    expect(faults.map(({ code }) => code)).toEqual(['no-progress']);
    expect(rows.length).toBe(0);
  });
});

test('a packet larger than 31-bit positions reach', async () => {
  const MEGABYTE = 2 ** 20;
  const payload = struct({
    value: integer(32),
    rest: { kind: 'array', length: MEGABYTE - 4, element: integer(8), align: 8 },
  });
  const model: TraceModel = {
    version: '1.8',
    byteOrder: 'le',
    environment: [],
    clocks: [],
    streams: [{ id: 0n, events: [{ id: 0n, name: 'large', payload }] }],
  };
  const count = 300;
  const bytes = new Uint8Array(count * MEGABYTE);
  const view = new DataView(bytes.buffer);
  for (let event = 0; event < count; event++) view.setUint32(event * MEGABYTE, event, true);
  const source = { name: 's', size: bytes.length, read: memorySource('s', bytes).read };
  const indexed = await indexStreamFile(model, source);
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const request: DecodeRequest = {
    kinds: [{ names: ['large'], fields: [{ names: ['value'], kind: 'int' }] }],
  };
  const { rows, faults } = decode({ model, bytes, table: indexed.value.packets }, {}, request);
  expect(faults).toEqual([]);
  expect(Array.from(rows.at, (at) => rows.words[at + 1])).toEqual(
    Array.from({ length: count }, (_, event) => event),
  );
});

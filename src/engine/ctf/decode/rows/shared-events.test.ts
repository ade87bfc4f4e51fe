/** Events that several kinds read, arrays of any length, and more fields than a word has presence bits. */
import { describe, expect, it } from 'vitest';
import { bothDecoders } from '../../../../../test/support/both-decoders.ts';
import { integer, lttngModel, struct, text } from '../../../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace } from '../../../../../test/support/ctf-writer/trace-writer.ts';
import type { StructValue } from '../../../../../test/support/ctf-writer/value.ts';
import { memorySource } from '../../../io/memory-source.ts';
import type { TraceModel } from '../../model.ts';
import { indexStreamFile } from '../../packets/packet-index.ts';
import { type DecodedChunk, type DecodeRequest, type FieldWant, placeOf } from './rows.ts';

const MANY = 40;
const numbers = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`n${i}`, integer(8)]));
const callstack = struct({
  name: text,
  count: integer(32),
  addresses: {
    kind: 'array',
    length: { scope: 'event-payload', steps: [1], text: 'count' },
    element: integer(64),
    align: 8,
  },
  last: integer(16),
});

const model: TraceModel = lttngModel({
  uuid: '01234567-89ab-cdef-0123-456789abcdef',
  header: 'large',
  byteOrder: 'le',
  environment: {},
  clock: { name: 'c', frequency: 1_000_000_000n, offsetSeconds: 0n, offsetCycles: 0n, absolute: true },
  events: {
    call_fsync: callstack,
    call_read: struct({ name: text, last: integer(16) }),
    wide: struct(numbers),
  },
});

const NAME: FieldWant = { names: ['name'], kind: 'string' };
const LAST: FieldWant = { names: ['last'], kind: 'int' };
const LAST_WIDE: FieldWant = { names: ['last'], kind: 'wide' };
const ADDRESSES: FieldWant = { names: ['addresses'], kind: 'sequence' };

interface WrittenEvent {
  readonly eventClass: number;
  readonly payload: StructValue;
}

/** Both decoders' rows of packets with these events; an event's time is its number. */
async function decode(request: DecodeRequest, ...packets: readonly (readonly WrittenEvent[])[]) {
  let time = 0n;
  const written = packets.map((events) => {
    const begin = time;
    const timed = events.map((event) => ({ ...event, time: time++ }));
    return { begin, end: time, cpu: 0, streamId: 1n, events: timed };
  });
  const files = writeTrace(model, [{ file: 's', streamClass: 0, packets: written }], { padBytes: 8 });
  const bytes = files.get('s') ?? new Uint8Array();
  const indexed = await indexStreamFile(model, memorySource('s', bytes));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const { packets: table } = indexed.value;
  const decoders = bothDecoders(model, 0, request, {
    frequency: 1_000_000_000n,
    ticksOffset: 0n,
    baseNs: 0n,
  });
  const extents = [{ table, first: 0, count: table.length, byteOffset: 0, path: 's' }];
  const chunk = decoders.compare({ bytes, extents });
  expect([decoders.executor, decoders.handedOver]).toEqual(['wasm', 0]);
  return chunk;
}

/** What a row has of each field of its kind. */
function fieldsOf({ rows }: DecodedChunk, row: number, request: DecodeRequest): unknown[] {
  const want = request.kinds[rows.kind[row]];
  return want.fields.map(({ kind }, index) => {
    const { presence, bit, offset } = placeOf(want, index);
    const at = rows.at[row];
    if (((rows.words[at + presence] >>> bit) & 1) === 0) return undefined;
    const [first, second] = rows.words.subarray(at + offset, at + offset + 2);
    if (kind === 'int') return first;
    if (kind === 'wide') return second * 2 ** 32 + (first >>> 0);
    const part = rows.bytes.slice(first, first + second);
    return kind === 'string'
      ? new TextDecoder().decode(part)
      : [...new BigUint64Array(part.buffer, 0, second / 8)];
  });
}

const fsync = (addresses: readonly bigint[]): WrittenEvent => ({
  eventClass: 0,
  payload: { name: 'fsync', count: addresses.length, addresses: [...addresses], last: 7 },
});
const read: WrittenEvent = { eventClass: 1, payload: { name: 'read', last: 8 } };

describe('an event that several kinds read', () => {
  const request: DecodeRequest = {
    kinds: [
      { names: ['call_*'], table: 'calls', fields: [NAME, LAST] },
      { names: ['call_fsync'], fields: [LAST_WIDE, NAME, ADDRESSES] },
      { names: ['*'], fields: [] },
    ],
  };

  it('leaves a row for each, with the fields of each', async () => {
    const chunk = await decode(request, [fsync([3n, 2n ** 63n]), read], [], [fsync([])]);
    const { rows, packets } = chunk;
    expect([...rows.kind]).toEqual([0, 1, 2, 0, 2, 0, 1, 2]);
    expect([...rows.time]).toEqual([0, 0, 0, 1, 1, 2, 2, 2]);
    expect([...rows.eventClass]).toEqual([0, 0, 0, 1, 1, 0, 0, 0]);
    expect([...packets.firstRow]).toEqual([0, 5, 5, 8]);
    expect([...packets.events]).toEqual([2, 0, 1]);
    expect(fieldsOf(chunk, 0, request)).toEqual(['fsync', 7]);
    expect(fieldsOf(chunk, 1, request)).toEqual([7, 'fsync', [3n, 2n ** 63n]]);
    expect(fieldsOf(chunk, 3, request)).toEqual(['read', 8]);
    expect(fieldsOf(chunk, 6, request)).toEqual([7, 'fsync', []]);
  });

  it('has one kind of a table: the exact name before the prefix', async () => {
    const exclusive: DecodeRequest = {
      kinds: [
        { names: ['call_*'], table: 'calls', fields: [] },
        { names: ['call_fsync'], table: 'calls', fields: [] },
      ],
    };
    expect([...(await decode(exclusive, [fsync([]), read])).rows.kind]).toEqual([1, 0]);
  });

  it('needs more room than its chunk had', async () => {
    const events = Array.from({ length: 40_000 }, () => fsync([1n]));
    const { rows, packets } = await decode(request, events.slice(0, 10), events.slice(10));
    expect(rows.length).toBe(120_000);
    expect([...packets.firstRow]).toEqual([0, 30, 120_000]);
    expect([...rows.kind.subarray(119_997)]).toEqual([0, 1, 2]);
    expect(rows.time[119_999]).toBe(39_999);
  });
});

it('reads more fields than a word has presence bits', async () => {
  const fields = Array.from({ length: MANY + 1 }, (_, i): FieldWant => ({ names: [`n${i}`], kind: 'int' }));
  const request: DecodeRequest = { kinds: [{ names: ['wide'], fields }] };
  const payload = Object.fromEntries(Array.from({ length: MANY }, (_, i) => [`n${i}`, i + 1]));
  const chunk = await decode(request, [{ eventClass: 2, payload }]);
  expect(fieldsOf(chunk, 0, request)).toEqual([...Array.from({ length: MANY }, (_, i) => i + 1), undefined]);
});

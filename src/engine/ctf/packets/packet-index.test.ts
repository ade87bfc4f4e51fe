import { describe, expect, test } from 'vitest';
import { integer, lttngModel, struct, text } from '../../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace, type PacketToWrite } from '../../../../test/support/ctf-writer/trace-writer.ts';
import { ok } from '../../base/fault.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { memorySource } from '../../io/memory-source.ts';
import type { TraceModel } from '../model.ts';
import { indexStreamFile } from './packet-index.ts';
import { PACKET_HAS_BEGIN, PACKET_HAS_END, PACKET_IS_DAMAGED, type IndexedFile } from './packet-table.ts';

const model = lttngModel({
  uuid: '01234567-89ab-cdef-0123-456789abcdef',
  clock: { name: 'c', frequency: 1_000_000_000n, offsetSeconds: 0n, offsetCycles: 0n, absolute: true },
  environment: {},
  header: 'large',
  events: { one: struct({ value: integer(32) }) },
});

const PAD = 4096;
/** Where LTTng's packet header has its fields, in bytes. */
const UUID_AT = 4;
const STREAM_ID_AT = 20;
const END_AT = 40;
const CONTENT_SIZE_AT = 48;
const PACKET_SIZE_AT = 56;

function packet(index: number): PacketToWrite {
  const begin = BigInt(index) * 1000n;
  const events = [{ eventClass: 0, time: begin + 10n, payload: { value: index } }];
  return { begin, end: begin + 500n, discarded: 0n, sequence: BigInt(index), cpu: 2, streamId: 7n, events };
}

function stream(packets: number, padBytes = PAD): { readonly data: Uint8Array; readonly index: Uint8Array } {
  const list = Array.from({ length: packets }, (_, index) => packet(index));
  const files = writeTrace(model, [{ file: 's', streamClass: 0, packets: list }], { padBytes, index: true });
  return { data: files.get('s') ?? new Uint8Array(), index: files.get('index/s.idx') ?? new Uint8Array() };
}

async function indexOf(data: Uint8Array, index?: Uint8Array, of: TraceModel = model): Promise<IndexedFile> {
  const indexed = await indexStreamFile(of, memorySource('s', data), index);
  if (!indexed.ok) throw new Error(indexed.fault.code);
  return indexed.value;
}

function changed(data: Uint8Array, at: number, ...bytes: number[]): Uint8Array {
  const copy = data.slice();
  copy.set(bytes, at);
  return copy;
}

describe('good files', () => {
  test('walking and the index of LTTng give the same table', async () => {
    const { data, index } = stream(5);
    const walked = await indexOf(data);
    expect(walked.faults).toEqual([]);
    expect(walked.packets.length).toBe(5);
    expect([...walked.packets.offset]).toEqual([0, 1, 2, 3, 4].map((packet) => packet * PAD));
    expect([...walked.packets.begin]).toEqual([0n, 1000n, 2000n, 3000n, 4000n]);
    expect([...walked.packets.cpu]).toEqual([2, 2, 2, 2, 2]);
    expect(walked.packets.streamId[0]).toBe(7n);
    expect(walked.packets.discardedBits).toBe(64);
    expect(await indexOf(data, index)).toEqual(walked);
  });

  test('of more packets than the first columns have room for', async () => {
    const { data, index } = stream(600, 128);
    const { packets, faults } = await indexOf(data);
    expect(faults).toEqual([]);
    expect(packets.length).toBe(600);
    expect([...packets.sequence]).toEqual(Array.from({ length: 600 }, (_, packet) => BigInt(packet)));
    expect(packets.offset.length).toBe(600);
    expect((await indexOf(data, index)).packets).toEqual(packets);
  });

  test('reads little of large packets', async () => {
    const { data } = stream(20, 1 << 20);
    let bytes = 0;
    const counted: ByteSource = {
      ...memorySource('s', data),
      read(offset, length) {
        bytes += length;
        return memorySource('s', data).read(offset, length);
      },
    };
    const indexed = await indexStreamFile(model, counted);
    expect(indexed.ok && indexed.value.packets.length).toBe(20);
    expect(bytes).toBeLessThan(20 * 8192);
  });

  test('reads ahead no more than sizes let expect', async () => {
    const [small, large] = [1 << 18, 1 << 19].map((pad) => stream(1, pad).data);
    const packets = Array.from({ length: 10 }, () => [small, small, large, large]).flat();
    const data = new Uint8Array(await new Blob(packets as BlobPart[]).arrayBuffer());
    let reads = 0;
    const counted: ByteSource = {
      ...memorySource('s', data),
      read(offset, length) {
        reads++;
        return memorySource('s', data).read(offset, length);
      },
    };
    const indexed = await indexStreamFile(model, counted);
    expect(indexed.ok && indexed.value.packets.length).toBe(packets.length);
    expect(reads).toBeLessThanOrEqual(2 * packets.length);
  });

  test('an empty file has no packets', async () => {
    const { packets, faults } = await indexOf(new Uint8Array());
    expect([packets.length, faults]).toEqual([0, []]);
  });

  test('without header and context the file is one packet', async () => {
    const bare: TraceModel = {
      ...model,
      packetHeader: undefined,
      streams: [{ ...model.streams[0], packetContext: undefined }],
    };
    const { packets, faults } = await indexOf(new Uint8Array(100), undefined, bare);
    expect(faults).toEqual([]);
    expect([packets.length, packets.contentBits[0], packets.eventsBits[0]]).toEqual([1, 800, 0]);
    expect(packets.flags[0] & PACKET_HAS_BEGIN).toBe(0);
  });

  test('an end of 0 is no end', async () => {
    const { data } = stream(2);
    const { packets } = await indexOf(changed(data, PAD + END_AT, 0, 0, 0, 0, 0, 0, 0, 0));
    expect(packets.flags[1] & PACKET_HAS_END).toBe(0);
    expect(packets.flags[0] & PACKET_HAS_END).toBe(PACKET_HAS_END);
  });
});

describe('an index that lies is not believed', () => {
  const { data, index } = stream(3);
  test.each([
    ['another magic', changed(index, 0, 0)],
    ['a cut entry', index.slice(0, -1)],
    ['a missing entry', index.slice(0, 16 + 2 * 72)],
    ['another begin of the last packet', changed(index, index.length - 72 + 24 + 7, 1)],
    ['garbage', new Uint8Array(index.length).fill(0xa5)],
  ])('%s', async (_, wrong) => {
    const { packets, faults } = await indexOf(data, wrong);
    expect(faults.map(({ code }) => code)).toEqual(['index-disagrees']);
    expect(packets).toEqual((await indexOf(data)).packets);
  });
});

describe('faults end the index and keep the packets before', () => {
  const { data } = stream(3);
  test.each([
    ['bad-magic', changed(data, PAD, 0), 1],
    ['unknown-stream-id', changed(data, PAD + STREAM_ID_AT, 9), 1],
    ['packet-size', changed(data, PAD + PACKET_SIZE_AT, 1), 1],
    ['packet-size', changed(data, PAD + PACKET_SIZE_AT, 8, 0), 1],
    ['packet-size', changed(data, PAD + CONTENT_SIZE_AT, 0, 0, 1), 1],
    ['packet-size', changed(data, PAD + CONTENT_SIZE_AT, 0, 0), 1],
    ['truncated', data.slice(0, PAD + 30), 1],
  ])('%s', async (code, bytes, packets) => {
    const indexed = await indexOf(bytes);
    expect(indexed.faults).toHaveLength(1);
    expect(indexed.faults[0]).toMatchObject({
      code,
      place: { file: 's', packet: packets, byte: packets * PAD },
    });
    expect(indexed.packets.length).toBe(packets);
    expect(indexed.packets.flags[packets - 1] & PACKET_IS_DAMAGED).toBe(PACKET_IS_DAMAGED);
  });

  test('a magic number of the other byte order, which says nothing in CTF 2', async () => {
    const turned = changed(data, PAD, 0xc1, 0xfc, 0x1f, 0xc1);
    const { packets, faults } = await indexOf(turned);
    const found = '0xc11ffcc1, that of the other byte order';
    expect([packets.length, faults]).toMatchObject([1, [{ code: 'bad-magic', found }]]);
    expect((await indexOf(turned, undefined, { ...model, version: '2.0' })).faults).toEqual([]);
  });

  test('a packet that is cut in its content stays, as long as it is', async () => {
    const { packets, faults } = await indexOf(data.slice(0, 2 * PAD + 100));
    expect(faults.map(({ code }) => code)).toEqual(['truncated']);
    expect([packets.length, packets.size[2]]).toEqual([3, 100]);
    expect(Array.from(packets.flags, (flags) => flags & PACKET_IS_DAMAGED)).toEqual([
      0,
      0,
      PACKET_IS_DAMAGED,
    ]);
  });

  test('a head without end is not read to the end of the file', async () => {
    const endless: TraceModel = {
      ...model,
      packetHeader: undefined,
      streams: [{ ...model.streams[0], packetContext: struct({ name: text }) }],
    };
    let longest = 0;
    const letters: ByteSource = {
      name: 's',
      size: 1e12,
      read(_, length) {
        longest = Math.max(longest, length);
        return Promise.resolve(ok(new Uint8Array(length).fill(97)));
      },
    };
    const indexed = await indexStreamFile(endless, letters);
    expect(indexed.ok && indexed.value.faults.map(({ code }) => code)).toEqual(['over-limit']);
    expect(longest).toBe(2 ** 24);
  });

  test('more packets than the limit', async () => {
    const indexed = await indexStreamFile(model, memorySource('s', data), undefined, 2);
    if (!indexed.ok) throw new Error(indexed.fault.code);
    const { packets, faults } = indexed.value;
    expect(faults).toEqual([
      {
        code: 'over-limit',
        place: { file: 's', packet: 2, byte: 2 * PAD },
        expected: 'at most 2 packets in a file',
      },
    ]);
    expect([packets.length, packets.flags[1] & PACKET_IS_DAMAGED]).toEqual([2, PACKET_IS_DAMAGED]);
    const whole = await indexStreamFile(model, memorySource('s', data), undefined, 3);
    expect(whole.ok && whole.value.faults).toEqual([]);
  });

  test('the uuid of another trace is a warning', async () => {
    const { packets, faults } = await indexOf(changed(data, UUID_AT, 0xff));
    expect(faults.map(({ code }) => code)).toEqual(['bad-uuid']);
    expect(packets.length).toBe(3);
  });
});

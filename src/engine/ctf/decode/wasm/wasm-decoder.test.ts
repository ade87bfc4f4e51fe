import { afterEach, describe, expect, it, vi } from 'vitest';
import { integer, struct, text } from '../../../../../test/support/ctf-writer/model-builder.ts';
import { bothDecoders } from '../../../../../test/support/both-decoders.ts';
import { memorySource } from '../../../io/memory-source.ts';
import { MAX_DEPTH } from '../../metadata/limits.ts';
import type { FieldClass, StructClass, TraceModel } from '../../model.ts';
import { indexStreamFile } from '../../packets/packet-index.ts';
import { createChunkDecoder } from '../chunk-decoder.ts';
import type { DecodeRequest } from '../rows/rows.ts';
import { EVERYTHING } from '../program/stream-programs.ts';
import { DecodeMemory, openDecodeMemory } from './decode-memory.ts';
import { WINDOW_BYTES, WINDOW_STEP } from './memory-layout.ts';

const clock = { frequency: 1_000_000_000n, ticksOffset: 0n, baseNs: 0n };

/** A stream that is one packet without head; events of 16-bit id and 32-bit time, and a payload. */
function modelOf(payload: StructClass, timeBits = 32): TraceModel {
  const id = integer(16, { roles: ['event-class-id'] });
  const time = integer(timeBits, { clock: 0, roles: ['timestamp'] });
  return {
    version: '1.8',
    byteOrder: 'le',
    environment: [],
    clocks: [{ name: 'c', offsetSeconds: 0n, offsetCycles: 0n, absolute: false, ...clock }],
    streams: [
      { id: 0n, eventHeader: struct({ id, time }), clock: 0, events: [{ id: 0n, name: 'event', payload }] },
    ],
  };
}

const sequence: FieldClass = {
  kind: 'array',
  length: { scope: 'event-payload', steps: [0], text: 'length' },
  element: integer(8),
  align: 8,
};

/** Events with a length and as many bytes. */
function eventsOf(lengths: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + 10 + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  lengths.forEach((length, index) => {
    view.setUint32(at + 2, index, true);
    view.setUint32(at + 6, length, true);
    at += 10 + length;
  });
  return bytes;
}

async function compare(model: TraceModel, bytes: Uint8Array, request: DecodeRequest | typeof EVERYTHING) {
  const indexed = await indexStreamFile(model, memorySource('s', bytes));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const table = indexed.value.packets;
  const both = bothDecoders(model, 0, request, clock);
  const extents = [{ table, first: 0, count: table.length, byteOffset: 0, path: 's' }];
  const first = both.compare({ bytes, extents });
  // Memory that grew, and an instance that is there already.
  both.compare({ bytes, extents });
  return { ...first, executor: both.executor, handedOver: both.handedOver };
}

const lengths: DecodeRequest = {
  kinds: [{ names: ['event'], fields: [{ names: ['length'], kind: 'int' }] }],
};
const sized = modelOf(struct({ length: integer(32), data: sequence }));

describe('packets larger than the window', () => {
  it('are decoded window by window', async () => {
    const bytes = eventsOf(Array.from({ length: 3000 }, (_, index) => (index * 97) % 1500));
    expect(bytes.length).toBeGreaterThan(4 * WINDOW_BYTES);
    const { rows, faults, handedOver } = await compare(sized, bytes, lengths);
    expect({ rows: rows.length, faults, handedOver }).toEqual({ rows: 3000, faults: [], handedOver: 0 });
  });

  it('may have events nearly as large, but not larger', async () => {
    const fits = WINDOW_BYTES - WINDOW_STEP - 10;
    const some = await compare(sized, eventsOf([7000, fits, 1, fits, 5000]), lengths);
    expect([some.rows.length, some.handedOver]).toEqual([5, 0]);
    const larger = await compare(sized, eventsOf([7000, WINDOW_BYTES, 3]), lengths);
    expect([larger.rows.length, larger.faults, larger.handedOver]).toEqual([3, [], 2]);
  });

  it('keep alignment within them', async () => {
    const payload = struct({ a: integer(8), b: integer(64, { align: 512 }) });
    // Header, 58 bytes of padding, one byte and again 63, eight bytes.
    const bytes = new Uint8Array(3 * WINDOW_BYTES + 8);
    const { rows, handedOver } = await compare(modelOf(payload), bytes, {
      kinds: [{ names: ['event'], fields: [{ names: ['b'], kind: 'wide' }] }],
    });
    expect([rows.length, handedOver]).toEqual([(3 * WINDOW_BYTES) / 128, 0]);
  });
});

describe('rows that are copies of the body', () => {
  const payload = struct({ a: integer(32), b: integer(64), c: integer(32), d: integer(16) });
  const event = 6 + 18;
  const head = 2;

  /** Events up to the packet's last byte, without two bytes that are equal in a row. */
  function events(count: number, id: number): Uint8Array {
    const bytes = Uint8Array.from({ length: count * event }, (_, i) => (i * 7 + (i >> 8)) & 0xff);
    for (let at = 0; at < bytes.length; at += event) bytes.set([id, 0, 1, 0, 0, 0], at);
    return bytes;
  }

  it.each([
    ['side by side', ['b', 'c'], 4],
    ['from the first byte on', ['a', 'b'], 4],
    ['in another order, which are none', ['c', 'b'], 4],
    ['with one between, which are none', ['a', 'c'], 3],
    ['with one that is absent, which are none', ['b', 'e'], 5],
  ])('fields %s', async (_, names, width) => {
    const fields = names.map(
      (name) => ({ names: [name], kind: /[be]/.test(name) ? 'wide' : 'int' }) as const,
    );
    const request = { kinds: [{ names: ['event'], fields }] };
    const { rows, handedOver } = await compare(modelOf(payload), events(5000, 0), request);
    expect([rows.length, rows.words.length, handedOver]).toEqual([5000, 5000 * width, 0]);
  });

  it('tapes', async () => {
    const whole = modelOf(
      struct({ a: integer(32), b: integer(64), c: integer(32), d: integer(8), e: integer(8) }),
    );
    const copied = modelOf(struct({ a: integer(32), b: integer(64), c: integer(32) }));
    for (const [model, size, words] of [
      [whole, event, 6],
      [copied, event - 2, 4],
    ] as const) {
      const bytes = new Uint8Array(100_000 * size).map((_, i) => (i % size < 6 ? 0 : i * 13));
      const { rows, handedOver } = await compare(model, bytes, EVERYTHING);
      expect([rows.length, rows.words.length, handedOver]).toEqual([100_000, 100_000 * (head + words), 0]);
    }
  });
});

describe('headers that end beyond the window', () => {
  const request: DecodeRequest = { kinds: [{ names: ['event'], fields: [{ names: ['a'], kind: 'int' }] }] };

  it.each([1, 3, 6, 9])('%d bytes of one at the end', async (left) => {
    const bytes = new Uint8Array(3 * 10 + left);
    const { rows, faults } = await compare(modelOf(struct({ a: integer(32) })), bytes, request);
    expect([rows.length, faults.length]).toEqual([3, 1]);
  });

  it('none at the end, behind which are bytes of another packet', async () => {
    const bytes = new Uint8Array(3 * 10);
    const { rows, faults, handedOver } = await compare(modelOf(struct({ a: integer(32) })), bytes, request);
    expect([rows.length, faults.length, handedOver]).toEqual([3, 0, 0]);
  });
});

describe('variable-length integers', () => {
  const most = [255, 255, 255, 255, 255, 255, 255, 255, 255];
  const least = [128, 128, 128, 128, 128, 128, 128, 128, 128];

  it.each([
    ['all 64 bits', false, [...most, 1], 2n ** 64n - 1n],
    ['the least', true, [...least, 127], -(2n ** 63n)],
    ['the greatest', true, [...most, 0], 2n ** 63n - 1n],
    ['a 65th bit', false, [...least, 2], undefined],
    ['a tenth byte without need', false, [...most, 0], undefined],
    ['a sign beyond', true, [...most, 2], undefined],
    ['an eleventh byte', true, [...least, 128, 0], undefined],
  ])('%s, signed %s', async (_, signed, bytes, value) => {
    const model = modelOf(struct({ a: integer(64, { variable: true, signed }) }));
    const head = [0, 0, 1, 0, 0, 0];
    const { rows, faults, executor } = await compare(model, Uint8Array.from([...head, ...bytes]), {
      kinds: [{ names: ['event'], fields: [{ names: ['a'], kind: 'wide' }] }],
    });
    expect(executor).toBe('wasm');
    expect(faults.map(({ code }) => code)).toEqual(value === undefined ? ['integer-too-long'] : []);
    if (value === undefined) return expect(rows.length).toBe(0);
    const [, low, high] = rows.words;
    const read = (BigInt(high) << 32n) | BigInt(low >>> 0);
    expect(BigInt.asUintN(64, read)).toBe(BigInt.asUintN(64, value));
  });
});

describe('memory', () => {
  const tiny = modelOf(struct({ value: integer(8) }));

  it('grows with rows and words', async () => {
    const bytes = new Uint8Array(7 * 300_000);
    const request: DecodeRequest = {
      kinds: [
        {
          names: ['event'],
          fields: Array.from({ length: 20 }, (_, i) => ({ names: [`absent ${i}`], kind: 'wide' })),
        },
      ],
    };
    const { rows, handedOver } = await compare(tiny, bytes, request);
    expect([rows.length, rows.words.length, handedOver]).toEqual([300_000, 41 * 300_000, 0]);
  });

  it('grows with tapes', async () => {
    const { rows, handedOver } = await compare(tiny, new Uint8Array(7 * 200_000), EVERYTHING);
    expect([rows.length, rows.words.length, handedOver]).toEqual([200_000, 600_000, 0]);
  });

  it('is bounded for loops that take no bits', async () => {
    const nothing: FieldClass = { ...sequence, element: struct({}) };
    const bytes = eventsOf([0]);
    new DataView(bytes.buffer).setUint32(6, 0xffffffff, true);
    const { faults, handedOver } = await compare(
      modelOf(struct({ length: integer(32), data: nothing })),
      bytes,
      EVERYTHING,
    );
    expect([faults.map(({ code }) => code), handedOver]).toEqual([['array-too-long'], 2]);
  });

  it('is shared by decoders that take turns', async () => {
    const memory = new DecodeMemory();
    const [a, b] = [sized, tiny].map((model) => bothDecoders(model, 0, lengths, clock, memory));
    const bytes = eventsOf([3, 1, 4, 1, 5]);
    for (const [both, model] of [
      [a, sized],
      [b, tiny],
      [a, sized],
    ] as const) {
      const indexed = await indexStreamFile(model, memorySource('s', bytes));
      if (!indexed.ok) throw new Error(indexed.fault.code);
      const extents = [{ table: indexed.value.packets, first: 0, count: 1, byteOffset: 0, path: 's' }];
      both.compare({ bytes, extents });
    }
  });
});

it('reads arrays in each other as deep as metadata may have them', async () => {
  let value: FieldClass = text;
  for (let depth = 2; depth < MAX_DEPTH; depth++)
    value = { kind: 'array', length: 1, element: value, align: 8 };
  const bytes = new Uint8Array([0, 0, 0, 0, 0, 0, 65, 0]);
  const { rows, faults, executor, handedOver } = await compare(modelOf(struct({ value })), bytes, EVERYTHING);
  expect({ rows: rows.length, faults, executor, handedOver }).toEqual({
    rows: 1,
    faults: [],
    executor: 'wasm',
    handedOver: 0,
  });
});

describe('branches by a number', () => {
  it.each([
    ['may have very many options', 3000, 'wasm'],
    ['are left to the interpreter where code would take long to compile', 6000, 'ts'],
  ])('%s', async (_, many, by) => {
    const options = Array.from({ length: many }, (_, i) => {
      return { type: integer(8 * (1 + (i % 2))), ranges: [{ from: BigInt(i), to: BigInt(i) }] };
    });
    const tag = { scope: 'event-payload', steps: [0], text: 'tag' } as const;
    const model = modelOf(struct({ tag: integer(16), value: { kind: 'variant', tag, options } }));
    const last = many - 1;
    const bytes = new Uint8Array([
      ...new Array<number>(8).fill(0),
      7,
      0,
      0,
      0,
      0,
      0,
      0,
      last,
      last >> 8,
      7,
      0,
    ]);
    const { rows, faults, executor, handedOver } = await compare(model, bytes, EVERYTHING);
    expect({ faults, executor, handedOver }).toEqual({ faults: [], executor: by, handedOver: 0 });
    expect([...rows.words.subarray(2, 5), ...rows.words.subarray(7)]).toEqual([0, 0, 7, last, last, 7]);
  });

  it('may lead to very many bodies', async () => {
    const many = 6000;
    const payload = (id: number) =>
      struct(
        Object.fromEntries(
          Array.from({ length: 14 }, (_, i) => [`m${i}`, (id >> i) % 2 === 0 ? integer(8) : text]),
        ),
      );
    const model = modelOf(struct({}));
    const [stream] = model.streams;
    const events = Array.from({ length: many }, (_, id) => ({
      id: BigInt(id),
      name: 'event',
      payload: payload(id),
    }));
    const bytes = new Uint8Array(2 * 20);
    new DataView(bytes.buffer).setUint16(20, many - 1, true);
    const wide = { ...model, streams: [{ ...stream, events }] };
    const { rows, executor, handedOver } = await compare(wide, bytes, { kinds: [] });
    expect({ rows: rows.length, executor, handedOver }).toEqual({ rows: 0, executor: 'wasm', handedOver: 0 });
  });
});

it('follows a clock that leaps, and leaves one that steps back to the interpreter', async () => {
  const bytes = new Uint8Array(10 * 4);
  const view = new DataView(bytes.buffer);
  [5n, 2n ** 60n, 2n ** 60n + 7n, 3n].forEach((time, event) => view.setBigUint64(10 * event + 2, time, true));
  const request = { kinds: [{ names: ['event'], fields: [] }] };
  const leaping = await compare(modelOf(struct({}), 64), bytes.subarray(0, 30), request);
  expect([[...leaping.rows.time], leaping.handedOver]).toEqual([[5, 2 ** 60, 2 ** 60 + 7], 0]);
  const { rows, packets, handedOver } = await compare(modelOf(struct({}), 64), bytes, request);
  expect([...rows.time]).toEqual([5, 2 ** 60, 2 ** 60 + 7, 2 ** 60 + 7]);
  expect([packets.backwards[0], handedOver]).toEqual([1, 2]);
});

describe('without WebAssembly', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('the interpreter decodes', () => {
    expect(openDecodeMemory('ts')).toBeUndefined();
    expect(openDecodeMemory('wasm')).toBeInstanceOf(DecodeMemory);
    expect(createChunkDecoder(sized, 0, lengths, clock, openDecodeMemory('ts')).executor).toBe('ts');
    const refuse = () => {
      throw new WebAssembly.CompileError('the policy of the page');
    };
    vi.stubGlobal('WebAssembly', { ...WebAssembly, Module: refuse });
    expect(openDecodeMemory()).toBeUndefined();
    vi.stubGlobal('WebAssembly', undefined);
    expect(openDecodeMemory()).toBeUndefined();
  });
});

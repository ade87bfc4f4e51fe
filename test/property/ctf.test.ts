/** What the CTF writer writes, the reader reads: models, values, times. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunkDecoder } from '../../src/engine/ctf/decode/chunk-decoder.ts';
import {
  placeOf,
  type DecodeRequest,
  type FieldWant,
  type Rows,
} from '../../src/engine/ctf/decode/rows/rows.ts';
import {
  cyclesOf,
  tapeOf,
  takeBytes,
  takeCount,
  takeFloat,
  takeInteger,
  type Tape,
} from '../../src/engine/ctf/decode/rows/values.ts';
import { splitOffset } from '../../src/engine/ctf/decode/run/clock-map.ts';
import { EVERYTHING } from '../../src/engine/ctf/decode/program/stream-programs.ts';
import { readMetadata } from '../support/read-metadata.ts';
import {
  type StreamClass,
  type StructClass,
  type TraceModel,
  type FieldClass,
  type TextEncoding,
  unitOf,
} from '../../src/engine/ctf/model.ts';
import { indexStreamFile } from '../../src/engine/ctf/packets/packet-index.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { writeTrace, type StreamToWrite, type TraceForm } from '../support/ctf-writer/trace-writer.ts';
import { type StructValue, encodeText, type Choice, type Value } from '../support/ctf-writer/value.ts';
import { randomOf } from '../support/simulator/random.ts';
import { randomCtf2Trace } from './random-ctf2.ts';
import { randomTrace } from './random-model.ts';
import { forAll } from '../support/for-all.ts';

const forms = fc.record({
  padBytes: fc.constantFrom(1, 4, 64),
  metadataPacketBytes: fc.constantFrom(undefined, 100, 5000),
  index: fc.boolean(),
});

describe.each([
  ['CTF 1.8', randomTrace],
  ['CTF 2', randomCtf2Trace],
])('write, then read: %s', (_, draw) => {
  it('gives the model back', () =>
    forAll(60, [fc.nat(), forms], (seed, form) => {
      const { model, streams } = draw(randomOf(seed));
      expect(comparable(readBack(model, streams, form).model)).toEqual(comparable(model));
    }));

  it('gives every value and time back', () =>
    forAll(60, [fc.nat(), forms], async (seed, form) => {
      const { model, streams } = draw(randomOf(seed));
      const { model: read, files } = readBack(model, streams, form);
      for (const stream of streams) {
        const rows = await decodeAll(read, stream, files, EVERYTHING);
        expect(valuesOf(rows, read.streams[stream.streamClass])).toEqual(expected(model, stream));
      }
    }));

  it('gives the integers of payloads that rows are asked for, and nothing else changes them', () =>
    forAll(60, [fc.nat(), fc.constantFrom('int', 'wide')], async (seed, kind) => {
      const random = randomOf(seed);
      const { model, streams } = draw(random);
      const { model: read, files } = readBack(model, streams, { padBytes: 4 });
      for (const stream of streams) {
        const { events } = model.streams[stream.streamClass];
        const members = events.flatMap(({ payload }) => payload?.members ?? []);
        const names = [...new Set(members.filter(() => random.chance(0.7)).map(({ name }) => name))];
        const fields = names.map((name): FieldWant => ({ names: ['absent', name], only: 'payload', kind }));
        const want = { names: ['*'], fields };
        const { at, words } = await decodeAll(read, stream, files, { kinds: [want] });
        const written = stream.packets.flatMap((packet) => packet.events);
        expect(at.length).toBe(written.length);
        written.forEach(({ eventClass, payload = {} }, row) =>
          names.forEach((name, field) => {
            const { offset, presence, bit } = placeOf(want, field);
            const member = events[eventClass].payload?.members.find((each) => each.name === name);
            const isThere = member?.type.kind === 'integer';
            const value = isThere ? BigInt(payload[name] as number | bigint) : 0n;
            expect((words[at[row] + presence] >>> bit) & 1).toBe(isThere ? 1 : 0);
            expect(words[at[row] + offset]).toBe(Number(BigInt.asIntN(32, value)));
            const high = Number(BigInt.asIntN(32, value >> 32n));
            if (kind === 'wide') expect(words[at[row] + offset + 1]).toBe(high);
          }),
        );
      }
    }));
});

function readBack(model: TraceModel, streams: readonly StreamToWrite[], form: TraceForm) {
  // Without sizes a packet is its file, to the last byte.
  const padBytes = model.streams[0].packetContext ? form.padBytes : 1;
  const files = writeTrace(model, streams, { ...form, padBytes });
  const metadata = readMetadata(files.get('metadata') ?? new Uint8Array(), 'metadata');
  if (!metadata.ok) throw new Error(JSON.stringify(metadata.fault));
  return { model: metadata.value.model, files };
}

/** Without the spelling of references, which may differ. */
function comparable(model: TraceModel): unknown {
  return JSON.parse(
    JSON.stringify(model, (key, value: unknown) => {
      if (key === 'text') return undefined;
      return typeof value === 'bigint' ? `${value}n` : value;
    }),
  );
}

async function decodeAll(
  model: TraceModel,
  stream: StreamToWrite,
  files: ReadonlyMap<string, Uint8Array>,
  request: DecodeRequest | typeof EVERYTHING,
): Promise<Rows> {
  const bytes = files.get(stream.file) ?? new Uint8Array();
  const source = memorySource(stream.file, bytes);
  const context = model.streams[stream.streamClass].packetContext;
  const isTimed = context?.members.some(({ name }) => name === 'timestamp_begin') === true;
  const index = isTimed ? files.get(`index/${stream.file}.idx`) : undefined;
  const indexed = await indexStreamFile(model, source, index);
  if (!indexed.ok) throw new Error(JSON.stringify(indexed.fault));
  expect(indexed.value.faults).toEqual([]);
  const table = indexed.value.packets;
  const type = model.streams[stream.streamClass];
  const clock = type.clock === undefined ? undefined : model.clocks[type.clock];
  const map = clock && {
    frequency: clock.frequency,
    ticksOffset: splitOffset(clock).ticksOffset,
    baseNs: 0n,
  };
  // Of rows times may be too far.
  const timed = request === EVERYTHING;
  const decoder = createChunkDecoder(model, stream.streamClass, request, timed ? map : undefined);
  const extents = [{ table, first: 0, count: table.length, byteOffset: 0, path: stream.file }];
  const { rows, faults } = decoder.decode({ bytes, extents });
  expect(faults).toEqual([]);
  return rows;
}

function valuesOf(rows: Rows, type: StreamClass) {
  return Array.from({ length: rows.length }, (_, row) => {
    const event = type.events[rows.eventClass[row]];
    const tape = tapeOf(rows, row);
    const scope = (root: StructClass | undefined): unknown => (root ? takeValue(tape, root) : {});
    return {
      eventClass: rows.eventClass[row],
      time: type.clock !== undefined && type.eventHeader ? cyclesOf(rows, row) : undefined,
      common: scope(type.eventContext),
      specific: scope(event.context),
      payload: scope(event.payload),
    };
  });
}

function expected(model: TraceModel, { streamClass, packets }: StreamToWrite) {
  const type = model.streams[streamClass];
  const timed = type.clock !== undefined && type.eventHeader !== undefined;
  const scope = (root: StructClass | undefined, value: StructValue | undefined): unknown =>
    root ? plainValue(root, value ?? {}) : {};
  return packets.flatMap(({ events }) =>
    events.map(({ eventClass, time, common, specific, payload }) => ({
      eventClass,
      time: timed ? time : undefined,
      common: scope(type.eventContext, common),
      specific: scope(type.events[eventClass].context, specific),
      payload: scope(type.events[eventClass].payload, payload),
    })),
  );
}

/** Integers become bigints, texts the bytes before their first null, variants [option, value]. */
function plainValue(type: FieldClass, value: Value): unknown {
  switch (type.kind) {
    case 'integer':
    case 'bits':
      return BigInt(value as number | bigint);
    case 'float':
      return Number(value);
    case 'string':
    case 'text':
      return untilNull(encodeText(value as string | Uint8Array, type.encoding), type.encoding);
    case 'blob':
      return [...(value as Uint8Array)];
    case 'array':
      return (value as readonly Value[]).map((element) => plainValue(type.element, element));
    case 'struct':
      return type.members.map((member) => plainValue(member.type, (value as StructValue)[member.name]));
    case 'variant': {
      const choice = value as Choice;
      return [choice.option, plainValue(type.options[choice.option].type, choice.value)];
    }
    case 'optional':
      return value === undefined ? undefined : plainValue(type.content, value);
  }
}

/** The next value of a tape, in the same form. */
function takeValue(tape: Tape, type: FieldClass): unknown {
  switch (type.kind) {
    case 'integer':
    case 'bits':
      return BigInt(takeInteger(tape, type));
    case 'float':
      return takeFloat(tape, type);
    case 'string':
    case 'text':
      return untilNull(takeBytes(tape), type.encoding);
    case 'blob':
      return [...takeBytes(tape)];
    case 'array': {
      const length = typeof type.length === 'number' ? type.length : takeCount(tape);
      return Array.from({ length }, () => takeValue(tape, type.element));
    }
    case 'struct':
      return type.members.map((member) => takeValue(tape, member.type));
    case 'variant': {
      const option = takeCount(tape);
      return [option, takeValue(tape, type.options[option].type)];
    }
    case 'optional':
      return takeCount(tape) === 0 ? undefined : takeValue(tape, type.content);
  }
}

function untilNull(bytes: Uint8Array, encoding: TextEncoding): number[] {
  const unit = unitOf(encoding);
  for (let at = 0; at + unit <= bytes.length; at += unit) {
    if (bytes.subarray(at, at + unit).every((byte) => byte === 0)) return [...bytes.subarray(0, at)];
  }
  return [...bytes];
}

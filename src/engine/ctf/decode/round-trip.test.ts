/** What the CTF writer writes, the decoder reads: any classes, any values, as tapes and as rows. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitWriter } from '../../../../test/support/ctf-writer/bit-writer.ts';
import { writeValue, type Choice, type Value } from '../../../../test/support/ctf-writer/value.ts';
import { ByteText } from '../../base/byte-text.ts';
import { CanonicalWriter } from '../../export/canonical.ts';
import { memorySource } from '../../io/memory-source.ts';
import type { ByteOrder, FieldClass, IntegerClass, StructClass, StructMember, TraceModel } from '../model.ts';
import { indexStreamFile } from '../packets/packet-index.ts';
import type { PacketTable } from '../packets/packet-table.ts';
import { createChunkDecoder } from './chunk-decoder.ts';
import { layoutOf, type DecodeRequest, type FieldWant, type KindWant } from './rows/rows.ts';
import { EVERYTHING } from './program/stream-programs.ts';
import { forAll } from '../../../../test/support/for-all.ts';

const integerClass = (order: ByteOrder): fc.Arbitrary<IntegerClass> =>
  fc
    .tuple(fc.integer({ min: 1, max: 64 }), fc.boolean(), fc.constantFrom(1, 1, 4, 8, 32), fc.boolean())
    .map(([size, signed, align, other]) => {
      // The byte order may only change where a byte begins.
      const whole = align >= 8 && size % 8 === 0;
      const byteOrder = whole && other ? (order === 'le' ? 'be' : 'le') : order;
      return { kind: 'integer', size, signed, byteOrder, align, base: 10 };
    });

const leafClass = (order: ByteOrder): fc.Arbitrary<FieldClass> =>
  fc.oneof(
    { weight: 5, arbitrary: integerClass(order) },
    fc.constantFrom<FieldClass>(
      { kind: 'float', size: 32, byteOrder: order, align: 8 },
      { kind: 'float', size: 64, byteOrder: order, align: 1 },
      { kind: 'string', encoding: 'utf-8', align: 8 },
      { kind: 'text', length: 7, encoding: 'utf-8', align: 8 },
    ),
  );

function structOf(members: readonly StructMember[]): StructClass {
  const align = members.reduce((most, { type }) => Math.max(most, 'align' in type ? type.align : 1), 1);
  return { kind: 'struct', members, align };
}

const nestedClass = (order: ByteOrder, depth: number): fc.Arbitrary<FieldClass> => {
  if (depth === 0) return leafClass(order);
  const inner = nestedClass(order, depth - 1);
  const array = fc.tuple(inner, fc.nat(4)).map(([element, length]): FieldClass => {
    return { kind: 'array', length, element, align: 'align' in element ? element.align : 1 };
  });
  const struct = fc
    .array(inner, { maxLength: 4 })
    .map((types): FieldClass => structOf(types.map((type, i) => ({ name: `m${i}`, type }))));
  return fc.oneof(leafClass(order), array, struct);
};

/** Members of a payload; what depends on a field before it brings that field along. */
const payloadClass = fc.constantFrom<ByteOrder>('le', 'be').chain((order) => {
  const length = integerClass(order).map((type): IntegerClass => ({
    ...type,
    signed: false,
    size: Math.max(type.size, 3),
  }));
  const single = nestedClass(order, 2).map((type) => (_: number): FieldClass[] => [type]);
  const sequence = fc
    .tuple(length, nestedClass(order, 1))
    .map(([count, element]) => (at: number): FieldClass[] => {
      const ref = { scope: 'event-payload', steps: [at], text: 'length' } as const;
      return [count, { kind: 'array', length: ref, element, align: 'align' in element ? element.align : 1 }];
    });
  const variant = fc
    .tuple(length, fc.array(nestedClass(order, 1), { minLength: 1, maxLength: 3 }))
    .map(([tag, types]) => (at: number): FieldClass[] => {
      const options = types.map((type, i) => ({ type, ranges: [{ from: BigInt(i), to: BigInt(i) }] }));
      return [tag, { kind: 'variant', tag: { scope: 'event-payload', steps: [at], text: 'tag' }, options }];
    });
  return fc.array(fc.oneof(single, sequence, variant), { maxLength: 6 }).map((units) => {
    const types: FieldClass[] = [];
    for (const unit of units) types.push(...unit(types.length));
    return structOf(types.map((type, i) => ({ name: `f${i}`, type })));
  });
});

const characters = fc.string({ unit: 'binary', maxLength: 7 }).map((text) => text.replaceAll('\0', ''));

function valueOf(type: FieldClass): fc.Arbitrary<Value> {
  switch (type.kind) {
    case 'integer':
      return type.signed
        ? fc.bigInt(-(1n << BigInt(type.size - 1)), (1n << BigInt(type.size - 1)) - 1n)
        : fc.bigInt(0n, (1n << BigInt(type.size)) - 1n);
    case 'float':
      return type.size === 32 ? fc.float() : fc.double();
    case 'text':
      return fc.string({ unit: 'grapheme-ascii', maxLength: 7 }).map((text) => text.replaceAll('\0', ''));
    case 'string':
      return characters;
    case 'array': {
      const length =
        typeof type.length === 'number'
          ? { minLength: type.length, maxLength: type.length }
          : { maxLength: 5 };
      return fc.array(valueOf(type.element), length);
    }
    case 'struct':
      return fc.record(Object.fromEntries(type.members.map((member) => [member.name, valueOf(member.type)])));
    case 'variant':
      return fc
        .nat(type.options.length - 1)
        .chain((option) => valueOf(type.options[option].type).map((value) => ({ option, value })));
    default:
      throw new Error(`no values for ${type.kind}`);
  }
}

/** Lengths and tags follow from what depends on them. */
function consistent(payload: StructClass, value: Readonly<Record<string, Value>>): Record<string, Value> {
  const whole: Record<string, Value> = { ...value };
  payload.members.forEach(({ name, type }, index) => {
    if (type.kind === 'array' && typeof type.length !== 'number') {
      whole[`f${index - 1}`] = (value[name] as readonly Value[]).length;
    } else if (type.kind === 'variant') whole[`f${index - 1}`] = (value[name] as Choice).option;
  });
  return whole;
}

function textOf(type: FieldClass, value: Value): string {
  switch (type.kind) {
    case 'integer':
      return String(value);
    case 'float': {
      const view = new DataView(new ArrayBuffer(8));
      view.setFloat64(0, value as number);
      return Number.isNaN(value) ? 'fnan' : `f${view.getBigUint64(0).toString(16).padStart(16, '0')}`;
    }
    case 'array':
      return `[${(value as readonly Value[]).map((element) => textOf(type.element, element)).join(',')}]`;
    case 'struct': {
      const members = value as Readonly<Record<string, Value>>;
      return `{${type.members.map(({ name, type: member }) => `"${name}":${textOf(member, members[name])}`).join(',')}}`;
    }
    case 'variant': {
      const { option, value: chosen } = value as Choice;
      return textOf(type.options[option].type, chosen);
    }
    default:
      return JSON.stringify(value).replace(
        /[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
  }
}

const eventHeader: StructClass = {
  kind: 'struct',
  align: 8,
  members: [
    {
      name: 'id',
      type: {
        kind: 'integer',
        size: 8,
        signed: false,
        byteOrder: 'le',
        align: 8,
        base: 10,
        roles: ['event-class-id'],
      },
    },
  ],
};

function modelOf(payload: StructClass): TraceModel {
  const events = [{ id: 3n, name: 'event', payload }];
  return {
    version: '1.8',
    byteOrder: 'le',
    environment: [],
    clocks: [],
    streams: [{ id: 0n, eventHeader, events }],
  };
}

function write(payload: StructClass, values: readonly Value[]): Uint8Array {
  const out = new BitWriter();
  for (const value of values) {
    writeValue(out, eventHeader, { id: 3 });
    writeValue(out, payload, value);
  }
  return out.bytes();
}

async function tableOf(model: TraceModel, bytes: Uint8Array): Promise<PacketTable> {
  const indexed = await indexStreamFile(model, memorySource('stream', bytes));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  return indexed.value.packets;
}

const trace = payloadClass.chain((payload) =>
  fc.array(valueOf(payload), { minLength: 1, maxLength: 5 }).map((values) => ({
    payload,
    values: values.map((value) => consistent(payload, value as Record<string, Value>)),
  })),
);

test('tapes hold every value', () =>
  forAll(300, [trace], async ({ payload, values }) => {
    const model = modelOf(payload);
    const bytes = write(payload, values);
    const table = await tableOf(model, bytes);
    const extents = [{ table, first: 0, count: table.length, byteOffset: 0, path: 'stream' }];
    const { rows, faults } = createChunkDecoder(model, 0, EVERYTHING, undefined).decode({ bytes, extents });
    const text = new ByteText();
    const writer = new CanonicalWriter(model, 0, text);
    for (let row = 0; row < rows.length; row++) writer.line(rows, row);
    const expected = values.map((value) => `- "event" - - ${textOf(payload, value)}\n`);
    expect(new TextDecoder().decode(text.take())).toBe(expected.join(''));
    // The last byte may have bits that no event fills.
    expect(faults.every(({ code }) => code === 'event-beyond-packet')).toBe(true);
  }));

test('rows hold the integers that were asked for, and passing over the rest does not change them', async () => {
  const wanted = fc.tuple(trace, fc.func(fc.boolean()), fc.boolean());
  await forAll(300, [wanted], async ([{ payload, values }, choose, wide]) => {
    const fields = payload.members
      .filter(({ name, type }) => type.kind === 'integer' && choose(name))
      .map(({ name }): FieldWant => ({ names: ['absent', name], kind: wide ? 'wide' : 'int' }));
    const kind: KindWant = { names: ['ev*'], fields };
    const request: DecodeRequest = { kinds: [kind] };
    const model = modelOf(payload);
    const bytes = write(payload, values);
    const table = await tableOf(model, bytes);
    const extents = [{ table, first: 0, count: table.length, byteOffset: 0, path: 'stream' }];
    const { rows } = createChunkDecoder(model, 0, request, undefined).decode({ bytes, extents });
    const { offsets } = layoutOf(kind);
    values.forEach((value, row) => {
      const at = rows.at[row];
      expect(rows.words[at]).toBe(2 ** fields.length - 1);
      fields.forEach(({ names }, index) => {
        const low = rows.words[at + offsets[index]];
        const expected = BigInt(value[names[1]] as bigint | number);
        expect(low).toBe(Number(BigInt.asIntN(32, expected)));
        if (wide)
          expect(rows.words[at + offsets[index] + 1]).toBe(Number(BigInt.asIntN(32, expected >> 32n)));
      });
    });
  });
});

test('damaged bytes give faults, never exceptions or endless loops', async () => {
  const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 10 });
  await forAll(300, [trace, damage, fc.nat()], async ({ payload, values }, changes, cut) => {
    const model = modelOf(payload);
    const whole = write(payload, values);
    for (const [at, byte] of changes) whole[at % whole.length] = byte;
    const bytes = whole.slice(0, whole.length - (cut % whole.length));
    const table = await tableOf(model, bytes);
    const extents = [{ table, first: 0, count: table.length, byteOffset: 0, path: 'stream' }];
    const { rows, faults } = createChunkDecoder(model, 0, EVERYTHING, undefined).decode({ bytes, extents });
    const writer = new CanonicalWriter(model, 0);
    for (let row = 0; row < rows.length; row++) writer.line(rows, row);
    for (const { place } of faults) expect(place.byte).toBeLessThanOrEqual(bytes.length);
  });
});

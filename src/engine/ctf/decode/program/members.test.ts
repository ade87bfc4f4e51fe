import { expect, test } from 'vitest';
import { integer, lttngModel, struct } from '../../../../../test/support/ctf-writer/model-builder.ts';
import { writeTrace } from '../../../../../test/support/ctf-writer/trace-writer.ts';
import type { StructValue } from '../../../../../test/support/ctf-writer/value.ts';
import { memorySource } from '../../../io/memory-source.ts';
import type { FieldClass, VariantClass } from '../../model.ts';
import { indexStreamFile } from '../../packets/packet-index.ts';
import { createChunkDecoder } from '../chunk-decoder.ts';
import type { FieldWant } from '../rows/rows.ts';

const big = { byteOrder: 'be' } as const;

function variant(steps: readonly number[], options: Readonly<Record<string, FieldClass>>): VariantClass {
  return {
    kind: 'variant',
    tag: { scope: 'event-payload', steps, text: 'kind' },
    options: Object.entries(options).map(([name, type], index) => ({
      name,
      type,
      ranges: [{ from: BigInt(index), to: BigInt(index) }],
    })),
  };
}

function array(length: number, element: FieldClass): FieldClass {
  return { kind: 'array', length, element, align: 8 };
}

/** A small network header: the address comes before the transport header and a number behind it. */
function header(option: number, address: FieldClass): FieldClass {
  return struct({
    address,
    kind: integer(8),
    transport: variant([1, option, 1], {
      unknown: struct({}),
      tcp: struct({ seq: integer(32, big), flags: integer(9, big) }),
      udp: struct({ len: integer(16, big) }),
    }),
    mark: integer(8),
  });
}

const payload = struct({
  kind: integer(8),
  header: variant([0], {
    unknown: struct({}),
    ipv4: header(1, array(4, integer(8, big))),
    ipv6: header(2, array(8, integer(16, big))),
  }),
  other: variant([0], { unknown: struct({}), ipv4: struct({ late: integer(8) }), ipv6: struct({}) }),
  last: integer(8),
  count: integer(8),
  list: {
    kind: 'array',
    length: { scope: 'event-payload', steps: [4], text: 'count' },
    element: integer(32),
    align: 8,
  },
});

const model = lttngModel({
  uuid: '01234567-89ab-cdef-0123-456789abcdef',
  clock: { name: 'c', frequency: 1_000_000_000n, offsetSeconds: 0n, offsetCycles: 0n, absolute: true },
  environment: {},
  header: 'large',
  events: { packet: payload },
});

const FIELDS: readonly FieldWant[] = [
  { names: ['header.*.address'], kind: 'bytes' },
  { names: ['header.*.transport.tcp.seq'], kind: 'int' },
  { names: ['header.*.transport.tcp.flags'], kind: 'int' },
  { names: ['header.*.transport.udp.len'], kind: 'int' },
  { names: ['header.ipv6.mark'], kind: 'int' },
  { names: ['nothing.like.that', 'last'], kind: 'int' },
  { names: ['other.ipv4.late'], kind: 'int' },
  { names: ['header'], kind: 'int' },
  { names: ['list.*'], kind: 'int' },
];

/** What a row says of the fields: numbers, lists of bytes, or undefined for what is absent. */
async function read(payload: StructValue): Promise<unknown[]> {
  const event = { eventClass: 0, time: 10n, payload };
  const packet = { begin: 0n, end: 20n, sequence: 0n, cpu: 0, streamId: 1n, events: [event] };
  const bytes = writeTrace(model, [{ file: 's', streamClass: 0, packets: [packet] }]).get('s');
  if (bytes === undefined) throw new Error('no stream');
  const indexed = await indexStreamFile(model, memorySource('s', bytes));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const table = indexed.value.packets;
  const clock = { frequency: 1_000_000_000n, ticksOffset: 0n, baseNs: 0n };
  const decoder = createChunkDecoder(model, 0, { kinds: [{ names: ['packet'], fields: FIELDS }] }, clock);
  const extents = [{ table, first: 0, count: 1, byteOffset: 0, path: 's' }];
  const { rows, faults } = decoder.decode({ bytes, extents });
  expect(faults).toEqual([]);
  const at = rows.at[0];
  let word = at + 1;
  return FIELDS.map(({ kind }, bit) => {
    const from = word;
    word += kind === 'int' ? 1 : 2;
    const isThere = ((rows.words[at] >>> bit) & 1) === 1;
    if (!isThere) {
      expect([...rows.words.subarray(from, word)].every((value) => value === 0)).toBe(true);
      return undefined;
    }
    if (kind === 'int') return rows.words[from];
    return [...rows.bytes.subarray(rows.words[from], rows.words[from] + rows.words[from + 1])];
  });
}

const none = undefined;

test('fields of the options that were chosen are there, others are not', async () => {
  const tcp = { option: 1, value: { seq: 0xfedcba98, flags: 0x18 } };
  const ipv4 = { address: [10, 0, 0, 2], kind: 1, transport: tcp, mark: 5 };
  const other = { option: 0, value: {} };
  expect(
    await read({
      kind: 1,
      header: { option: 1, value: ipv4 },
      other: { option: 1, value: { late: 3 } },
      last: 9,
      count: 3,
      list: [70, 80, 90],
    }),
  ).toEqual([[10, 0, 0, 2], 0xfedcba98 | 0, 0x18, none, none, 9, none, none, 90]);
  const udp = { option: 2, value: { len: 300 } };
  const ipv6 = { address: [0xfe80, 0, 0, 0, 0, 0, 0, 1], kind: 2, transport: udp, mark: 7 };
  expect(
    await read({
      kind: 2,
      header: { option: 2, value: ipv6 },
      other: { option: 2, value: {} },
      last: 9,
      count: 1,
      list: [-5],
    }),
  ).toEqual([[0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], none, none, 300, 7, 9, none, none, -5]);
  const empty = { count: 0, list: [] };
  expect(await read({ kind: 0, header: { option: 0, value: {} }, other, last: 9, ...empty })).toEqual([
    none,
    none,
    none,
    none,
    none,
    9,
    none,
    none,
    0,
  ]);
});

/** How event headers and packets set the clock (CTF2-SPEC-2.0 sections 6.1 and 6.3), with both decoders. */
import { expect, test } from 'vitest';
import { bothDecoders } from '../../../../../test/support/both-decoders.ts';
import { modelOf } from '../../../../../test/support/trace-files.ts';
import { memorySource } from '../../../io/memory-source.ts';
import { indexStreamFile } from '../../packets/packet-index.ts';
import type { ClockMap } from './clock-map.ts';
import type { DecodeRequest } from '../rows/rows.ts';

const EVERY_EVENT: DecodeRequest = { kinds: [{ names: ['e'], fields: [] }] };
const NANOSECONDS: ClockMap = { frequency: 1_000_000_000n, ticksOffset: 0n, baseNs: 0n };

const unsigned = (length: number, ...roles: string[]) => ({
  type: 'fixed-length-unsigned-integer',
  length,
  'byte-order': 'little-endian',
  alignment: 8,
  roles,
});

/** CTF 2 metadata with one event class without fields. */
function metadata(context: Record<string, object>, header: Record<string, object>): string {
  const struct = (members: Record<string, object>) => ({
    type: 'structure',
    'member-classes': Object.entries(members).map(([name, type]) => ({ name, 'field-class': type })),
  });
  const fragments = [
    { type: 'preamble', version: 2 },
    { type: 'clock-class', id: 'c', frequency: 1_000_000_000 },
    {
      type: 'data-stream-class',
      'default-clock-class-id': 'c',
      'packet-context-field-class': struct(context),
      'event-record-header-field-class': struct(header),
    },
    { type: 'event-record-class', name: 'e' },
  ];
  return fragments.map((fragment) => `\u001e${JSON.stringify(fragment)}`).join('');
}

async function timesOf(text: string, bytes: Uint8Array): Promise<number[]> {
  const model = modelOf(new Map([['metadata', new TextEncoder().encode(text)]]));
  const indexed = await indexStreamFile(model, memorySource('s', bytes));
  if (!indexed.ok) throw new Error(indexed.fault.code);
  const table = indexed.value.packets;
  const decoders = bothDecoders(model, 0, EVERY_EVENT, NANOSECONDS);
  const extents = [{ table, first: 0, count: table.length, byteOffset: 0, path: 's' }];
  const { rows, faults } = decoders.compare({ bytes, extents });
  expect({ faults, handedOver: decoders.handedOver }).toEqual({ faults: [], handedOver: 0 });
  return [...rows.time];
}

test('a value of variable length replaces as many bits as its bytes hold', async () => {
  const header = { t: { type: 'variable-length-unsigned-integer', roles: ['default-clock-timestamp'] } };
  const text = metadata({ begin: unsigned(32, 'default-clock-timestamp') }, header);
  const values = [
    [0x05], // 7 bits, less than those of 1000: they have wrapped
    [0x05],
    [0x80 | 0x06, 0x00], // 14 bits
    [0xff, 0xff, 0xff, 0xff, 0xff, 0x07], // 42 bits
    [0xff, 0xff, 0xff, 0xff, 0xff, 0x00], // 35 bits in as many bytes
  ];
  const bytes = Uint8Array.from([0xe8, 0x03, 0, 0, ...values.flat()]);
  expect(await timesOf(text, bytes)).toEqual([1029, 1029, 16_384 + 6, 2 ** 38 - 1, 2 ** 42 + 2 ** 35 - 1]);
});

test('a packet without a begin starts the clock at 0', async () => {
  const size = unsigned(8, 'packet-total-length');
  const text = metadata({ size }, { t: unsigned(8, 'default-clock-timestamp') });
  expect(await timesOf(text, Uint8Array.of(24, 250, 3, 24, 7, 6))).toEqual([250, 259, 7, 262]);
});

test('times and sizes count in arrays too', async () => {
  const pair = (element: object) => ({
    type: 'static-length-array',
    length: 2,
    'element-field-class': element,
  });
  const text = metadata(
    { sizes: pair(unsigned(8, 'packet-total-length')) },
    { times: pair(unsigned(8, 'default-clock-timestamp')) },
  );
  const bytes = Uint8Array.of(99, 32, 7, 6, /* the next packet */ 1, 32, 3, 4);
  expect(await timesOf(text, bytes)).toEqual([262, 4]);
});

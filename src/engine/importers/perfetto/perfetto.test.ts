/** Perfetto traces that lie: what can be read stays, the damage has a place, and neither time nor memory grows. */
import { zlibSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { type Message, perfettoTrace } from '../../../../test/support/perfetto-writer.ts';
import { DEEP } from '../../../../test/support/tier.ts';
import { unpackToMemory } from '../../../../test/support/unpack-to-memory.ts';
import { loadMetadata } from '../../ctf/metadata/load-metadata.ts';

const softirq = (time: number): Message => ({ 1: time, 2: 7, 24: { 1: 3 } });
const bundle = (cpu: number, events: readonly Message[]): Message => ({ 1: { 1: cpu, 2: events } });

function open(bytes: Uint8Array) {
  return unpackToMemory({ 'trace.pb': bytes });
}

/** Bytes of the streams: what is kept of the events. */
function bytesOf({ files }: Awaited<ReturnType<typeof open>>): number {
  return [...files].reduce((sum, [path, { length }]) => sum + (path.endsWith('metadata') ? 0 : length), 0);
}

async function secondsOf(run: () => Promise<void>): Promise<number> {
  const from = process.cpuUsage();
  await run();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1e6;
}

describe('a Perfetto trace that is damaged', () => {
  const one = perfettoTrace([bundle(0, [softirq(100), softirq(200)])]);

  test.each([
    ['ends within a packet', [0x0a, 0x7f, 0x0a], ['truncated']],
    ['has a packet of more bytes than the file', [0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x0a], ['truncated']],
    ['has a size without an end', [0x0a, ...Array.from({ length: 20 }, () => 0xff)], ['recording-damaged']],
    ['goes on with something else', [0x00, 0x01, 0x02], ['recording-damaged']],
  ])('%s: what comes before is kept', async (_, more, expected) => {
    const whole = await open(one);
    const cut = await open(new Uint8Array([...one, ...more]));
    expect(cut.codes).toEqual(expected);
    expect(cut.faults[0].place).toEqual({ file: 'trace.pb', byte: one.length });
    expect(bytesOf(cut)).toBe(bytesOf(whole));
  });

  test('has an event that does not end: the others are kept, and the place is that of its packet', async () => {
    const broken: Message = { 1: { 1: 0, 2: [Uint8Array.of(0x08, 0x64, 0xc2, 0x01, 0x7f), softirq(300)] } };
    const { codes, faults } = await open(perfettoTrace([bundle(0, [softirq(100)]), broken]));
    expect(codes).toEqual(['recording-damaged']);
    expect(faults[0].place).toEqual({
      file: 'trace.pb',
      byte: perfettoTrace([bundle(0, [softirq(100)])]).length,
    });
  });

  test('says which records are left out, by number and name', async () => {
    const { faults } = await open(perfettoTrace([bundle(0, [{ 1: 1, 41: {} }]), { 9: {} }, { 555: {} }]));
    expect(faults.map(({ code, found }) => [code, found])).toEqual([
      ['records-left-out', '1 record of ftrace, ext4 (type 41)'],
      ['records-left-out', '1 record process_stats (type 9)'],
      ['records-left-out', '1 record of type 555'],
    ]);
  });

  test.runIf(DEEP)(
    'packs gigabytes into few bytes, or packets into packets: it is given up in time',
    async () => {
      const zeros = zlibSync(new Uint8Array(70_000_000));
      const nested = Array.from({ length: 50 }).reduce<Uint8Array>(
        (inner) => perfettoTrace([{ 50: zlibSync(inner) }]),
        one,
      );
      const seconds = await secondsOf(async () => {
        const bomb = await open(perfettoTrace(Array.from({ length: 8 }, () => ({ 50: zeros }))));
        expect(bomb.codes).toContain('recording-damaged');
        await open(nested);
      });
      expect(seconds).toBeLessThan(15);
    },
  );

  test.runIf(DEEP)(
    'names long texts in very many events: they are cut, or left out from some bytes on',
    async () => {
      const long = 'x'.repeat(60_000);
      const many = 100_000;
      const packed = (value: number) => ({ packed: Array.from({ length: many }, () => value) });
      const compact: Message = {
        5: long,
        1: packed(1),
        2: packed(1),
        3: packed(7),
        4: packed(1),
        6: packed(0),
      };
      const seconds = await secondsOf(async () => {
        const switches = await open(perfettoTrace([{ 1: { 1: 0, 4: compact } }]));
        expect(bytesOf(switches)).toBeLessThan(40_000_000);
        const frames = Array.from({ length: 200 }, (_, i) => ({ 1: i + 1, 2: 1 }));
        const stack = { packed: Array.from({ length: 1000 }, (_, i) => (i % 200) + 1) };
        const interned: Message = {
          10: 1,
          13: 1,
          12: { 5: { 1: 1, 2: long }, 6: frames, 7: { 1: 1, 2: stack } },
        };
        const samples = Array.from({ length: 20_000 }, (_, i): Message => ({
          8: i + 1,
          10: 1,
          66: { 2: 3, 3: 4, 4: 1 },
        }));
        const { codes, files } = await open(perfettoTrace([interned, ...samples]));
        expect(codes).toContain('records-left-out');
        expect(files.size).toBeGreaterThan(0);
      });
      expect(seconds).toBeLessThan(15);
    },
  );
});

test('mutated traces are read as far as they can be, and the metadata stay valid', async () => {
  const seed = perfettoTrace([
    {
      6: {
        1: [
          { 1: 6, 2: 5 },
          { 1: 3, 2: 1 },
          { 1: 64, 2: 9, 3: 1, 4: 1000 },
        ],
      },
    },
    {
      10: 1,
      13: 1,
      12: { 2: { 1: 1, 2: 'n' }, 7: { 1: 1, 2: { packed: [1, 2] } }, 6: { 1: 1, 2: 1 } },
      59: { 58: 64, 11: { 11: 4 } },
    },
    {
      60: [
        { 1: 4, 4: { 1: 3, 2: 4, 5: 't' } },
        { 1: 5, 5: 4, 8: { 4: 2, 5: 1 } },
      ],
    },
    { 10: 1, 8: 7, 11: { 9: 1, 10: 1, 4: { 10: 'a', 5: 1 } } },
    { 10: 1, 8: 7, 11: { 6: { 2: 88, 3: 5 } } },
    { 10: 1, 8: 7, 11: { 9: 4, 11: 5, 30: 3 } },
    { 10: 1, 8: 9, 66: { 2: 3, 3: 4, 4: 1 } },
    { 2: { 1: { 1: 3, 2: 2, 3: '/bin/a' }, 2: { 1: 4, 3: 3, 2: 't' } } },
    {
      1: {
        1: 1,
        3: 1,
        2: [softirq(5), { 1: 9, 2: 4, 3: { 2: 'B|3|x' } }],
        4: {
          5: 'c',
          1: { packed: [8, 1] },
          2: { packed: [0, 1] },
          3: { packed: [4, 0] },
          4: { packed: [1, 1] },
          6: { packed: [0, 0] },
        },
      },
    },
  ]);
  let state = 20_261;
  const random = (below: number) => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) % below;
  const cases = DEEP ? 5000 : 40;
  for (let i = 0; i < cases; i++) {
    const bytes = seed.slice();
    for (let times = random(4); times >= 0; times--)
      bytes[random(bytes.length)] = random(3) === 0 ? 0xff : random(256);
    const { files, faults } = await open(bytes);
    expect(files.size + faults.length).toBeGreaterThan(0);
    for (const [path, metadata] of files)
      if (path.endsWith('metadata')) expect((await loadMetadata(metadata, path)).ok).toBe(true);
  }
});

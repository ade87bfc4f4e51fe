/** Generated code gives what the interpreter gives: any model, any projection, any bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunkDecoder } from '../../src/engine/ctf/decode/chunk-decoder.ts';
import { cyclesToNs, splitOffset, type ClockMap } from '../../src/engine/ctf/decode/run/clock-map.ts';
import { createFirstEventFinder } from '../../src/engine/ctf/decode/run/first-event.ts';
import { DecodeMemory } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import type { StreamClass, TraceModel } from '../../src/engine/ctf/model.ts';
import { indexStreamFile } from '../../src/engine/ctf/packets/packet-index.ts';
import type { PacketTable } from '../../src/engine/ctf/packets/packet-table.ts';
import { memorySource } from '../../src/engine/io/memory-source.ts';
import { bothDecoders } from '../support/both-decoders.ts';
import { writeTrace } from '../support/ctf-writer/trace-writer.ts';
import { exampleTraces } from '../support/shared.ts';
import { randomOf, type Random } from '../support/simulator/random.ts';
import { loadTrace, modelOf } from '../support/trace-files.ts';
import { randomModel } from './random-classes.ts';
import { randomCtf2Trace } from './random-ctf2.ts';
import { randomTrace } from './random-model.ts';
import { randomRequest } from './random-request.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';

const memory = new DecodeMemory();

/** With a base near the first packet's begin, as hosts have. */
function clockOf(model: TraceModel, { clock }: StreamClass, table: PacketTable): ClockMap | undefined {
  if (clock === undefined) return undefined;
  const { frequency } = model.clocks[clock];
  const { ticksOffset } = splitOffset(model.clocks[clock]);
  return { frequency, ticksOffset, baseNs: cyclesToNs(table.begin[0], frequency, ticksOffset) - 12_345n };
}

interface Compared {
  readonly events: number;
  readonly faults: number;
  /** The interpreter decoded a chunk, or the whole class. */
  readonly interpreted: boolean;
  /** Times of a chunk go back, or lie behind a packet's end. */
  readonly disordered: boolean;
}

/** Decodes the packets of a stream in random chunks. */
function compare(
  random: Random,
  model: TraceModel,
  streamClass: number,
  table: PacketTable,
  bytes: Uint8Array,
): Compared {
  const stream = model.streams[streamClass];
  compareFirst(model, streamClass, table, bytes);
  const request = randomRequest(random, stream);
  const both = bothDecoders(model, streamClass, request, clockOf(model, stream, table), memory);
  let events = 0;
  let faults = 0;
  let disordered = false;
  for (let first = 0; first < table.length;) {
    const count = random.between(1, table.length - first);
    const extents = [{ table, first, count, byteOffset: table.offset[first], path: 's' }];
    const from = random.between(0, 2_000_000_000);
    const window = random.chance(0.2) ? { from, to: from + random.between(0, 1_000_000_000) } : undefined;
    const chunk = both.compare({ bytes, extents, window });
    events += chunk.packets.events.reduce((sum, packet) => sum + packet, 0);
    for (const { place } of chunk.faults) expect(place.byte).toBeLessThanOrEqual(bytes.length);
    faults += chunk.faultCount;
    disordered ||= [...chunk.packets.backwards, ...chunk.packets.late].some((count) => count > 0);
    first += count;
  }
  return { events, faults, interpreted: both.executor === 'ts' || both.handedOver > 0, disordered };
}

/** Of one class alone the first event is found where all classes find it. */
function compareFirst(model: TraceModel, streamClass: number, table: PacketTable, bytes: Uint8Array): void {
  const clock = clockOf(model, model.streams[streamClass], table);
  if (clock === undefined) return;
  const extent = { table, first: 0, count: 1, byteOffset: 0, path: 's' };
  const decoder = createChunkDecoder(model, streamClass, { kinds: [] }, clock);
  const find = createFirstEventFinder(model, streamClass, clock);
  for (const length of [bytes.length, bytes.length >> 1, 50]) {
    const piece = bytes.subarray(0, length);
    const { packets } = decoder.decode({ bytes: piece, extents: [extent] });
    expect(find(piece, extent)).toBe(packets.firstEvent[0]);
  }
}

/** Changes some bytes. */
function damage(random: Random, bytes: Uint8Array): void {
  for (let left = random.between(1, 12); left > 0 && bytes.length > 0; left--) {
    const at = random.between(0, bytes.length - 1);
    bytes[at] = random.pick([0, 0xff, 0x80, bytes[at] ^ (1 << random.between(0, 7)), random.between(0, 255)]);
  }
}

async function tableOf(model: TraceModel, bytes: Uint8Array): Promise<PacketTable | undefined> {
  const indexed = await indexStreamFile(model, memorySource('s', bytes));
  return indexed.ok && indexed.value.packets.length > 0 ? indexed.value.packets : undefined;
}

describe('written traces', () => {
  it.each([
    ['CTF 1.8', randomTrace, false],
    ['CTF 1.8, damaged', randomTrace, true],
    ['CTF 2', randomCtf2Trace, false],
    ['CTF 2, damaged', randomCtf2Trace, true],
  ] as const)('%s', async (_, draw, isDamaged) => {
    let interpreted = 0;
    let compared = 0;
    await forAll(isDamaged ? 300 : 150, [fc.nat()], async (seed) => {
      const random = randomOf(seed);
      const { model, streams } = draw(random);
      const files = writeTrace(model, streams, { padBytes: model.streams[0].packetContext ? 8 : 1 });
      for (const { file, streamClass } of streams) {
        const whole = files.get(file) ?? new Uint8Array(0);
        const cut = isDamaged && random.chance(0.3) ? random.between(0, whole.length) : whole.length;
        const bytes = whole.slice(0, cut);
        const table = await tableOf(model, bytes);
        if (table === undefined) continue;
        if (isDamaged) damage(random, bytes);
        const result = compare(random, model, streamClass, table, bytes);
        // Slow clocks leap over years, where times are rounded, and over centuries, which is a fault.
        if (model.clocks.some(({ frequency }) => frequency < 1_000_000n)) continue;
        if (!isDamaged) expect(result.faults).toBe(0);
        // Times out of order are the interpreter's.
        if (result.faults > 0 || result.disordered) continue;
        compared++;
        if (result.interpreted) interpreted++;
      }
    });
    // What generated code leaves to the interpreter is the exception: up to 6 % of random traces that are damaged.
    if (DEEP) expect(interpreted).toBeLessThan(compared / 10);
  });
});

describe('recorded traces', () => {
  it.each(exampleTraces().filter(({ name }) => /^(imbalance-4t|lockfight-mutex)/.test(name)))(
    'damaged: $name',
    async ({ path }) => {
      const files = loadTrace(path);
      const model = modelOf(files);
      const streams = [...files.keys()].filter((name) => name !== 'metadata' && !name.includes('/'));
      await forAll(8, [fc.nat()], async (seed) => {
        const random = randomOf(seed);
        const bytes = files.get(random.pick(streams))?.slice() ?? new Uint8Array(0);
        const table = await tableOf(model, bytes);
        if (table === undefined) return;
        if (random.chance(0.8)) damage(random, bytes);
        compare(random, model, table.streamClass[0], table, bytes);
      });
    },
  );
});

/** Any classes over any bytes; gives what was compared where no event was at fault. */
async function compareAnything(seed: number): Promise<Compared | undefined> {
  const random = randomOf(seed);
  const model = randomModel(random);
  const length = random.between(0, random.chance(0.1) ? 20_000 : 400);
  const high = random.pick([0, 1, 3, 255]);
  const bytes = Uint8Array.from({ length }, () =>
    random.chance(0.7) ? random.between(0, high) : random.between(0, 255),
  );
  const table = await tableOf(model, bytes);
  if (table === undefined) return undefined;
  compare(random, model, 0, table, bytes);
  // Up to its fault the packet is well.
  if (!endBeforeFault(model, table, bytes)) return undefined;
  const result = compare(random, model, 0, table, bytes);
  expect(result.faults).toBe(0);
  return result;
}

describe('any classes over any bytes', () => {
  it('gives the same rows and faults', async () => {
    let events = 0;
    let generated = 0;
    await forAll(400, [fc.nat()], async (seed) => {
      const result = await compareAnything(seed);
      if (result === undefined || result.interpreted) return;
      events += result.events;
      generated++;
    });
    // Not all of it is empty; how much is not depends on the seed.
    if (DEEP) {
      expect(generated).toBeGreaterThan(50);
      expect(events).toBeGreaterThan(100);
    }
  });

  it('a clock that moves beyond exact doubles within a packet', () => compareAnything(2016727066));

  it('a long array of empty arrays that only some requests read', () => compareAnything(1823933393));
});

/** Shortens the only packet to where its last good event ends, if that is found; false: it is not. */
function endBeforeFault(model: TraceModel, table: PacketTable, bytes: Uint8Array): boolean {
  const decoder = createChunkDecoder(model, 0, { kinds: [] }, clockOf(model, model.streams[0], table));
  const extents = [{ table, first: 0, count: 1, byteOffset: 0, path: 's' }];
  const { faults, counts } = decoder.decode({ bytes, extents });
  if (faults.length === 0) return true;
  const good = counts.events.reduce((sum, count) => sum + count, 0);
  const first = 8 * (faults[0].place.byte ?? 0) + 7;
  for (let tried = 0; tried < MOST_TRIED && first >= tried; tried++) {
    table.contentBits[0] = first - tried;
    const shorter = decoder.decode({ bytes, extents });
    if (shorter.faultCount === 0)
      return shorter.counts.events.reduce((sum, count) => sum + count, 0) === good;
  }
  return false;
}

const MOST_TRIED = 400;

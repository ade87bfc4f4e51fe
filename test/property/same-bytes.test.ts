/**
 * Invariant 7 of the state history (engine/linux/states/RULES.md): any chunk size, any number of chunks in flight answered in any
 * order, packets as recorded or split, in one folder or spread over many: the same bytes of every block.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stateHash } from '../support/engine-run.ts';
import { splitPackets } from '../support/packet-splitter.ts';
import {
  caseTraces,
  exampleTraces,
  isKernelTrace,
  recordedTraces,
  type TraceFolder,
} from '../support/shared.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { inFolders } from '../support/trace-chunks.ts';
import { loadTrace, modelOf } from '../support/trace-files.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';

const PACKET_EVENTS = [1, 7, 100, 1000];

describe('simulated kernels give the same bytes', () => {
  const options = fc.record({
    seed: fc.nat(),
    chunkBytes: fc.constantFrom(1, 600, 5_000, 4 << 20),
    parallel: fc.constantFrom(1, 2, 7),
    split: fc.constantFrom(undefined, ...PACKET_EVENTS),
    segmentIntervals: fc.constantFrom(50, 700, 100_000),
  });

  it('whatever the chunks, where packets do not tell when they end', () =>
    forAll(15, [options], async ({ seed, chunkBytes, parallel, split, segmentIntervals }) => {
      const { files } = simulate(settingsOf(seed));
      const random = randomOf(seed);
      const other = splitPackets(modelOf(files), files, split ?? Infinity, () => random.chance(0.5));
      const disorder = { parallel, random };
      const again = await stateHash(other, { chunkBytes, disorder }, segmentIntervals);
      expect(again).toBe(await stateHash(other, {}, segmentIntervals));
    }));

  it('whatever the chunks, their order and the packets', () =>
    forAll(25, [options], async ({ seed, chunkBytes, parallel, split, segmentIntervals }) => {
      const { files } = simulate(settingsOf(seed));
      const other = split === undefined ? files : splitPackets(modelOf(files), files, split);
      const disorder = { parallel, random: randomOf(seed) };
      const again = await stateHash(other, { chunkBytes, disorder }, segmentIntervals);
      expect(again).toBe(await stateHash(files, {}, segmentIntervals));
    }));
});

describe('simulated kernels in several folders give the same bytes', () => {
  const options = fc.record({
    seed: fc.nat(),
    chunkBytes: fc.constantFrom(1, 600, 5_000, 4 << 20),
    parallel: fc.constantFrom(1, 2, 7),
    split: fc.constantFrom(undefined, ...PACKET_EVENTS),
    form: fc.record({
      folders: fc.integer({ min: 2, max: 6 }),
      overlap: fc.boolean(),
      partial: fc.boolean(),
    }),
  });

  it('whether they follow each other or overlap, and whatever each knows of the events', () =>
    forAll(25, [options], async ({ seed, chunkBytes, parallel, split, form }) => {
      const { files } = simulate(settingsOf(seed));
      const whole = split === undefined ? files : splitPackets(modelOf(files), files, split);
      const chunks = await inFolders(whole, form, randomOf(seed));
      const disorder = { parallel, random: randomOf(seed) };
      expect(await stateHash(chunks, { chunkBytes, disorder })).toBe(await stateHash(files));
    }));
});

/** The kernel traces tried: the smallest, or all but the longest in the deep tier. */
function tracesToSplit(): TraceFolder[] {
  const recorded = recordedTraces().filter(isKernelTrace);
  if (recorded.length === 0) return exampleTraces().filter(isKernelTrace);
  return recorded.filter(
    ({ name }) => name.startsWith(DEEP ? '' : 'lost-events/') && !name.startsWith('build-mixed'),
  );
}

describe('cases give the same bytes', () => {
  it.each(caseTraces())('$name', async ({ path }) => {
    const files = loadTrace(path);
    const disorder = { parallel: 3, random: randomOf(1) };
    const split = await stateHash(splitPackets(modelOf(files), files, 3), { chunkBytes: 1000, disorder });
    expect(split).toBe(await stateHash(files));
  });
});

describe('recorded traces give the same bytes', () => {
  it.each(tracesToSplit())('$name', async ({ name, path }) => {
    const files = loadTrace(path);
    const model = modelOf(files);
    const hash = await stateHash(files);
    for (const perPacket of PACKET_EVENTS) {
      const disorder = { parallel: 3, random: randomOf(perPacket) };
      const split = await stateHash(splitPackets(model, files, perPacket), { chunkBytes: 50_000, disorder });
      expect(split, `${name} with ${perPacket} events a packet`).toBe(hash);
    }
    for (const overlap of [false, true]) {
      const random = randomOf(Number(overlap));
      const packets = splitPackets(model, files, 1000);
      const chunks = await inFolders(packets, { folders: 5, overlap, partial: false }, random);
      const disorder = { parallel: 3, random };
      const spread = await stateHash(chunks, { chunkBytes: 50_000, disorder });
      expect(spread, `${name} in folders${overlap ? ' that overlap' : ''}`).toBe(hash);
    }
  });
});

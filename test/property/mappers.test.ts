/** Compiled code gives the chunk results that the definitions give: any trace, any chunks, any bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAggregate, AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type { EventBatch } from '../../src/engine/analysis/contract.ts';
import { callFailures } from '../../src/engine/linux/sums/calls/call-failures.ts';
import { interrupts } from '../../src/engine/linux/sums/interrupts/interrupts.ts';
import { ioUsage } from '../../src/engine/linux/sums/io/io.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import type { StateChunk } from '../../src/engine/linux/states/map/transitions.ts';
import { readBothWays } from '../support/compiled-and-defined.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { runEngine } from '../support/engine-run.ts';
import { splitPackets } from '../support/packet-splitter.ts';
import { exampleTraces, isKernelTrace, recordedTraces } from '../support/shared.ts';
import { play } from '../support/simulator/play.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { memoryHistory } from '../support/state-run.ts';
import { loadTrace, modelOf } from '../support/trace-files.ts';
import { damagedData, damages } from './damage.ts';
import { linearClock, networkPlay } from './random-plays.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';

const COMPILED = [kernelState, ioUsage, interrupts, callFailures] as readonly AnyAnalysis[];

interface Compared {
  chunks: number;
  /** Chunks that needed no copy. */
  inPlace: number;
  transitions: number;
}

/** Reads every chunk of a trace both ways; throws where they differ. */
async function compare(files: TraceFiles, chunkBytes: number, seed: number): Promise<Compared> {
  const compared: Compared = { chunks: 0, inPlace: 0, transitions: 0 };
  // Not thrown in there: a chunk that cannot be mapped counts as lost.
  let found: string | undefined;
  const comparison: AnyAggregate = {
    id: 'comparison',
    version: 1,
    reads: { kinds: COMPILED.flatMap(({ reads }) => reads.kinds) },
    map(batch: EventBatch) {
      const { chunkResults, copied, difference } = readBothWays(COMPILED, batch);
      compared.chunks++;
      if (copied.length === 0) compared.inPlace++;
      compared.transitions += (chunkResults[kernelState.id] as StateChunk).length;
      found ??= difference;
      return undefined;
    },
    merge: () => undefined,
    empty: undefined,
    finish: () => undefined,
  };
  const disorder = { parallel: 3, random: randomOf(seed) };
  await runEngine(files, [comparison], memoryHistory(), { chunkBytes, disorder });
  if (found !== undefined) throw new Error(`compiled code gives ${found}`);
  return compared;
}

/** Chunks of one packet and of many. */
const chunkings = fc.constantFrom(1, 600, 5_000, 50_000, 4 << 20);

function expectAllInPlace({ chunks, inPlace }: Compared): void {
  expect(chunks).toBeGreaterThan(0);
  expect(inPlace).toBe(chunks);
}

describe('simulated traces', () => {
  it('of one machine', () =>
    forAll(25, [fc.nat(), chunkings], async (seed, chunkBytes) => {
      const { files } = simulate(settingsOf(seed));
      expectAllInPlace(await compare(files, chunkBytes, seed));
    }));

  it('of several machines, with packets of both kinds of addresses', () =>
    forAll(10, [networkPlay(linearClock), chunkings], async (story, chunkBytes) => {
      for (const { files } of play(story).hosts)
        expectAllInPlace(await compare(files, chunkBytes, story.seed));
    }));

  it('damaged', async () => {
    let inPlace = 0;
    await forAll(40, [fc.nat(), damages, chunkings], async (seed, list, chunkBytes) => {
      const broken = damagedData(simulate(settingsOf(seed)).files, list);
      inPlace += (await compare(broken, chunkBytes, seed)).inPlace;
    });
    if (DEEP) expect(inPlace).toBeGreaterThan(0);
  });
});

describe('recorded traces', () => {
  const recorded = recordedTraces().filter(isKernelTrace);
  const some = recorded.length === 0 ? exampleTraces().filter(isKernelTrace) : recorded;
  it.each(some)('$name', async ({ path }) => {
    const files = loadTrace(path);
    const whole = await compare(files, 4 << 20, 1);
    expectAllInPlace(whole);
    expect(whole.transitions).toBeGreaterThan(0);
    if (!DEEP && whole.transitions > 100_000) return;
    expectAllInPlace(await compare(splitPackets(modelOf(files), files, 100), 50_000, 2));
  });
});

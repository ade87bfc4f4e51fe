/** The compiled state reducer gives the same history, tables and problems as TypeScript alone, byte by byte. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import type { Reducer, TransitionChunk } from '../../src/engine/analysis/contract.ts';
import { createRunMerger, type EmitRun } from '../../src/engine/analysis/merge-runs.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';
import type { StateChunk } from '../../src/engine/linux/states/map/transitions.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { runEngine } from '../support/engine-run.ts';
import { randomChunkResult, HOST } from '../support/random-chunk-result.ts';
import {
  caseTraces,
  exampleTraces,
  isKernelTrace,
  recordedTraces,
  type TraceFolder,
} from '../support/shared.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { loadTrace } from '../support/trace-files.ts';
import { damaged, damages } from './damage.ts';
import { DEEP } from '../support/tier.ts';
import { forAll } from '../support/for-all.ts';

interface Reduced {
  readonly stored: string;
  readonly attributes: string;
  /** Undefined where damage left no trace to read. */
  readonly tables: KernelTables | undefined;
}

type Reduce = (builder: HistoryBuilder) => Promise<Reduced['tables']> | Reduced['tables'];

async function expectSame(segmentIntervals: number, reduce: Reduce): Promise<void> {
  const results: Reduced[] = [];
  for (const isCompiled of [true, false]) {
    const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals });
    if (!isCompiled) builder.shared = undefined;
    const tables = await reduce(builder);
    builder.finish(tables?.end ?? 0);
    results.push({ stored: await blocksSha256(builder), attributes: builder.tree.toText(), tables });
  }
  expect(results[0]).toEqual(results[1]);
}

function expectSameOf(files: TraceFiles, chunkBytes: number, segmentIntervals: number): Promise<void> {
  return expectSame(segmentIntervals, async (builder) => {
    const { outcome } = await runEngine(files, [kernelState as AnyAnalysis], builder, { chunkBytes });
    return outcome.histories[0]?.get(kernelState.id) as KernelTables | undefined;
  });
}

const chunkSizes = fc.constantFrom(1, 600, 5_000, 4 << 20);
const segmentSizes = fc.constantFrom(1, 50, 700, 100_000);

describe('the compiled reducer is the one in TypeScript', () => {
  it('where there is one', () => {
    for (const isCompiled of [true, false]) {
      const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf });
      if (!isCompiled) builder.shared = undefined;
      expect(kernelState.reducer(builder, HOST).merge !== undefined).toBe(isCompiled);
    }
  });

  it('over any transitions', async () => {
    const length = fc.integer({ min: 0, max: 3000 });
    await forAll(
      60,
      [fc.nat(), length, segmentSizes, fc.boolean()],
      async (seed, rows, segmentIntervals, hasWaking) => {
        await expectSame(segmentIntervals, (builder) => {
          const random = randomOf(seed);
          const streams = random.between(1, 5);
          const kernelRelease = random.chance(0.5) ? '4.9.0' : '6.1.0';
          const recordings = random.chance(0.3) ? [5000] : [];
          const tellsQueues = random.chance(0.5);
          const recordsCalls = random.chance(0.9);
          const isRealTime = random.chance(0.3);
          const hasGuestExits = random.chance(0.9);
          const host = {
            ...{ ...HOST, kernelRelease, hasWaking, tellsQueues, recordsCalls, recordings },
            ...{ isRealTime, hasGuestExits },
          };
          const reducer = kernelState.reducer(builder, host);
          const sources = Array.from({ length: streams }, (_, order) => ({ order, bounds: [0, 0, 0] }));
          const run: EmitRun = (_, chunkResult, from, to) => reducer.run(chunkResult as StateChunk, from, to);
          const merger = createRunMerger(sources, run, reducer.merge as Reducer<TransitionChunk>['merge']);
          for (let turn = 0; turn < 3 * streams; turn++) {
            const sequence = Math.floor(turn / streams);
            const chunkResult = randomChunkResult(random, sequence * rows * 5, random.between(0, rows));
            merger.put(turn % streams, sequence, chunkResult);
            merger.drain();
            builder.openIntervals();
          }
          return reducer.finish(1e9);
        });
      },
    );
  });

  it('over simulated kernels', () =>
    forAll(25, [fc.nat(), chunkSizes, segmentSizes], (seed, chunkBytes, segmentIntervals) =>
      expectSameOf(simulate(settingsOf(seed)).files, chunkBytes, segmentIntervals),
    ));

  it('over damaged ones', () =>
    forAll(25, [fc.nat(), damages, chunkSizes], (seed, list, chunkBytes) =>
      expectSameOf(damaged(simulate(settingsOf(seed)).files, list), chunkBytes, 700),
    ));

  it.each(traces())('over $name', ({ path }) => expectSameOf(loadTrace(path), 4 << 20, 4096));

  it.each(caseTraces())('over the case $name', ({ path }) => expectSameOf(loadTrace(path), 1000, 7));
});

/** Two, or all in the deep tier. */
function traces(): TraceFolder[] {
  const recorded = recordedTraces().filter(isKernelTrace);
  if (recorded.length === 0) return exampleTraces().filter(isKernelTrace);
  return DEEP ? recorded : recorded.filter(({ name }) => /^(imbalance-4t|lost-events)\//.test(name));
}

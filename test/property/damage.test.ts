/** Damaged bytes: never an exception, never a hang, only faults (spec 02 section 6). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { counts } from '../../src/engine/kernel/counts.ts';
import { cpuUsage } from '../../src/engine/kernel/cpu-usage.ts';
import { kernelState } from '../../src/engine/kernel/kernel-state.ts';
import { kernelSchemeOf } from '../../src/engine/kernel/schemes.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { runEngine } from '../support/engine-run.ts';
import { exampleTraces } from '../support/shared.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { loadTrace } from '../support/trace-files.ts';
import { damaged, damages, type Damage } from './damage.ts';
import { runsOf } from './runs.ts';

const ANALYSES = [kernelState as AnyAnalysis, counts as AnyAnalysis, cpuUsage as AnyAnalysis];
/** Far above what these small traces take. */
const PATIENCE_MS = 20_000;

async function expectFaultsOnly(files: TraceFiles, list: readonly Damage[]): Promise<void> {
  const began = performance.now();
  const history = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentTiles: 4096 });
  const { outcome } = await runEngine(damaged(files, list), ANALYSES, history, { chunkBytes: 20_000 });
  // What a worker throws reaches the outcome as this fault: that would be ours.
  expect(outcome.faults.filter(({ code }) => code === 'worker-failed')).toEqual([]);
  expect(outcome.state).toBe('done');
  expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
}

describe('damaged traces', () => {
  it('of simulated kernels give faults only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), damages, (seed, list) =>
        expectFaultsOnly(simulate(settingsOf(seed)).files, list),
      ),
      { numRuns: runsOf(100) },
    );
  });

  it.each(exampleTraces().filter(({ name }) => /^(imbalance-4t|lockfight-mutex)/.test(name)))(
    'as recorded give faults only: $name',
    async ({ path }) => {
      const files = loadTrace(path);
      await fc.assert(
        fc.asyncProperty(damages, (list) => expectFaultsOnly(files, list)),
        { numRuns: runsOf(15) },
      );
    },
  );
});

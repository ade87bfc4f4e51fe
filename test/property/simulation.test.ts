/** The engine finds what the simulated machine did: states, causes of waits, losses, threads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { kernelState } from '../../src/engine/kernel/kernel-state.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { memoryHistory } from '../support/state-run.ts';
import { linesOfEngine, linesOfTruth } from './known-lines.ts';
import { runsOf } from './runs.ts';

async function expectTruth(seed: number): Promise<void> {
  const simulation = simulate(settingsOf(seed));
  if (simulation.events === 0) return;
  const history = memoryHistory();
  const run = await runEngine(simulation.files, [kernelState as AnyAnalysis], history);
  const tables = kernelTables(run);
  history.close(tables.end);
  expect(run.outcome.faults).toEqual([]);
  expect(run.outcome.events).toBe(simulation.events);
  expect(linesOfEngine(history, tables, simulation.last - simulation.first)).toEqual(
    linesOfTruth(simulation),
  );
}

describe('simulated kernels', () => {
  it('are understood', async () => {
    await fc.assert(fc.asyncProperty(fc.nat(), expectTruth), { numRuns: runsOf(60) });
  });
});

/** The engine finds what the simulated machine did: states, causes of waits, losses, threads, counts, CPU time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAggregate, AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { checkKernelHistory } from '../../src/engine/kernel/check.ts';
import { counts, type Counts } from '../../src/engine/kernel/counts.ts';
import { cpuUsage, type CpuUsage } from '../../src/engine/kernel/cpu-usage.ts';
import { kernelState } from '../../src/engine/kernel/kernel-state.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate, type Simulation } from '../support/simulator/simulation.ts';
import { checked, memoryHistory } from '../support/state-run.ts';
import { linesOfEngine, linesOfTruth } from './known-lines.ts';
import { runsOf } from './runs.ts';

const ANALYSES = [kernelState as AnyAnalysis, counts as AnyAnalysis, cpuUsage as AnyAnalysis];

async function expectTruth(seed: number, chunkBytes: number): Promise<void> {
  const simulation = simulate(settingsOf(seed));
  if (simulation.events === 0) return;
  const history = memoryHistory();
  const disorder = { parallel: 3, random: randomOf(seed) };
  const run = await runEngine(simulation.files, ANALYSES, history, { chunkBytes, disorder });
  const tables = kernelTables(run);
  history.close(tables.end);
  const { outcome } = run;
  expect(outcome.faults).toEqual([]);
  expect(await checkKernelHistory(checked({ history, tables }), tables)).toEqual([]);
  expect(linesOfEngine(history, tables, simulation.last - simulation.first)).toEqual(
    linesOfTruth(simulation),
  );
  const resultOf = (analysis: AnyAnalysis): unknown =>
    (analysis as AnyAggregate).finish(outcome.leaves.whole(analysis as AnyAggregate, 0));
  expect(countsOf(resultOf(counts as AnyAnalysis) as Counts)).toEqual(simulation.counts);
  // What ran between a loss and the next switch is not known to both in the same way.
  if (simulation.losses.length === 0) {
    expect(staysOf(resultOf(cpuUsage as AnyAnalysis) as CpuUsage)).toEqual(trueStays(simulation));
  }
}

function countsOf({ events }: Counts): Map<string, number> {
  return new Map(events.map(({ name, events: count }) => [name, count]));
}

/** TID CPU NS RUNS of threads that ran. */
function staysOf({ executions }: CpuUsage): string[] {
  return executions.map(({ tid, cpu, ns, runs }) => `${tid} ${cpu} ${ns} ${runs}`).sort();
}

function trueStays({ cpus }: Simulation): string[] {
  return cpus
    .flatMap(({ index, stays, arrivals }) => {
      const sums = new Map<number, number>();
      for (const { tid, from, to } of stays) sums.set(tid, (sums.get(tid) ?? 0) + to - from);
      sums.delete(0);
      return [...sums].map(
        ([tid, ns]) => `${tid} ${index} ${ns} ${arrivals.filter((other) => other === tid).length}`,
      );
    })
    .sort();
}

describe('simulated kernels', () => {
  it('are understood', async () => {
    const sizes = fc.constantFrom(1, 2000, 4 << 20);
    await fc.assert(fc.asyncProperty(fc.nat(), sizes, expectTruth), { numRuns: runsOf(60) });
  });
});

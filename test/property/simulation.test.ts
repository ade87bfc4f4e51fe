/** The engine finds what the simulated machine did: states, causes of waits, losses, threads, counts, CPU time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAggregate, AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { checkKernelHistory } from '../../src/engine/linux/states/read/check.ts';
import { counts, type Counts } from '../../src/engine/linux/sums/counts.ts';
import { ioUsage, type IoUsage } from '../../src/engine/linux/sums/io/io.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import { cpuUsage, type CpuUsage } from '../support/cpu-usage/cpu-usage.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate, type Simulation } from '../support/simulator/simulation.ts';
import { checked, memoryHistory } from '../support/state-run.ts';
import { linesOfEngine, linesOfTruth } from './known-lines.ts';
import { forAll } from '../support/for-all.ts';

const ANALYSES = [kernelState, counts, cpuUsage, ioUsage] as readonly unknown[] as readonly AnyAnalysis[];

async function expectTruth(seed: number, chunkBytes: number): Promise<void> {
  const simulation = simulate(settingsOf(seed));
  if (simulation.events === 0) return;
  const history = memoryHistory();
  const disorder = { parallel: 3, random: randomOf(seed) };
  const run = await runEngine(simulation.files, ANALYSES, history, { chunkBytes, disorder });
  const tables = kernelTables(run);
  history.close(tables.end, tables);
  const { outcome } = run;
  expect(outcome.faults).toEqual([]);
  expect(await checkKernelHistory(checked({ history, tables }), tables)).toEqual([]);
  expect(linesOfEngine(history, tables, simulation.last - simulation.first)).toEqual(
    linesOfTruth(simulation),
  );
  const resultOf = (analysis: AnyAnalysis): unknown =>
    (analysis as AnyAggregate).finish(outcome.chunkResults.whole(analysis as AnyAggregate, 0));
  expect(countsOf(resultOf(counts as AnyAnalysis) as Counts)).toEqual(simulation.counts);
  // With losses the sums are of what was recorded only.
  if (simulation.losses.length > 0) return;
  expect(staysOf(resultOf(cpuUsage as AnyAnalysis) as CpuUsage)).toEqual(trueStays(simulation));
  expect(transfersOf(resultOf(ioUsage as AnyAnalysis) as IoUsage)).toEqual(trueTransfers(simulation));
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

/** TID READ-BYTES READ-OPS READ-ERRORS WRITE-BYTES WRITE-OPS WRITE-ERRORS of threads that did any. */
function transfersOf({ threads }: IoUsage): string[] {
  return threads
    .filter(({ tid, read, write }) => tid >= 0 && read.ops + write.ops > 0)
    .map(({ tid, read, write }) => {
      const numbers = [read, write].flatMap(({ bytes, ops, errors }) => [bytes, ops, errors]);
      return [tid, ...numbers].join(' ');
    })
    .sort();
}

const READS = ['read', 'recvfrom'];
const WRITES = ['write', 'sendto'];

/**
 * Of calls whose end was recorded and whose thread a switch on that CPU tells. Old tracers name a call at its entry
 * only.
 */
function trueTransfers({ cpus, settings }: Simulation): string[] {
  const returns = cpus
    .filter(({ arrivals }) => arrivals.length > 0)
    .flatMap((cpu) => cpu.returns)
    .filter(({ whole }) => whole || settings.generation === 'new');
  const tids = [...new Set(returns.map(({ tid }) => tid))];
  const sums = (tid: number, calls: readonly string[]): number[] => {
    const own = returns.filter((one) => one.tid === tid && calls.includes(one.call)).map(({ ret }) => ret);
    const bytes = own.reduce((sum, ret) => sum + Math.max(0, ret), 0);
    return [bytes, own.length, own.filter((ret) => ret < 0).length];
  };
  return tids
    .map((tid) => [tid, ...sums(tid, READS), ...sums(tid, WRITES)])
    .filter((numbers) => numbers[2] + numbers[5] > 0)
    .map((numbers) => numbers.join(' '))
    .sort();
}

/** Seeds that once failed. */
const CASES: readonly (readonly [string, number])[] = [
  ['a thread known from a migration only has no name', 228554692],
  ['a loss behind the last event', 1214746373],
  ['a blocked thread is freed', 28],
  ['the last event before a loss switches a blocked thread in', 1224954559],
  ['a wait goes on into a loss behind the last event', 935928684],
  ['a thread is freed behind the loss that hides its end', 694262954],
  ['a thread is freed behind a loss, and leaves its CPU after that', 205566022],
  ['a tid is used again, and its next life is first seen leaving a CPU', 745],
];

describe('simulated kernels', () => {
  it.each(CASES)('%s', (_, seed) => expectTruth(seed, 4 << 20));

  it('are understood', async () => {
    const sizes = fc.constantFrom(1, 2000, 4 << 20);
    await forAll(40, [fc.nat(), sizes], expectTruth);
  });
});

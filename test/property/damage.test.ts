/** Damaged bytes: never an exception, never a hang, only faults. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { PACKET_IS_DAMAGED } from '../../src/engine/ctf/packets/packet-table.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { counts } from '../../src/engine/linux/sums/counts.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';
import { cpuUsage } from '../support/cpu-usage/cpu-usage.ts';
import { CPU_UNKNOWN } from '../../src/engine/linux/events/values.ts';
import type { Experiment } from '../../src/engine/trace/types.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { kernelTables, runEngine } from '../support/engine-run.ts';
import { exampleTraces } from '../support/shared.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { memoryHistory } from '../support/state-run.ts';
import { loadTrace } from '../support/trace-files.ts';
import { type Damage, damaged, damages } from './damage.ts';
import { forAll } from '../support/for-all.ts';

const ANALYSES = [kernelState as AnyAnalysis, counts as AnyAnalysis, cpuUsage as AnyAnalysis];
/** Far above what these small traces take. */
const PATIENCE_MS = 20_000;

async function expectFaultsOnly(files: TraceFiles, list: readonly Damage[]): Promise<void> {
  const began = performance.now();
  const history = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals: 4096 });
  const { outcome } = await runEngine(damaged(files, list), ANALYSES, history, { chunkBytes: 20_000 });
  // What a worker throws reaches the outcome as this fault: that would be ours.
  expect(outcome.faults.filter(({ code }) => code === 'worker-failed')).toEqual([]);
  expect(outcome.state).toBe('done');
  expect(performance.now() - began).toBeLessThan(PATIENCE_MS);
}

/** HostNs at which the first CPU's packet that was cut off begins; -Infinity where none was. */
function beginOfCut({ traces, hosts }: Experiment): number {
  const files = traces.flatMap(({ streams }) => streams.flatMap((stream) => stream.files));
  // Less than a packet's header is no file of any stream.
  const packets = files.find(({ source }) => source.path.endsWith('kernel_0'))?.packets;
  const cut = (packets?.length ?? 0) - 1;
  if (packets === undefined || (packets.flags[cut] & PACKET_IS_DAMAGED) === 0) return -Infinity;
  return Number(packets.begin[cut] - hosts[0].baseNs);
}

/** @param part of the first CPU's file that is left */
async function expectUnknown(seed: number, part: number, chunkBytes: number): Promise<void> {
  const files = new Map(simulate(settingsOf(seed)).files);
  const whole = files.get('kernel_0') ?? new Uint8Array();
  files.set('kernel_0', whole.subarray(0, Math.floor(whole.length * part)));
  const history = memoryHistory();
  const run = await runEngine(files, [kernelState as AnyAnalysis], history, { chunkBytes });
  // A file that ends with a packet looks whole.
  fc.pre(run.experiment.traces.flatMap(({ faults }) => faults).some(({ code }) => code === 'truncated'));
  const tables = kernelTables(run);
  const window = tables.cpus.find(({ cpu }) => cpu === 0);
  // Events that lie before the cut packet's begin are in the packets before it.
  const known = Math.max(window?.last ?? Infinity, beginOfCut(run.experiment));
  // A CPU without events has no window.
  if (!(known < tables.end)) return;
  history.close(tables.end, tables);
  const last = history.intervals('cpus/0/state').at(-1);
  expect(last).toMatchObject({ value: CPU_UNKNOWN, to: tables.end });
  expect(last?.from).toBeLessThanOrEqual(known);
}

describe('damaged traces', () => {
  it('tell nothing of a CPU behind the last event before its file was cut off', async () => {
    const part = fc.double({ min: 0.05, max: 0.95, noNaN: true });
    const chunkBytes = fc.constantFrom(1, 3000, 1e6);
    await forAll(50, [fc.nat(), part, chunkBytes], expectUnknown);
  });

  it('of simulated kernels give faults only', () =>
    forAll(100, [fc.nat(), damages], (seed, list) =>
      expectFaultsOnly(simulate(settingsOf(seed)).files, list),
    ));

  it.each(exampleTraces().filter(({ name }) => /^(imbalance-4t|lockfight-mutex)/.test(name)))(
    'as recorded give faults only: $name',
    async ({ path }) => {
      const files = loadTrace(path);
      await forAll(15, [damages], (list) => expectFaultsOnly(files, list));
    },
  );
});

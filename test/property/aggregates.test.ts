/** Compiled code gives the leaves of the aggregates that their definitions give: any trace, any chunks, any bytes. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AnyAnalysis } from '../../src/engine/analysis/analysis-set.ts';
import { NO_CONTEXT, type EventBatch, type ProjectionPlan } from '../../src/engine/analysis/contract.ts';
import { callFailures, failureReaders } from '../../src/engine/kernel/call-failures.ts';
import { cpuUsage, usageReaders } from '../../src/engine/kernel/cpu-usage.ts';
import { interruptReaders } from '../../src/engine/kernel/interrupt-map.ts';
import { interrupts } from '../../src/engine/kernel/interrupts.ts';
import { IoMapper } from '../../src/engine/kernel/io-map.ts';
import { ioUsage } from '../../src/engine/kernel/io.ts';
import type { TraceFiles } from '../support/ctf-writer/trace-writer.ts';
import { runEngine } from '../support/engine-run.ts';
import { splitPackets } from '../support/packet-splitter.ts';
import { exampleTraces, isKernelTrace, recordedTraces } from '../support/shared.ts';
import { randomOf } from '../support/simulator/random.ts';
import { settingsOf, simulate } from '../support/simulator/simulation.ts';
import { memoryHistory } from '../support/state-run.ts';
import { loadTrace, modelOf } from '../support/trace-files.ts';
import { valueDifference } from '../support/value-difference.ts';
import { damagedData, damages } from './damage.ts';
import { runsOf } from './runs.ts';

/** Gives what a chunk tells; `compiled` counts those that compiled code read. */
interface Reader {
  read(batch: EventBatch): unknown;
  readonly compiled: number;
}

const READERS: readonly (readonly [AnyAnalysis, (plan: ProjectionPlan) => Reader])[] = [
  [cpuUsage as AnyAnalysis, usageReaders],
  [interrupts as AnyAnalysis, interruptReaders],
  [callFailures as AnyAnalysis, failureReaders],
  [ioUsage as AnyAnalysis, ioReader],
];

function ioReader(plan: ProjectionPlan): Reader {
  const mapper = new IoMapper(plan);
  return {
    read: (batch) => mapper.map(batch, NO_CONTEXT),
    get compiled() {
      return mapper.readers.compiled;
    },
  };
}

interface Compared {
  chunks: number;
  compiled: number;
}

/** Reads every chunk of a trace both ways; throws where they differ. */
async function compare(files: TraceFiles, chunkBytes: number, seed: number): Promise<Compared> {
  const compared: Compared = { chunks: 0, compiled: 0 };
  // Not thrown in there: a chunk that cannot be mapped counts as lost.
  let difference: string | undefined;
  const analyses = READERS.map(([analysis, readerOf]) => {
    let reader: Reader | undefined;
    const map = (batch: EventBatch): unknown => {
      reader ??= readerOf(batch.plan);
      const before = reader.compiled;
      const made = reader.read(batch);
      compared.chunks++;
      compared.compiled += reader.compiled - before;
      const expected = reader.read({ ...batch, rows: { ...batch.rows, place: undefined } });
      const found = valueDifference(made, expected);
      if (found !== undefined) difference ??= `${analysis.id}: ${found}`;
      return analysis.id === ioUsage.id ? [] : analysis.map(batch, NO_CONTEXT);
    };
    return { ...analysis, map } as unknown as AnyAnalysis;
  });
  const disorder = { parallel: 3, random: randomOf(seed) };
  await runEngine(files, analyses, memoryHistory(), { chunkBytes, disorder });
  if (difference !== undefined) throw new Error(`compiled code gives ${difference}`);
  return compared;
}

/** Chunks of one packet and of many. */
const chunkings = fc.constantFrom(1, 600, 5_000, 50_000, 4 << 20);

function expectAllCompiled({ chunks, compiled }: Compared): void {
  expect(chunks).toBeGreaterThan(0);
  expect(compiled).toBe(chunks);
}

describe('simulated traces', () => {
  it('of one machine', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), chunkings, async (seed, chunkBytes) => {
        const { files } = simulate(settingsOf(seed));
        expectAllCompiled(await compare(files, chunkBytes, seed));
      }),
      { numRuns: runsOf(25) },
    );
  });

  it('damaged', async () => {
    let compiled = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), damages, chunkings, async (seed, list, chunkBytes) => {
        const broken = damagedData(simulate(settingsOf(seed)).files, list);
        compiled += (await compare(broken, chunkBytes, seed)).compiled;
      }),
      { numRuns: runsOf(40) },
    );
    expect(compiled).toBeGreaterThan(0);
  });
});

describe('recorded traces', () => {
  const recorded = recordedTraces().filter(isKernelTrace);
  const some = recorded.length === 0 ? exampleTraces().filter(isKernelTrace) : recorded;
  it.each(some)('$name', async ({ path }) => {
    const files = loadTrace(path);
    expectAllCompiled(await compare(files, 4 << 20, 1));
    const bytes = [...files.values()].reduce((sum, { length }) => sum + length, 0);
    if (bytes > 2e6 * runsOf(1)) return;
    expectAllCompiled(await compare(splitPackets(modelOf(files), files, 100), 50_000, 2));
  });
});

/** Opens files in memory with the engine and runs the driver over them in this thread. */
import { setImmediate as nextTask } from 'node:timers/promises';
import { type AnyAnalysis, createAnalysisSet } from '../../src/engine/analysis/analysis-set.ts';
import { createChunkMapper } from '../../src/engine/analysis/chunk-mapper.ts';
import { type ChunkExecutor, runAnalyses, type RunOutcome } from '../../src/engine/analysis/driver.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { blocksSha256 } from './blocks-sha256.ts';
import type { HistoryId, HistorySink } from '../../src/engine/history/types.ts';
import { openSource } from '../../src/engine/io/open-source.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';
import { planChunks } from '../../src/engine/trace/chunk-plan.ts';
import { openExperiment } from '../../src/engine/trace/open-experiment.ts';
import type { Experiment } from '../../src/engine/trace/types.ts';
import type { TraceFiles } from './ctf-writer/trace-writer.ts';
import type { Random } from './simulator/random.ts';

export interface EngineOptions {
  /** Default: the engine's. */
  readonly chunkBytes?: number;
  /** Chunks in flight, answered in random order; default one after the other. */
  readonly disorder?: { readonly parallel: number; readonly random: Random };
}

export interface EngineRun {
  readonly experiment: Experiment;
  readonly outcome: RunOutcome;
}

/** Runs analyses; `sink` gets the history of the first host, or gives where each of several histories goes. */
export async function runEngine(
  files: TraceFiles,
  analyses: readonly AnyAnalysis[],
  sink: HistorySink | ((history: HistoryId) => HistorySink),
  options: EngineOptions = {},
): Promise<EngineRun> {
  const refs = [...files].map(([path, bytes]) => ({
    kind: 'memory' as const,
    path,
    size: bytes.length,
    bytes,
  }));
  const experiment = await openExperiment(refs, openSource);
  const set = createAnalysisSet(analyses);
  const mapper = createChunkMapper(experiment, set, openSource);
  const { parallel, random } = options.disorder ?? { parallel: 1, random: undefined };
  const executor: ChunkExecutor = {
    parallel,
    async run(job) {
      const answer = await mapper.run(job);
      // At least one task: who waits for messages must not starve.
      for (let turns = random?.between(1, 2 * parallel) ?? 1; turns > 0; turns--) await nextTask();
      return answer;
    },
  };
  const chunks = planChunks(experiment, options.chunkBytes);
  const sinkOf = (_: number, history: HistoryId) => (typeof sink === 'function' ? sink(history) : sink);
  const outcome = await runAnalyses({ experiment, chunks, analyses: set, executor, sinkOf });
  return { experiment, outcome };
}

export function kernelTables({ outcome }: EngineRun): KernelTables {
  const tables = outcome.histories[0]?.get(kernelState.id);
  if (tables === undefined) throw new Error('no kernel state');
  return tables as KernelTables;
}

/** The kernel's states as they are stored. */
export interface StoredStates {
  readonly builder: HistoryBuilder;
  readonly tables: KernelTables;
}

/**
 * Reads the kernel's states into segments.
 * @param segmentIntervals pieces of a segment
 * @param others analyses that are run too
 */
export async function runStored(
  files: TraceFiles,
  options: EngineOptions = {},
  segmentIntervals?: number,
  others: readonly unknown[] = [],
): Promise<EngineRun & StoredStates> {
  const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals });
  const run = await runEngine(files, [kernelState, ...others] as readonly AnyAnalysis[], builder, options);
  const tables = kernelTables(run);
  builder.finish(tables.end);
  return { ...run, builder, tables };
}

/** SHA-256 of all that would be stored of the kernel state, in segments of the given number of pieces. */
export async function stateHash(
  files: TraceFiles,
  options: EngineOptions = {},
  segmentIntervals = 4096,
): Promise<string> {
  return blocksSha256((await runStored(files, options, segmentIntervals)).builder);
}

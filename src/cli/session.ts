/** An experiment opened from the command line, and runs over it. */
import { runAnalyses } from '../engine/analysis/driver.ts';
import type { ChunkExecutor, ChunkReport, RunOutcome } from '../engine/analysis/driver.ts';
import type { AnalysisSet } from '../engine/analysis/analysis-set.ts';
import type { Fault } from '../engine/base/fault.ts';
import type { HistorySink } from '../engine/history/types.ts';
import { openNodeSource } from '../engine/io/node-source.ts';
import { analysisSet } from '../engine/registry.ts';
import { planChunks } from '../engine/trace/chunk-plan.ts';
import { openExperiment } from '../engine/trace/open-experiment.ts';
import type { Chunk, Experiment } from '../engine/trace/types.ts';
import { createLocalExecutor } from '../workers/decode-service.ts';
import type { DecodeSetup } from '../workers/decode-service.ts';
import { collectFiles } from './collect-files.ts';
import { createProgressLine, printTiming } from './messages.ts';
import { createNodePool } from './node-pool.ts';
import { UsageError } from './options.ts';
import type { Options } from './options.ts';

export interface Opened {
  readonly experiment: Experiment;
  /** Of files, traces and their streams. */
  readonly faults: readonly Fault[];
}

/** @throws UsageError when no path is given */
export async function openPaths(paths: readonly string[]): Promise<Opened> {
  if (paths.length === 0) throw new UsageError('the path of a trace is missing');
  const { files, faults } = await collectFiles(paths);
  // A path that cannot be read says why; that nothing was found there says no more.
  if (files.length === 0 && faults.length > 0) {
    return { experiment: { name: '', hosts: [], traces: [], faults: [] }, faults };
  }
  const experiment = await openExperiment(files, openNodeSource);
  const inTraces = experiment.traces.flatMap((trace) => trace.faults);
  return { experiment, faults: [...faults, ...experiment.faults, ...inTraces] };
}

/** A run that has ended, with what is needed to run again over parts. */
export interface Session {
  readonly experiment: Experiment;
  readonly chunks: readonly Chunk[];
  readonly analyses: AnalysisSet;
  readonly outcome: RunOutcome;
  readonly executor: ChunkExecutor;
  close(): void;
}

export interface RunHooks {
  /** Needed where history analyses run. */
  readonly sinkOf?: (host: number) => HistorySink;
  readonly onChunk?: (report: ChunkReport) => void;
}

export async function runSession(
  experiment: Experiment,
  ids: readonly string[],
  options: Options,
  { sinkOf = noSink, onChunk }: RunHooks = {},
): Promise<Session> {
  const chunks = planChunks(experiment, options.chunkBytes);
  const analyses = analysisSet(ids);
  const { executor, close } = await createExecutor({ experiment, analyses: ids }, options.workers);
  const line = createProgressLine();
  const outcome = await runAnalyses({
    experiment,
    chunks,
    analyses,
    executor,
    sinkOf,
    onChunk,
    onProgress: line.show,
  });
  line.clear();
  if (options.timing) printTiming(outcome, chunks.reduce((sum, { bytes }) => sum + bytes, 0));
  return { experiment, chunks, analyses, outcome, executor, close };
}

async function createExecutor(
  setup: DecodeSetup,
  workers: number,
): Promise<{ readonly executor: ChunkExecutor; close(): void }> {
  if (workers === 0) return { executor: await createLocalExecutor(setup, openNodeSource), close: () => undefined };
  const pool = createNodePool(workers, setup);
  return { executor: pool, close: () => pool.dispose() };
}

function noSink(): never {
  throw new Error('no history is run');
}

/** Opens experiments from the command line, and decodes all of one without analyses. */
import { createAnalysisSet } from '../engine/analysis/analysis-set.ts';
import { runAnalyses, type ChunkReport, type RunOutcome } from '../engine/analysis/driver.ts';
import { unpackFiles } from '../engine/importers/unpack-files.ts';
import type { Fault } from '../engine/base/fault.ts';
import { openNodeSource } from '../engine/io/node-source.ts';
import { nodeTempFiles } from '../engine/io/node-temp-files.ts';
import { planChunks } from '../engine/trace/chunk-plan.ts';
import { openExperiment } from '../engine/trace/open-experiment.ts';
import type { Experiment } from '../engine/trace/types.ts';
import { collectFiles } from './collect-files.ts';
import { bytesOf, startExecutor, workersFor } from './executor.ts';
import { createProgressLine, printTiming } from './messages.ts';
import { UsageError, type Options } from './options.ts';

export interface Opened {
  readonly experiment: Experiment;
  /** Faults of files, traces and their streams. */
  readonly faults: readonly Fault[];
}

/**
 * Opens what lies at some paths, archives unpacked.
 * @param offsets what the user adds to the clocks of hosts, by name: recordings so named are not joined to others
 * @throws UsageError when no path is given
 */
export async function openPaths(
  paths: readonly string[],
  offsets: ReadonlyMap<string, bigint> = new Map(),
): Promise<Opened> {
  if (paths.length === 0) throw new UsageError('the path of a trace is missing');
  const collected = await collectFiles(paths);
  const unpacked = await unpackFiles(collected.files, {
    open: openNodeSource,
    tempFiles: nodeTempFiles(),
  });
  const { files } = unpacked;
  const faults = [...collected.faults, ...unpacked.faults];
  // A path that cannot be read says why; that nothing was found there says no more.
  if (files.length === 0 && faults.length > 0) {
    return { experiment: { name: '', hosts: [], traces: [], faults: [] }, faults };
  }
  const joined = await openExperiment(files, openNodeSource);
  const isOfOther = joined.hosts.some((host) => host.joined) && namesOther(joined, offsets);
  const experiment = isOfOther ? await openExperiment(files, openNodeSource, { apart: true }) : joined;
  const inTraces = experiment.traces.flatMap((trace) => trace.faults);
  const all = [...faults, ...experiment.faults];
  return { experiment: { ...experiment, faults: all }, faults: [...all, ...inTraces] };
}

function namesOther({ hosts }: Experiment, offsets: ReadonlyMap<string, bigint>): boolean {
  return [...offsets.keys()].some((name) => !hosts.some((host) => host.name === name));
}

/**
 * Adds offsets to those of hosts, which are applied on reading only.
 * @throws UsageError for an offset of no host
 */
export function shifted(experiment: Experiment, offsets: ReadonlyMap<string, bigint>): Experiment {
  const byHost = offsetsByHost(experiment, offsets);
  const hosts = experiment.hosts.map((host) => {
    return { ...host, offsetNs: host.offsetNs + (byHost.get(host.index) ?? 0n) };
  });
  return { ...experiment, hosts };
}

/**
 * Offsets that the user gave by names of hosts, by index of the host.
 * @throws UsageError for an offset of no host
 */
export function offsetsByHost(
  { hosts }: Experiment,
  offsets: ReadonlyMap<string, bigint>,
): ReadonlyMap<number, bigint> {
  return new Map(
    [...offsets].map(([name, ns]) => {
      const host = hosts.find((other) => other.name === name);
      if (host === undefined) throw new UsageError(`--offset: no host is called "${name}"`);
      return [host.index, ns];
    }),
  );
}

/** Decodes everything without any analysis: counts, times and losses are in the reports. */
export async function scanExperiment(
  experiment: Experiment,
  options: Options,
  onChunk: (report: ChunkReport) => void,
): Promise<RunOutcome> {
  const chunks = planChunks(experiment, options.chunkBytes);
  const workers = workersFor(experiment, options.workers);
  const executor = await startExecutor({ experiment, analyses: [], decoder: options.decoder }, workers);
  const line = createProgressLine();
  const outcome = await runAnalyses({
    experiment,
    chunks,
    analyses: createAnalysisSet([]),
    executor,
    sinkOf: () => {
      throw new Error('no history is run');
    },
    onChunk,
    onProgress: line.show,
  });
  line.clear();
  executor.dispose();
  if (options.timing) printTiming(outcome, bytesOf(experiment), workers);
  return outcome;
}

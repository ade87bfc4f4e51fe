/** Opens experiments from the command line, and decodes all of one without analyses. */
import { runAnalyses } from '../engine/analysis/driver.ts';
import type { ChunkReport, RunOutcome } from '../engine/analysis/driver.ts';
import { unpackFiles } from '../engine/importers/unpack-files.ts';
import type { Fault } from '../engine/base/fault.ts';
import type { DecodeMemory } from '../engine/ctf/decode/wasm/decode-memory.ts';
import {
  type CanonicalFile,
  type CanonicalSummary,
  type CanonicalTrace,
  summariseTraces,
  type TextSink,
} from '../engine/export/canonical-streams.ts';
import type { ByteSource } from '../engine/io/byte-source.ts';
import { openNodeSource } from '../engine/io/node-source.ts';
import { nodeTempFiles } from '../engine/io/node-temp-files.ts';
import { analysisSet } from '../engine/registry.ts';
import { planChunks } from '../engine/trace/chunk-plan.ts';
import { openExperiment } from '../engine/trace/open-experiment.ts';
import type { Experiment, Trace } from '../engine/trace/types.ts';
import { collectFiles } from './collect-files.ts';
import { startExecutor } from './executor.ts';
import { createProgressLine, printTiming } from './messages.ts';
import { UsageError } from './options.ts';
import type { Options } from './options.ts';

export interface Opened {
  readonly experiment: Experiment;
  /** Faults of files, traces and their streams. */
  readonly faults: readonly Fault[];
}

/**
 * Opens what lies at some paths, archives unpacked.
 * @param offsets amounts to add to the clocks of hosts, by name, ns
 * @throws UsageError when no path is given, or an offset for no host
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
  const experiment = shifted(await openExperiment(files, openNodeSource), offsets);
  const inTraces = experiment.traces.flatMap((trace) => trace.faults);
  return { experiment, faults: [...faults, ...experiment.faults, ...inTraces] };
}

/** Adds offsets to those of hosts, which are applied on reading only. */
function shifted(experiment: Experiment, offsets: ReadonlyMap<string, bigint>): Experiment {
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
  const executor = await startExecutor(
    { experiment, analyses: [], decoder: options.decoder },
    options.workers,
  );
  const line = createProgressLine();
  const outcome = await runAnalyses({
    experiment,
    chunks,
    analyses: analysisSet([]),
    executor,
    sinkOf: noSink,
    onChunk,
    onProgress: line.show,
  });
  line.clear();
  executor.dispose();
  if (options.timing)
    printTiming(
      outcome,
      chunks.reduce((sum, { bytes }) => sum + bytes, 0),
      options.workers,
    );
  return outcome;
}

/** The canonical form of everything at some paths, with the faults of opening and decoding. Without `memory` the interpreter decodes. */
export async function summarisePaths(
  paths: readonly string[],
  memory: DecodeMemory | undefined,
  sink?: TextSink,
): Promise<{ readonly summary: CanonicalSummary; readonly faults: readonly Fault[] }> {
  const { experiment, faults } = await openPaths(paths);
  const sources: ByteSource[] = [];
  const unreadable: Fault[] = [];
  const traces: CanonicalTrace[] = [];
  for (const trace of experiment.traces) traces.push(await withSources(trace, sources, unreadable));
  const summary = await summariseTraces(traces, sink, memory);
  for (const source of sources) await source.close?.();
  return { summary, faults: [...faults, ...unreadable, ...summary.faults] };
}

/** Streams of which a file cannot be opened end before it. */
async function withSources(trace: Trace, sources: ByteSource[], faults: Fault[]): Promise<CanonicalTrace> {
  const streams: CanonicalFile[][] = [];
  for (const stream of trace.streams) {
    const files: CanonicalFile[] = [];
    for (const { source: ref, packets } of stream.files) {
      const source = await openNodeSource(ref);
      if (!source.ok) {
        faults.push(source.fault);
        break;
      }
      sources.push(source.value);
      files.push({ source: source.value, packets });
    }
    if (files.length > 0) streams.push(files);
  }
  return { model: trace.model, streams };
}

function noSink(): never {
  throw new Error('no history is run');
}

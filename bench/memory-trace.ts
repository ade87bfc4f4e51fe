/** A recorded trace in memory, opened as the page opens it: no bench measures the disk by accident. */
import { runAnalyses, type RunOutcome } from '../src/engine/analysis/driver.ts';
import { createChunkMapper, type ChunkMapper } from '../src/engine/analysis/chunk-mapper.ts';
import type { HistorySink } from '../src/engine/history/types.ts';
import type { SourceRef } from '../src/engine/io/byte-source.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import { analysisSet } from '../src/engine/registry.ts';
import { planChunks } from '../src/engine/trace/chunk-plan.ts';
import { openExperiment } from '../src/engine/trace/open-experiment.ts';
import type { Chunk, Experiment } from '../src/engine/trace/types.ts';
import type { TraceFiles } from '../test/support/ctf-writer/trace-writer.ts';
import { loadTrace, modelOf } from '../test/support/trace-files.ts';
import { planRepeat, repeatedPieces } from '../test/support/trace-repeater.ts';

export interface MemoryTrace {
  readonly files: readonly SourceRef[];
  readonly experiment: Experiment;
  readonly chunks: readonly Chunk[];
}

/** @param folder holds `metadata` */
export function openInMemory(folder: string): Promise<MemoryTrace> {
  return openFiles(loadTrace(folder), folder);
}

/** The trace several times one after the other; its streams are in memory that threads share. */
export function openRepeated(folder: string, rounds: number): Promise<MemoryTrace> {
  const once = loadTrace(folder);
  const { kept, streams } = planRepeat(modelOf(once), once);
  const files = new Map(kept);
  for (const stream of streams) {
    const bytes = new Uint8Array(new SharedArrayBuffer(stream.head.length + rounds * stream.bytes.length));
    let at = 0;
    for (const piece of repeatedPieces(stream, rounds)) {
      bytes.set(piece, at);
      at += piece.length;
    }
    files.set(stream.file, bytes);
  }
  return openFiles(files, folder);
}

/** A trace on disk, its streams in memory that threads share. */
export function openShared(folder: string): Promise<MemoryTrace> {
  const files = loadTrace(folder);
  for (const [name, bytes] of files) {
    if (name === 'metadata') continue;
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    files.set(name, shared);
  }
  return openFiles(files, folder);
}

async function openFiles(contents: TraceFiles, folder: string): Promise<MemoryTrace> {
  const files = [...contents].map(([name, bytes]): SourceRef => {
    return { kind: 'memory', path: `trace/${name}`, size: bytes.length, bytes };
  });
  const experiment = await openExperiment(files, openSource);
  if (experiment.traces.length !== 1) throw new Error(`${folder}: ${JSON.stringify(experiment.faults)}`);
  return { files, experiment, chunks: planChunks(experiment) };
}

/** Runs analyses in this thread, chunk after chunk; `mapper` is kept by who wants it warm. */
export function runHere(
  { experiment, chunks }: MemoryTrace,
  ids: readonly string[],
  mapper: ChunkMapper,
  sink: HistorySink,
): Promise<RunOutcome> {
  const executor = { parallel: 1, run: mapper.run };
  return runAnalyses({ experiment, chunks, analyses: analysisSet(ids), executor, sinkOf: () => sink });
}

export function mapperOf({ experiment }: MemoryTrace, ids: readonly string[]): ChunkMapper {
  return createChunkMapper(experiment, analysisSet(ids), openSource);
}

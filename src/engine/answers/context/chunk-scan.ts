/** Runs over the chunks of an open trace, in workers, for results that were not made or stored when it was opened. */
import {
  createAnalysisSet,
  type AnyAggregate,
  type AnyAnalysis,
  chunksRead,
} from '../../analysis/analysis-set.ts';
import { type ChunkExecutor, type ChunkReport, runAnalyses, type RunOutcome } from '../../analysis/driver.ts';
import { analysisById } from '../../registry.ts';
import { planChunks } from '../../trace/chunk-plan.ts';
import type { Chunk, Experiment } from '../../trace/types.ts';

/** Workers for a run over chunks. */
export interface ScanWorkers {
  readonly workers: number;
  /** Starts workers that map chunks with these analyses. */
  startExecutor(
    experiment: Experiment,
    analyses: readonly string[],
    workers: number,
  ): Promise<ChunkExecutor & { dispose(): void }>;
}

export interface ChunkScan {
  /** Ids of aggregates; none: packets are counted. */
  readonly ids: readonly string[];
  /** Whether a chunk that may have events is read; default: all are. */
  readonly isWanted?: (chunk: Chunk) => boolean;
  readonly signal?: AbortSignal;
  readonly onChunk: (report: ChunkReport) => void;
  /** Called with the share of the bytes that were read, 0 to 1. */
  readonly onShare?: (share: number) => void;
}

export async function scanChunks(
  experiment: Experiment,
  environment: ScanWorkers,
  { ids, isWanted = () => true, signal, onChunk, onShare }: ChunkScan,
): Promise<Pick<RunOutcome, 'state' | 'faultCount'>> {
  const analyses = createAnalysisSet(ids.map((id): AnyAnalysis => analysisById(id)));
  const all = ids.length === 0 ? planChunks(experiment) : chunksRead(experiment, analyses);
  const chunks = all.filter(isWanted);
  if (chunks.length === 0) return { state: 'done', faultCount: 0 };
  const workers = Math.min(environment.workers, chunks.length);
  const executor = await environment.startExecutor(experiment, ids, workers);
  try {
    return await runAnalyses({
      experiment,
      chunks,
      analyses,
      executor,
      sinkOf: () => {
        throw new Error('a scan has no history');
      },
      signal,
      onProgress: ({ bytes, totalBytes }) => onShare?.(totalBytes === 0 ? 0 : bytes / totalBytes),
      onChunk,
    });
  } finally {
    executor.dispose();
  }
}

/** Results of aggregates that are read on first use, and stay as long as the trace is open. */
export class OnDemand {
  readonly #results = new Map<string, Promise<unknown>>();

  constructor(
    private readonly experiment: Experiment,
    private readonly environment: ScanWorkers,
  ) {}

  /** Result of an aggregate over all hosts. It lacks what could not be read. */
  resultOf<Result>(id: string): Promise<Result> {
    const known = this.#results.get(id) ?? this.#read(id);
    this.#results.set(id, known);
    // A failed reading is tried again.
    known.catch(() => this.#results.delete(id));
    return known as Promise<Result>;
  }

  async #read(id: string): Promise<unknown> {
    const analysis = analysisById(id) as AnyAggregate;
    const chunkResults: { readonly chunk: number; readonly chunkResult: unknown }[] = [];
    await scanChunks(this.experiment, this.environment, {
      ids: [id],
      onChunk: ({ chunk, answer }) =>
        void chunkResults.push({ chunk: chunk.id, chunkResult: answer.chunkResults[0] }),
    });
    chunkResults.sort((a, b) => a.chunk - b.chunk);
    return analysis.finish(analysis.merge(chunkResults.map(({ chunkResult }) => chunkResult)));
  }
}

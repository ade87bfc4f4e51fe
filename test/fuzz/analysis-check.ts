/** Runs all analyses over an experiment, as a session does; what comes out must not depend on chunks nor decoders. */
import { isDeepStrictEqual } from 'node:util';
import { createChunkMapper } from '../../src/engine/analysis/chunk-mapper.ts';
import { runAnalyses, type RunOutcome } from '../../src/engine/analysis/driver.ts';
import type { DecoderKind } from '../../src/engine/ctf/decode/wasm/decode-memory.ts';
import { HistoryBuilder } from '../../src/engine/history/builder.ts';
import { blocksSha256 } from '../support/blocks-sha256.ts';
import { openSource } from '../../src/engine/io/open-source.ts';
import { kernelState } from '../../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../../src/engine/linux/states/reduce/kernel-tables.ts';
import { kernelSchemeOf } from '../../src/engine/linux/events/schemes.ts';
import { SESSION_IDS, analysisSet } from '../../src/engine/registry.ts';
import { planChunks } from '../../src/engine/trace/chunk-plan.ts';
import type { Experiment } from '../../src/engine/trace/types.ts';

const ANALYSES = analysisSet(SESSION_IDS);

export interface AnalysedAll {
  readonly outcome: RunOutcome;
  /** Everything that is compared, by name. */
  readonly results: Readonly<Record<string, unknown>>;
}

export async function analyseAll(
  experiment: Experiment,
  chunkBytes: number | undefined,
  decoder: DecoderKind,
): Promise<AnalysedAll> {
  const mapper = createChunkMapper(experiment, ANALYSES, openSource, decoder);
  const builders = experiment.hosts.map(
    () => new HistoryBuilder({ schemeOf: kernelSchemeOf, segmentIntervals: SEGMENT_INTERVALS }),
  );
  const outcome = await runAnalyses({
    experiment,
    chunks: planChunks(experiment, chunkBytes),
    analyses: ANALYSES,
    executor: { parallel: 1, run: (job) => mapper.run(job) },
    sinkOf: (host) => builders[host],
  });
  const results: Record<string, unknown> = { events: outcome.events, faultCount: outcome.faultCount };
  for (const { index } of experiment.hosts) {
    const histories = outcome.histories[index] ?? new Map<string, unknown>();
    for (const [id, tables] of histories) results[`${id} of host ${index}`] = tables;
    const state = histories.get(kernelState.id) as KernelTables | undefined;
    builders[index].finish(state?.end ?? 0);
    results[`history of host ${index}`] = await blocksSha256(builders[index]);
    for (const analysis of ANALYSES.aggregates) {
      const leaf = outcome.leaves.whole(analysis, index);
      results[`${analysis.id} of host ${index}`] = analysis.finish(leaf);
    }
  }
  return { outcome, results };
}

/** Few, so that segments are cut. */
const SEGMENT_INTERVALS = 2000;

/** What differs; undefined: nothing. */
export function resultsDifference(a: AnalysedAll, b: AnalysedAll): string | undefined {
  return Object.keys(a.results).find((name) => !isDeepStrictEqual(a.results[name], b.results[name]));
}

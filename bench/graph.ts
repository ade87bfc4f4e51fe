/**
 * What the execution graph adds to opening: all analyses over a recorded trace in memory, with and without what only
 * the graph needs. Its edges are the state histories; packets and signals are its own.
 */
import { type AnyAnalysis, createAnalysisSet } from '../src/engine/analysis/analysis-set.ts';
import { createChunkMapper } from '../src/engine/analysis/chunk-mapper.ts';
import { runAnalyses } from '../src/engine/analysis/driver.ts';
import { HistoryBuilder } from '../src/engine/history/builder.ts';
import { openSource } from '../src/engine/io/open-source.ts';
import { kernelState } from '../src/engine/linux/states/kernel-state.ts';
import type { KernelTables } from '../src/engine/linux/states/reduce/kernel-tables.ts';
import { kernelSchemeOf } from '../src/engine/linux/events/schemes.ts';
import { SESSION_IDS, analysisById } from '../src/engine/registry.ts';
import { median } from './measure.mjs';
import { type MemoryTrace, openInMemory } from './memory-trace.ts';

const WARM_UP = 2;
const PACKETS = ['packet-sent', 'packet-received'];

/** The kernel state without its packets: their kinds are asked of events that no trace has. */
const withoutPackets: AnyAnalysis = {
  ...(kernelState as AnyAnalysis),
  reads: {
    kinds: kernelState.reads.kinds.map((kind) =>
      PACKETS.includes(kind.kind) ? { ...kind, events: ['none'] } : kind,
    ),
  },
};

export async function graphBench(folder: string, rounds: number): Promise<Record<string, number>> {
  const trace = await openInMemory(folder);
  const others = SESSION_IDS.filter((id) => id !== kernelState.id).map(analysisById);
  const withGraph = opener(trace, [kernelState as AnyAnalysis, ...others]);
  const without = opener(trace, [withoutPackets, ...others]);
  const times = { with: [] as number[], without: [] as number[] };
  let { tables, events } = await withGraph();
  for (let round = 0; round < WARM_UP + rounds; round++) {
    times.without.push((await without()).ms);
    const opened = await withGraph();
    times.with.push(opened.ms);
    ({ tables, events } = opened);
  }
  const withMs = median(times.with.slice(WARM_UP));
  const withoutMs = median(times.without.slice(WARM_UP));
  return {
    'graph.openingPercent': 100 * (withMs / withoutMs - 1),
    'graph.signalsPer1000Events': (tables.signals.length * 1000) / events,
    'graph.packetsPer1000Events': (tables.packets.length * 1000) / events,
  };
}

function opener(
  { experiment, chunks }: MemoryTrace,
  wanted: readonly AnyAnalysis[],
): () => Promise<{ ms: number; events: number; tables: KernelTables }> {
  const analyses = createAnalysisSet(wanted);
  const mapper = createChunkMapper(experiment, analyses, openSource);
  return async () => {
    const builder = new HistoryBuilder({ schemeOf: kernelSchemeOf });
    const begin = performance.now();
    const outcome = await runAnalyses({
      experiment,
      chunks,
      analyses,
      executor: { parallel: 1, run: mapper.run },
      sinkOf: () => builder,
    });
    const tables = outcome.histories[0].get(kernelState.id) as KernelTables;
    builder.finish(tables.end);
    return { ms: performance.now() - begin, events: outcome.events, tables };
  };
}

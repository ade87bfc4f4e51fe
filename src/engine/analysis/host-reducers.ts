/**
 * The histories of one host during a run: its streams' transition leaves on one side, in any order; on the other the
 * reducers, called in the total order. Several analyses are merged as one: at equal places those come first that
 * others need.
 */
import type { HistorySink } from '../history/types.ts';
import type { Chunk, Experiment, Host } from '../trace/types.ts';
import type { AnalysisSet } from './analysis-set.ts';
import type { Reducer, TransitionLeaf } from './contract.ts';
import { createRunMerger } from './merge-runs.ts';
import type { RunSource, TakeSpent } from './merge-runs.ts';
import { reducedHost } from './reduced-host.ts';

export interface HostReducers {
  /** `leaves`: one per history analysis, in their order; `floor`: the greatest `earliestTime` of the chunk's packets (TimeNs). */
  put(chunk: Chunk, leaves: readonly TransitionLeaf[], floor: number): void;
  /** Reduces what is certain by now; TimeNs before which everything is final. */
  advance(): number;
  /** Results as they are now, by analysis id. */
  soFar(): ReadonlyMap<string, unknown>;
  /** Ends the histories at `end` (TimeNs), or where all is known if that is earlier; results by analysis id. */
  finish(end: number): ReadonlyMap<string, unknown>;
}

export function createHostReducers(
  experiment: Experiment,
  host: Host,
  chunks: readonly Chunk[],
  set: AnalysisSet,
  sink: HistorySink,
  spent?: TakeSpent,
): HostReducers {
  const { histories } = set;
  const knowledge = reducedHost(experiment, host, set.plan);
  const reducers: Reducer<TransitionLeaf>[] = histories.map((analysis) => analysis.reducer(sink, knowledge));
  const { sources, firstSource } = sourcesOf(experiment, host, chunks, histories.length);
  const merger = createRunMerger(
    sources,
    (source, leaf, from, to) => reducers[source % histories.length].run(leaf, from, to),
    histories.length === 1 ? reducers[0].merge : undefined,
    spent,
  );
  let known = -Infinity;

  return {
    put({ trace, stream, sequence }, leaves, floor) {
      const first = firstSource(trace, stream);
      leaves.forEach((leaf, index) => merger.put(first + index, sequence, leaf, floor));
    },
    advance() {
      known = merger.drain();
      for (const reducer of reducers) reducer.advance(known);
      return known;
    },
    soFar() {
      const end = Number.isFinite(known) ? known : knowledge.begin;
      return new Map(histories.map(({ id }, index) => [id, reducers[index].soFar(end)]));
    },
    finish(end) {
      const last = Math.max(Math.min(end, known), knowledge.begin);
      return new Map(histories.map(({ id }, index) => [id, reducers[index].finish(last)]));
    },
  };
}

interface Sources {
  readonly sources: readonly RunSource[];
  /** Of a stream: the source of its first analysis, which the others follow. */
  firstSource(trace: number, stream: number): number;
}

function sourcesOf(experiment: Experiment, host: Host, chunks: readonly Chunk[], analyses: number): Sources {
  const bounds = new Map<string, number[]>();
  for (const { trace, stream, sequence, from } of chunks.filter((chunk) => chunk.host === host.index)) {
    const key = `${trace}:${stream}`;
    const known = bounds.get(key) ?? [];
    bounds.set(key, known);
    known[sequence] = from;
  }
  const sources: RunSource[] = [];
  const firsts = new Map<string, number>();
  for (const [key, times] of bounds) {
    const [trace, stream] = key.split(':').map(Number);
    firsts.set(key, sources.length);
    for (let index = 0; index < analyses; index++) {
      sources.push({
        order: experiment.traces[trace].streams[stream].rank * analyses + index,
        bounds: times,
      });
    }
  }
  return { sources, firstSource: (trace, stream) => firsts.get(`${trace}:${stream}`) ?? -1 };
}
